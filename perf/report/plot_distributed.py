"""Draws the JSON of hashmill-compare distributed: scaling over ranks, and phases as stacked bars.

Each operation has a panel of lines over the number of ranks, of all ranks' rows or bytes per
second. A dotted line is in proportion to ranks, from the fastest on the fewest. Below are the
phases of each row that has them, in milliseconds.
"""

from dataclasses import dataclass

from plot_looks import IDEAL_STYLE, OUR_BAR, OUR_COLORS, PEER_COLORS, look
from plot_picture import (BAR, CHARACTER, LINE, LINE_COLUMNS, MARGIN, Figure, Plot, amount, plain,
                          rate_axis, round_steps, string, title_command, wrapped)

PHASE = "seconds of "
PHASES = ("count bins", "add bins", "filter", "partition", "exchange sizes", "exchange rows",
          "build", "look up", "join", "gather", "group", "put answers",
          "other")  # in the order of the bars
PHASE_WIDTH = 480  # pixels of the longest bar


@dataclass
class Row:
    """A line of the table: its labels, ranks, rate of all ranks and seconds of its phases."""

    operation: str
    name: str
    keys: str
    ranks: int
    rate: float
    unit: str
    phases: dict
    is_own: bool  # of the transport, the link or one rank


def read_rows(results):
    """The medians of a result file."""
    medians = [run for run in results["benchmarks"] if run.get("aggregate_name") == "median"]
    return [make_row(run) for run in medians]


def make_row(run):
    operation, name, keys, _ = run["label"].split(" | ")
    has_rows = run["rows_per_rank"] > 0
    rate = run["Mrows_per_second_per_rank"] * 1e6 if has_rows else run["GB_per_second"] * 1e9
    if not keys and not has_rows:
        keys = f"{amount(run['bytes_per_rank'])}B per rank"
    phases = {name: run[PHASE + name] for name in PHASES if run.get(PHASE + name, 0) > 0}
    is_whole = name == "HashGraph of all rows on a rank"
    return Row(operation, name, keys, int(run["ranks"]), rate * (1 if is_whole else run["ranks"]),
               "rows/s" if has_rows else "B/s", phases,
               not name.startswith(("Distributed", "distributed", "shuffle", "Communicator")))


# Scaling


def panels_of(rows):
    """The rows of each operation and keys that have a rate."""
    panels = {}
    for row in rows:
        if row.rate > 0:
            panels.setdefault((row.operation, row.keys), []).append(row)
    return panels


def rank_axis(ranks):
    """Commands for an axis of numbers of ranks, each of which has a tick."""
    low, high = ranks[0] / 1.2, ranks[-1] * 1.2
    ticks = ", ".join(f"{string(str(number))} {number}" for number in ranks)
    return ["set logscale x 2", f"set xrange [{low}:{high}]", f"set xtics ({ticks})",
            f"set xlabel {string('ranks')}"]


def ideal_line(rows):
    """The ends of a line in proportion to ranks, from the fastest of ours on the fewest."""
    ranks = sorted({row.ranks for row in rows})
    ours = [row.rate for row in rows if row.ranks == ranks[0] and not row.is_own]
    first = max(ours or [row.rate for row in rows if row.ranks == ranks[0]])
    return [(ranks[0], first), (ranks[-1], first * ranks[-1] / ranks[0])]


def style_of(row):
    color, point = look(row.name, row.is_own)
    dashes = "(12,5)" if row.is_own else "1"
    return (f"with linespoints pointtype {point} pointsize 0.9 linecolor rgb '{color}' "
            f"linewidth 1.8 dashtype {dashes}")


def distinct(rows):
    """A row of each name, ours first."""
    return sorted({row.name: row for row in reversed(rows)}.values(),
                  key=lambda row: (row.is_own, rows.index(row)))


def line_commands(rows):
    blocks, plots = [], []

    def add(points, style):
        name = f"$line{len(plots)}"
        blocks.extend([f"{name} << END", *(f"{x} {y}" for x, y in points), "END"])
        plots.append(f"{name} using 1:2 {style} notitle")

    add(ideal_line(rows), IDEAL_STYLE)
    for one in reversed(distinct(rows)):  # ours on top
        add(sorted((row.ranks, row.rate) for row in rows if row.name == one.name), style_of(one))
    return blocks + ["plot " + ", ".join(plots)]


