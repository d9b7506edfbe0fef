#!/usr/bin/env python3
"""Draws the JSON of hashmill-compare as a PNG or SVG picture, through gnuplot.

usage: plot_compare.py RESULTS.json PICTURE.{png,svg}

Where an axis (n, fill, hit rate, ...) gives most structures three points or more, each operation
that depends on it gets a panel of lines over that axis for each value of the other axes. A
structure that does not depend on the axis is a level line without points. Over threads, a dotted
line shows the fastest first point times the threads. Otherwise there are bars, side by side for
each value of the other axes.

A structure has the same colour and point in every panel of every picture. Peers, the tables of
other people, have broken lines and open points, or pale bars.
"""

import collections
import json
import math
import statistics
import subprocess
import sys
from dataclasses import dataclass

sys.dont_write_bytecode = True  # nothing beside the sources
import plot_distributed
from plot_looks import IDEAL_STYLE, OUR_BAR, PEER_BAR, look
from plot_picture import (BAR, CHARACTER, LINE, LINE_COLUMNS, MARGIN, Figure, Plot, amount,
                          make_script, plain, rate_axis, round_steps, string, ticks,
                          title_command, width_of, wrapped)

RATES = {
    "Gkeys_per_second": "keys/s",
    "Gtuples_per_second": "tuples/s",
    "Grows_per_second": "rows/s",
}
AXES = {  # what stands below the axis, and how a title names a value of it
    "backend": ("backend", "{}"),
    "threads": ("threads", "threads {}"),
    "num_keys": ("n", "n = {}"),
    "num_groups": ("groups", "{} groups"),
    "key_bits": ("bits of a key", "{}-bit keys"),
    "order": ("order of keys", "{} keys"),
    "columns": ("columns of a key", "{}"),
    "multiplicity": ("multiplicity", "multiplicity {}"),
    "load_factor": ("load factor", "load factor {}"),
    "fill": ("share of slots in use", "fill {}"),
    "bins": ("bins", "{} bins"),
    "hit_rate": ("hit rate", "hit rate {}"),
    "ratio": ("left rows per right row", "{} left rows per right row"),
    "zipf": ("Zipf exponent", "Zipf exponent {}"),
    "kind": ("kind", "{} join"),
    "payload": ("payload", "payload {}"),
    "aggregates": ("aggregates", "{}"),
    "budget_percent": ("budget, % of the data", "budget of {} %"),
}
NAMES = {  # of values that are no amounts
    "order": dict(enumerate(["sequential", "random", "dense", "zipf", "drawn", "tpch"])),
    "columns": dict(enumerate(["integer keys", "keys of two columns", "string keys",
                               "keys with nulls"])),
    "bins": {0: "automatic"},
    "kind": dict(enumerate(["inner", "left", "right", "full"])),
    "payload": {0: "count", 1: "rows", 4: "4 bytes", 8: "8 bytes", 16: "16 bytes"},
    "aggregates": dict(enumerate(["count only", "sum and count", "all aggregates"])),
}
NO_AMOUNTS = ("backend", "order", "columns", "kind", "payload", "aggregates")
LOGARITHMIC = ("threads", "num_keys", "num_groups", "multiplicity", "load_factor", "bins", "ratio",
               "budget_percent")
COUNTS = ("num_keys", "num_groups")

BAR_COLUMNS = {1: 480, 2: 360, 3: 300, 4: 260}


@dataclass
class Row:
    """One line of the table: its labels, the values of its axes and its rate in items a second."""

    operation: str
    structure: str
    keys: str
    axes: dict
    rate: float
    unit: str
    is_peer: bool


def read_results(results):
    """The rows of a result file, medians where there are any, and the device of each backend."""
    runs = [run for run in results["benchmarks"] if not run.get("error_occurred") and rate_of(run)]
    medians = {run["run_name"]: run for run in runs if run.get("aggregate_name") == "median"}
    rows = {run["run_name"]: make_row(medians.get(run["run_name"], run)) for run in runs}
    devices = {row.axes["backend"]: results["context"].get(f"{row.axes['backend']}_device")
               for row in rows.values()}
    return list(rows.values()), devices


def rate_of(run):
    """The counter that holds the rate of a run."""
    return next((rate for rate in RATES if rate in run), None)


def make_row(run):
    operation, structure, _, keys = run["label"].split(" | ")
    axes = {axis: run[axis] for axis in AXES if axis in run}
    axes["backend"] = run["run_name"].split("/")[1]
    if "/threads:" not in run["run_name"]:
        axes.pop("threads", None)  # Google Benchmark's own, which are always 1
    rate = rate_of(run)
    return Row(operation, structure, keys, axes, run[rate] * 1e9, RATES[rate],
               bool(run.get("is_peer")))


