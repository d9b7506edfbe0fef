#!/usr/bin/env python3
"""Draws the JSON of hashmill-compare as a PNG or SVG picture, through gnuplot.

usage: plot_compare.py RESULTS.json PICTURE.{png,svg}

Where an axis (n, fill, hit rate, ...) gives a structure three points or more, each operation gets a
panel of lines over that axis, and one for each value of another axis where those would be too many
lines; what does not depend on the axis is a level line. Over threads, broken lines show each first
point times the threads. Otherwise each set of keys gets a panel of bars.
"""

import json
import math
import subprocess
import sys
from dataclasses import dataclass

AXES = {
    "order": "keys",
    "threads": "threads",
    "num_keys": "n",
    "key_bits": "key bits",
    "multiplicity": "multiplicity",
    "load_factor": "load factor",
    "fill": "share of slots in use",
    "bins": "bins",
    "hit_rate": "hit rate",
    "ratio": "rows of S for one of R",
    "zipf": "Zipf exponent",
    "num_groups": "groups",
    "kind": "kind",
    "payload": "payload",
    "aggregates": "aggregates",
}
NAMES = {  # of values that are no amounts
    ("order", 0): "sequential",
    ("order", 1): "random",
    ("order", 2): "dense",
    ("order", 3): "zipf",
    ("kind", 0): "inner",
    ("kind", 1): "left",
    ("kind", 2): "right",
    ("kind", 3): "full",
    ("payload", 0): "count",
    ("payload", 1): "rows",
    ("aggregates", 0): "count",
    ("aggregates", 1): "sum",
    ("aggregates", 2): "all",
}
POWERS_OF_TWO = ("threads", "num_keys", "multiplicity", "load_factor", "bins", "ratio", "num_groups")
COUNTS = ("num_keys", "num_groups")
RATES = {
    "Gkeys_per_second": "Gkeys/s",
    "Gtuples_per_second": "Gtuples/s",
    "Grows_per_second": "Grows/s",
}
MOST_LINES = 4  # of a panel, before it is split by the other axes
OURS = ["#1f5fa8", "#2a9d8f", "#7b4fa3", "#0b3c6f", "#5fb0e5", "#134e4a"]
PEERS = ["#c4802f", "#8d8a84", "#b5544d", "#7c8a3c", "#d3b48a", "#6f6a62"]
BAR_OURS, BAR_PEER = "#1f5fa8", "#b0aca4"


@dataclass
class Row:
    """One line of the table: its labels, the values of its axes and its rate."""

    operation: str
    structure: str
    runs_on: str
    keys: str
    axes: dict
    rate: float
    unit: str
    is_ours: bool

    def series(self):
        return f"{self.structure}, {self.runs_on}"


@dataclass
class Panel:
    """A part of the picture: its gnuplot commands and its size in pixels."""

    script: str
    width: int
    height: int


def read_rows(path):
    """The medians of a result file, or the only repetition where there is one."""
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    usable = [run for run in runs if not run.get("error_occurred") and rate_of(run)]
    medians = {run["run_name"]: run for run in usable if run.get("aggregate_name") == "median"}
    rows = {}
    for run in usable:
        name = run["run_name"]
        if name in rows:
            continue
        run = medians.get(name, run)
        operation, structure, runs_on, keys = run["label"].split(" | ")
        axes = {axis: run[axis] for axis in AXES if axis in run}
        rate = rate_of(run)
        rows[name] = Row(operation, structure, runs_on, keys, axes, run[rate], RATES[rate],
                         not run.get("is_peer"))
    return list(rows.values())


def rate_of(run):
    """The counter that holds the rate of a run."""
    return next((rate for rate in RATES if rate in run), None)


def values_of(rows, axis):
    return sorted({row.axes[axis] for row in rows if axis in row.axes})


def shown(axis, value):
    """An axis value as people write it."""
    if (axis, value) in NAMES:
        return NAMES[axis, value]
    if axis in COUNTS and value >= 1024 and int(value) & (int(value) - 1) == 0:
        return f"2^{{{int(value).bit_length() - 1}}}"
    return f"{value:g}"


def varying(rows):
    return [axis for axis in AXES if len(values_of(rows, axis)) > 1]


def constants(rows):
    """The axes that do not vary, for the title."""
    parts = []
    for axis, name in AXES.items():
        values = values_of(rows, axis)
        if len(values) == 1 and axis != "order":  # which row.keys says
            parts.append(f"{name} {shown(axis, values[0])}")
    keys = sorted({row.keys for row in rows})
    return ", ".join(parts + (keys if len(keys) == 1 else []))