def scaling_plots(rows, top):
    """Panels side by side, and where they end."""
    panels = panels_of(rows)
    columns = min(3, len(panels)) or 1
    width, height, left, bottom = LINE_COLUMNS[columns], 240, 80, 62
    above = 2 * LINE + 12
    plots = []
    for i, ((operation, keys), part) in enumerate(panels.items()):
        rates = [row.rate for row in part] + [rate for _, rate in ideal_line(part)]
        steps = round_steps(min(rates), max(rates))
        plots.append(Plot(
            left + i % columns * (width + left),
            top + above + i // columns * (height + bottom + above), width, height,
            [title_command([f"{{/:Bold {plain(operation)}}}", plain(keys)]),
             "set grid linestyle 1", f"set ylabel {string(part[0].unit)} offset -1,0",
             *rank_axis(sorted({row.ranks for row in part})),
             *rate_axis("y", steps, steps[-1], height, lambda label: LINE), *line_commands(part)]))
    end = max((plot.top + height + bottom for plot in plots), default=top)
    return plots, end, columns * (width + left) + MARGIN


# Phases


def phase_colors(rows):
    """A colour for each phase, in the order of the table."""
    colors = list(OUR_COLORS.values()) + list(PEER_COLORS.values())
    return {name: color for name, color in zip(PHASES, colors)
            if any(name in row.phases for row in rows)}


def phase_plot(rows, colors, top):
    """Stacked bars, one for each row, from the top."""
    labels = [f"{row.operation}, {row.name}, {row.keys}, ranks: {row.ranks}" for row in rows]
    left = 30 + CHARACTER * max(map(len, labels))
    longest = 1e3 * max(sum(row.phases.values()) for row in rows)
    commands, plots = [], []
    for number, (name, color) in enumerate(colors.items()):
        boxes = []
        for place, row in enumerate(rows):
            before = list(row.phases)
            if name in before:
                begin = 1e3 * sum(row.phases[other] for other in before[:before.index(name)])
                end = begin + 1e3 * row.phases[name]
                boxes.append(f"{begin} {place + 0.5} {begin} {end} {place + 0.14} {place + 0.86}")
        commands += [f"$phase{number} << END", *boxes, "END"]
        plots.append(f"$phase{number} using 1:2:3:4:5:6 with boxxyerror linecolor rgb '{color}' "
                     f"{OUR_BAR} notitle")
    ticks = ", ".join(f"{string(plain(label))} {i + 0.5}" for i, label in enumerate(labels))
    return Plot(left, top + LINE + 12, PHASE_WIDTH, BAR * len(rows), [
        title_command(["{/:Bold phases}"]), f"set ytics ({ticks}) scale 0",
        f"set yrange [{len(rows)}:0]", f"set xrange [0:{1.02 * longest}]",
        f"set xlabel {string('ms, means of all ranks')}", "set grid xtics linestyle 1",
        *commands, "plot " + ", ".join(plots)])


def make_figure(rows):
    plots, top, width = scaling_plots(rows, 0)
    legend = [(row.name, style_of(row)) for row in distinct([row for row in rows if row.rate > 0])]
    legend.append(("in proportion to ranks", IDEAL_STYLE))
    phased = [row for row in rows if row.phases]
    if phased:
        colors = phase_colors(phased)
        plots.append(phase_plot(phased, colors, top))
        top += LINE + 12 + BAR * len(phased) + 60
        width = max(width, plots[-1].left + PHASE_WIDTH + MARGIN)
        legend += [(name, f"with boxes linecolor rgb '{color}' {OUR_BAR}")
                   for name, color in colors.items()]
    return Figure(plots, legend, [], width, top)


def read_figure(results):
    """The figure of a result file's content, and the lines above it."""
    figure = make_figure(read_rows(results))
    commit = plain(results["context"].get("hashmill_git_hash", ""))
    note = "rates of all ranks; broken lines: the transport's own, the link, or one rank"
    return figure, ["{/:Bold hashmill-compare distributed}",
                    *wrapped([commit, note], figure.width - 2 * MARGIN)]