# Text


def shown(axis, value):
    """An axis value as people write it."""
    if axis == "backend":
        return plain(value)
    if value in NAMES.get(axis, {}):
        return NAMES[axis][value]
    if axis in COUNTS and value >= 1024 and math.log2(value).is_integer():
        return f"2^{{{int(math.log2(value))}}}"
    return amount(value)


def phrases(axes):
    return [AXES[axis][1].format(shown(axis, value)) for axis, value in axes.items()]


# Colours and points


def line_style(row, has_points=True):
    color, point = look(row.structure, row.is_peer)
    points = f"linespoints pointtype {point} pointsize 0.9" if has_points else "lines"
    dashes = "(12,5)" if row.is_peer else "1"
    return f"with {points} linecolor rgb '{color}' linewidth 1.8 dashtype {dashes}"


def distinct(rows):
    """A row of each structure, ours before peers."""
    return sorted({row.structure: row for row in reversed(rows)}.values(),
                  key=lambda row: (row.is_peer, rows.index(row)))


# Axes and scenarios


def values_of(rows, axis):
    return sorted({row.axes[axis] for row in rows if axis in row.axes})


def varying(rows):
    return [axis for axis in AXES if len(values_of(rows, axis)) > 1]


def constants(rows):
    """What holds for all rows, for the title."""
    axes = {axis: values_of(rows, axis) for axis in AXES if axis != "backend"}
    parts = phrases({axis: values[0] for axis, values in axes.items() if len(values) == 1})
    files = {plain(row.keys) for row in rows if "order" not in row.axes}
    return parts + sorted(files)


def scenario_of(row, axes):
    return {axis: row.axes[axis] for axis in axes if axis in row.axes}


def scenarios(rows, axes):
    """The combinations of values, in the order of the rows, without those that are a part of
    another: rows that depend on fewer axes belong to several."""
    found = []
    for row in rows:
        if scenario_of(row, axes) not in found:
            found.append(scenario_of(row, axes))
    return [a for a in found if not any(a.items() < b.items() for b in found)]


def rows_of(rows, scenario, axes):
    return [row for row in rows if scenario_of(row, axes).items() <= scenario.items()]


def typical_points(rows, axis):
    """The median of how many values of an axis the lines over it have."""
    lines = {}
    for row in rows:
        if axis in row.axes:
            others = tuple((a, v) for a, v in row.axes.items() if a != axis)
            lines.setdefault((row.operation, row.structure, others), set()).add(row.axes[axis])
    return statistics.median_low([len(values) for values in lines.values()])


def x_axis(axis, values, width):
    """Commands for an axis that begins and ends a little beyond its values."""
    is_logarithmic = axis in LOGARITHMIC and values[0] > 0
    scaled = [math.log2(value) for value in values] if is_logarithmic else values
    margin = 0.03 * (scaled[-1] - scaled[0]) or 0.5
    low, high = scaled[0] - margin, scaled[-1] + margin
    places = [width * (value - low) / (high - low) for value in scaled]
    if is_logarithmic:
        low, high = 2.0**low, 2.0**high
    labels = [shown(axis, value) for value in values]
    tick_list = ticks(values, labels, places, list(map(width_of, labels)), (values[0], values[-1]))
    return ["set logscale x 2" if is_logarithmic else "unset logscale x",
            f"set xrange [{low}:{high}]", f"set xtics {tick_list}",
            f"set xlabel {string(AXES[axis][0])}"]


# Lines


def ideal_line(rows):
    """The ends of a line in proportion to threads, from the fastest of the fewest threads that
    runs on the most too."""
    threads = values_of(rows, "threads")
    scaled = [row.structure for row in rows if row.axes.get("threads") == threads[-1]]
    first = max((row.rate for row in rows if row.axes.get("threads") == threads[0]
                 and row.structure in scaled), default=rows[0].rate)
    return [(threads[0], first), (threads[-1], first * threads[-1] / threads[0])]


def line_plots(rows, axis):
    """Commands that draw a line for each structure of a panel."""
    blocks, plots = [], []
    ends = values_of(rows, axis)[0], values_of(rows, axis)[-1]

    def add(points, style):
        name = f"$line{len(plots)}"
        blocks.extend([f"{name} << END", *(f"{x} {y}" for x, y in points), "END"])
        plots.append(f"{name} using 1:2 {style} notitle")

    if axis == "threads":
        add(ideal_line(rows), IDEAL_STYLE)
    for one in reversed(distinct(rows)):  # ours on top
        group = [row for row in rows if row.structure == one.structure]
        points = sorted((row.axes[axis], row.rate) for row in group if axis in row.axes)
        if points:
            add(points, line_style(one))
        for row in group:
            if axis not in row.axes:
                add([(x, row.rate) for x in ends], line_style(row, has_points=False))
    return blocks + ["plot " + ", ".join(plots)]