def plain_string(text):
    """A gnuplot string, such as a path."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


def quoted(text):
    """A gnuplot string to be shown; underscores are no subscripts."""
    return plain_string(text).replace("_", "\\\\_")


def scenario(row, axes):
    return ", ".join(f"{AXES[a]} {shown(a, row.axes[a])}" for a in axes if a in row.axes)


def bar_panel(rows, title, low, high):
    """Horizontal bars from top to bottom in the order of the table, a gap between operations."""
    lines, ticks, place, previous = [], [], 0.0, None
    for row in rows:
        place -= 1.0 if row.operation == previous else 2.1
        if row.operation != previous:
            ticks.append((place + 1.0, f"{{/:Bold {row.operation}}}"))
        previous = row.operation
        color = BAR_OURS if row.is_ours else BAR_PEER
        lines.append(f"{low} {row.rate} {place} {low} {row.rate} {place - 0.38} {place + 0.38} "
                     f"{int(color[1:], 16)} \"{row.rate:.3g}\"")
        ticks.append((place, row.series()))
    tick_text = ", ".join(f"{quoted(text)} {place}" for place, text in ticks)
    return "\n".join([
        "$bars << END", *lines, "END",
        f"set title {quoted(title)}",
        "set lmargin 44",
        "set logscale x 10",
        f"set xrange [{low}:{high * 3}]",
        f"set yrange [{place - 1}:0]",
        f"set ytics ({tick_text}) scale 0",
        "set grid xtics linestyle 1",
        "plot $bars using 1:3:4:5:6:7:8 with boxxyerror fillstyle solid 0.9 noborder "
        "linecolor rgb variable notitle, "
        "$bars using 2:3:9 with labels left offset 0.5,0 font ',9' notitle",
    ])


def in_proportion(lines):
    """What lines of (threads, rate) would be if every thread gave as much as the first: gnuplot
    commands for these lines and the scale, and their plots."""
    commands, plots, rates = ["set logscale y 2"], [], []
    for number, (data, color) in enumerate(lines):
        (first, slowest), (last, rate) = data[0], data[-1]
        ideal = slowest * last / first
        rates += [slowest, rate, ideal]
        title = "title 'in proportion to the threads'" if number == 0 else "notitle"
        commands += [f"$ideal{number} << END", f"{first} {slowest}", f"{last} {ideal}", "END"]
        plots.append(f"$ideal{number} using 1:2 with lines dashtype 3 linecolor rgb '{color}' {title}")
    return commands + [f"set yrange [{min(rates) / 1.2}:{max(rates) * 1.2}]"], plots


def line_panel(rows, axis, others, title, num_series):
    """A line for each structure over `axis`, with room for a key of `num_series` lines."""
    names = {}
    for row in rows:
        name = ", ".join(filter(None, [row.series(), scenario(row, others)]))
        names.setdefault(name, []).append(row)
    blocks, plots, lines, ours, peers = [], [], [], 0, 0
    ends = (values_of(rows, axis)[0], values_of(rows, axis)[-1])
    for number, (name, points) in enumerate(names.items()):
        is_ours = points[0].is_ours
        color = OURS[ours % len(OURS)] if is_ours else PEERS[peers % len(PEERS)]
        ours, peers = ours + is_ours, peers + (not is_ours)
        data = sorted((row.axes[axis], row.rate) for row in points if axis in row.axes)
        style = "linespoints pointtype 7 pointsize 0.7"
        if not data:  # does not depend on the axis: a level line
            data = [(x, points[0].rate) for x in ends]
            style = "lines dashtype 2"
        elif axis == "threads":
            lines.append((data, color))
            name += f": {data[-1][1] / data[0][1]:.3g} times with {data[-1][0]:g}"
        blocks += [f"$line{number} << END", *(f"{x} {y}" for x, y in data), "END"]
        plots.append(f"$line{number} using 1:2 with {style} linecolor rgb '{color}' "
                     f"linewidth 2 title {quoted(name)}")
    ticks = ", ".join(f"{quoted(shown(axis, value))} {value}" for value in values_of(rows, axis))
    scale = "set logscale x 2" if axis in POWERS_OF_TWO and values_of(rows, axis)[0] > 0 else ""
    rate_scale, ideals = in_proportion(lines) if lines else (["set logscale y 10"], [])
    return "\n".join(blocks + rate_scale + [
        f"set title {quoted(title)}", scale, f"set xtics ({ticks})",
        f"set xlabel {quoted(AXES[axis])}", f"set ylabel {quoted(rows[0].unit)}", "set grid linestyle 1",
        "set key bmargin left vertical Left reverse maxcols 1 samplen 2 font ',10'",
        f"set bmargin {4 + 1.1 * (num_series + bool(lines))}",
        "set offsets graph 0.02, graph 0.02, 0, 0",
        "plot " + ", ".join(plots + ideals),
    ])


def make_bar_panels(rows, axes):
    """A panel for each set of keys, as high as its number of bars asks for."""
    groups = {}
    for row in rows:
        groups.setdefault((scenario(row, axes), row.keys), []).append(row)
    slowest = min(row.rate for row in rows)
    low = 10.0 ** math.floor(math.log10(slowest / 1.5))
    high = max(row.rate for row in rows)
    panels = []
    for (title, _), group in groups.items():
        height = 90 + 22 * (len(group) + round(1.1 * len({row.operation for row in group})))
        panels.append(Panel(bar_panel(group, title, low, high), 980, height))
    return panels


def series_of(rows, others):
    return {(row.series(), scenario(row, others)) for row in rows}


def split_by_scenario(operation, rows, others):
    """The panels of an operation as (title, rows, axes named with each line)."""
    can_split = all(axis in row.axes for row in rows for axis in others)
    if not others or not can_split or len(series_of(rows, others)) <= MOST_LINES:
        return [(operation, rows, others)]
    parts = {}
    for row in rows:
        parts.setdefault(scenario(row, others), []).append(row)
    return [(f"{operation}, {title}", part, []) for title, part in parts.items()]


def make_line_panels(rows, axis, others):
    """Panels of lines for each operation, and how many lie side by side."""
    operations = {row.operation: [] for row in rows if axis in row.axes}
    for row in rows:
        if row.operation in operations:
            operations[row.operation].append(row)
    parts = [part for operation, group in operations.items()
             for part in split_by_scenario(operation, group, others)
             if values_of(part[1], axis)]
    columns = min(2, len(parts))
    num_series = [len(series_of(group, named)) for _, group, named in parts]
    panels = []
    for number, (title, group, named) in enumerate(parts):
        first = number - number % columns
        key_lines = max(num_series[first:first + columns])
        script = line_panel(group, axis, named, title, key_lines)
        height = 420 if axis == "threads" else 320
        panels.append(Panel(script, 760, height + 20 * key_lines))
    return panels, columns


def most_points(rows, axis):
    """The most values of an axis that one structure has, all other axes being equal."""
    points = {}
    for row in rows:
        others = tuple((a, v) for a, v in row.axes.items() if a != axis)
        points.setdefault((row.operation, row.series(), row.keys, others), set()).add(
            row.axes.get(axis))
    return max(len(values) for values in points.values())


def make_panels(rows):
    """Lines where an axis gives a line at least three points, else bars."""
    axes = varying(rows)
    amounts = [axis for axis in axes if axis != "order"]
    longest = max(amounts, key=lambda axis: most_points(rows, axis), default=None)
    if longest is None or most_points(rows, longest) < 3:
        return make_bar_panels(rows, axes), 1
    return make_line_panels(rows, longest, [axis for axis in axes if axis != longest])


def make_script(rows, picture):
    panels, columns = make_panels(rows)
    width = panels[0].width * columns
    title = f"{{/:Bold hashmill-compare, {rows[0].unit}}}\n" + constants(rows)
    title_height = 60
    height = title_height + sum(panel.height for panel in panels[::columns])
    if picture.endswith(".svg"):
        terminal = f"svg enhanced size {width},{height} font 'DejaVu Sans,12' background 'white'"
    else:
        terminal = f"pngcairo enhanced size {width},{height} font 'DejaVu Sans,11'"
    lines = [
        f"set terminal {terminal}",
        f"set output {plain_string(picture)}",
        f"set multiplot title {quoted(title)} font ',12'",
    ]
    top = height - title_height
    for number, panel in enumerate(panels):
        column = number % columns
        if number and column == 0:
            top -= panels[number - columns].height
        lines += [
            "reset",
            f"set origin {column / columns},{(top - panel.height) / height}",
            f"set size {1 / columns},{panel.height / height}",
            "set border 3 linecolor rgb '#888888'",
            "set tics nomirror textcolor rgb '#222222'",
            "set style line 1 linecolor rgb '#dddddd'",
            panel.script,
        ]
    return "\n".join(lines + ["unset multiplot"]) + "\n"


def main():
    if len(sys.argv) != 3 or not sys.argv[2].endswith((".png", ".svg")):
        sys.exit(__doc__)
    rows = read_rows(sys.argv[1])
    if not rows:
        sys.exit(f"{sys.argv[1]}: no results to plot")
    try:
        script = make_script(rows, sys.argv[2])
        subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)
    except FileNotFoundError:
        sys.exit("gnuplot was not found: install it (Debian: gnuplot-nox)")
    except subprocess.CalledProcessError as error:
        sys.exit(f"gnuplot ended with {error.returncode}")


if __name__ == "__main__":
    main()