def line_panels(rows, axis, others):
    """The panels as (operation, scenario, rows)."""
    panels = []
    for operation in dict.fromkeys(row.operation for row in rows):
        group = [row for row in rows if row.operation == operation]
        for scenario in scenarios(group, others):
            part = rows_of(group, scenario, others)
            if values_of(part, axis):
                panels.append((operation, scenario, part))
    return panels


def line_columns(panels, others):
    """How many panels lie side by side, where each operation with `others` begins a line."""
    per_operation = collections.Counter(operation for operation, _, _ in panels)
    return {1: 1, 2: 2, 4: 2}.get(max(per_operation.values()) if others else len(panels), 3)


def rates_like(panel, panels, axis):
    """The rates of all panels of the same operation and backend, which share a rate axis."""
    operation, scenario, _ = panel
    alike = [rows for other_operation, other, rows in panels
             if (other_operation, other.get("backend")) == (operation, scenario.get("backend"))]
    rates = [row.rate for rows in alike for row in rows]
    if axis == "threads":
        rates += [rate for rows in alike for _, rate in ideal_line(rows)]
    return rates


def line_figure(rows, axis, others):
    panels = line_panels(rows, axis, others)
    columns = line_columns(panels, others)
    width, height, left, bottom = LINE_COLUMNS[columns], 260, 80, 62
    titles = [[f"{{/:Bold {plain(operation)}}}"] + wrapped(phrases(scenario), width)
              for operation, scenario, _ in panels]
    above = LINE * max(map(len, titles)) + 12
    plots, column, top = [], 0, above
    for i, (operation, _, part) in enumerate(panels):
        is_new_operation = operation != panels[i - 1][0]
        if column == columns or (column > 0 and others and is_new_operation):
            column, top = 0, top + height + bottom + above
        rates = rates_like(panels[i], panels, axis)
        steps = round_steps(min(rates), max(rates))
        plots.append(Plot(left + column * (width + left), top, width, height, [
            title_command(titles[i]),
            "set grid linestyle 1",
            f"set ylabel {string(rows[0].unit if column == 0 else '')} offset -1,0",
            *x_axis(axis, values_of(part, axis), width),
            *rate_axis("y", steps, steps[-1], height, lambda label: LINE),
            *line_plots(part, axis),
        ]))
        column += 1
    drawn = [row for _, _, part in panels for row in part]
    legend = [(row.structure, line_style(row)) for row in distinct(drawn)]
    if axis == "threads":
        legend.append(("in proportion to threads", IDEAL_STYLE))
    notes = ["broken lines: peers"] if any(row.is_peer for row in drawn) else []
    if any(axis not in row.axes for row in drawn):
        automatic = ", or have automatic ones" if axis == "bins" else ""
        notes.append(f"lines without points do not depend on the {AXES[axis][0]}{automatic}")
    return Figure(plots, legend, notes, columns * (width + left) + MARGIN, top + height + bottom)


# Bars


def bar_lines(rows):
    """The lines of a bar chart from the top: (operation, structure), or (operation, None)."""
    lines = []
    for operation in dict.fromkeys(row.operation for row in rows):
        group = [row for row in rows if row.operation == operation]
        lines += [(operation, None)] + [(operation, row.structure) for row in distinct(group)]
    return lines


def bar_labels(lines):
    texts = [plain(name) if name else f"{{/:Bold {plain(operation)}}}" for operation, name in lines]
    return ", ".join(f"{string(text)} {number + 0.5}" for number, text in enumerate(texts))


def bar_plot(rows, lines, steps, width):
    """Commands for the bars of one scenario."""
    high = steps[-1] * (steps[-1] / steps[0]) ** (50 / (width - 50))  # room for the last value
    commands, plots = [], []
    for name, style, is_peer in (("$ours", OUR_BAR, False), ("$peers", PEER_BAR, True)):
        data = []
        for row in rows:
            place = lines.index((row.operation, row.structure)) + 0.5
            color = int(look(row.structure, row.is_peer)[0][1:], 16)
            if row.is_peer == is_peer:
                data.append(f"{row.rate} {place} {steps[0]} {row.rate} {place - 0.36} "
                            f"{place + 0.36} {color} {string(amount(row.rate))}")
        if data:
            commands += [f"{name} << END", *data, "END"]
            plots += [f"{name} using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable {style}"
                      " notitle",
                      f"{name} using 1:2:8 with labels left offset 0.5,0 font ',9' notitle"]
    return commands + rate_axis("x", steps, high, width, width_of) + [
        f"set yrange [{len(lines)}:0]", f"set xlabel {string(rows[0].unit)}",
        "set grid xtics linestyle 1", "plot " + ", ".join(plots),
    ]


def bar_blocks(rows, axes):
    """Operations that depend on the same axes, with the rows of each scenario, side by side."""
    blocks = []
    for operation in dict.fromkeys(row.operation for row in rows):
        group = [row for row in rows if row.operation == operation]
        found = scenarios(group, axes)
        if not blocks or blocks[-1][0] != found:
            blocks.append((found, []))
        blocks[-1][1].extend(group)
    for found, group in blocks:
        num_lines = math.ceil(len(found) / max(BAR_COLUMNS))
        across = math.ceil(len(found) / num_lines)
        for first in range(0, len(found), across):
            yield [(scenario, rows_of(group, scenario, axes))
                   for scenario in found[first:first + across]]


def bar_figure(rows, axes):
    name_bins(rows)
    blocks = list(bar_blocks(rows, axes))
    across = max(map(len, blocks))
    width = BAR_COLUMNS[across]
    left = 30 + CHARACTER * max(len(row.structure) for row in rows)
    steps = round_steps(min(row.rate for row in rows) / 1.2, max(row.rate for row in rows))
    plots, top = [], 0
    for block in blocks:
        lines = bar_lines([row for _, part in block for row in part])
        titles = [wrapped(phrases(scenario), width) for scenario, _ in block]
        top += LINE * max(map(len, titles)) + 10
        for number, ((_, part), title) in enumerate(zip(block, titles)):
            labels = f"set ytics ({bar_labels(lines)}) scale 0" if number == 0 else "unset ytics"
            plots.append(Plot(
                left + number * (width + 15), top, width, BAR * len(lines),
                [title_command(title), labels, *bar_plot(part, lines, steps, width)]))
        top += BAR * len(lines) + 60
    legend = []
    if any(row.is_peer for row in rows):
        legend = [("Hashmill", f"with boxes linecolor rgb '#444444' {OUR_BAR}"),
                  ("peers", f"with boxes linecolor rgb '#444444' {PEER_BAR}")]
    is_repeated = sum(len(part) for block in blocks for _, part in block) > len(rows)
    notes = ["bars are repeated where they do not depend on a value"] if is_repeated else []
    return Figure(plots, legend, notes, left + across * (width + 15), top)


def name_bins(rows):
    """Tells tables of automatic bins, which have no counter, from those of given bins."""
    given = {(row.operation, row.structure) for row in rows if "bins" in row.axes}
    for row in rows:
        if (row.operation, row.structure) in given:
            row.axes.setdefault("bins", 0)


# The picture


def make_figure(rows):
    """Lines where an axis gives most of them three points or more, else bars."""
    axes = varying(rows)
    amounts = [axis for axis in axes if axis not in NO_AMOUNTS]
    longest = max(amounts, key=lambda axis: typical_points(rows, axis), default=None)
    if longest is None or typical_points(rows, longest) < 3:
        return bar_figure(rows, axes)
    return line_figure(rows, longest, [axis for axis in axes if axis != longest])


def header_lines(figure, rows, devices):
    """The title, what holds for all rows, and what ran where."""
    width = figure.width - 2 * MARGIN
    on = [plain(f"{backend}: {device or 'unknown'}") for backend, device in devices.items()]
    return [f"{{/:Bold hashmill-compare, {rows[0].unit}}}", *wrapped(constants(rows), width),
            *wrapped(on, width), *wrapped(figure.notes, width)]


def read_figure(path):
    """The figure of a result file, and the lines above it."""
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    if not results.get("benchmarks"):
        sys.exit(f"{path}: no results to plot")
    if results["context"].get("hashmill_command") == "distributed":
        return plot_distributed.read_figure(results)
    rows, devices = read_results(results)
    if not rows:
        sys.exit(f"{path}: no results to plot")
    figure = make_figure(rows)
    return figure, header_lines(figure, rows, devices)


def main():
    if len(sys.argv) != 3 or not sys.argv[2].endswith((".png", ".svg")):
        sys.exit(__doc__)
    figure, lines = read_figure(sys.argv[1])
    try:
        script = make_script(figure, lines, sys.argv[2])
        # A picture whose file cannot be opened goes to the standard output.
        subprocess.run(["gnuplot", "-"], input=script, text=True, check=True,
                       stdout=subprocess.DEVNULL)
    except FileNotFoundError:
        sys.exit("gnuplot was not found: install it (Debian: gnuplot-nox)")
    except subprocess.CalledProcessError as error:
        sys.exit(f"gnuplot ended with {error.returncode}")


if __name__ == "__main__":
    main()
