"""Draws the JSON of hashmill-compare compress: the ratio and the speeds of each scheme.

Each column of values has a panel. Its bars are the gigabytes of values per second that a scheme
compresses and decompresses, beside what a copy reads and writes.
"""

from dataclasses import dataclass

from plot_looks import IDEAL_STYLE, OUR_BAR, OUR_COLORS
from plot_picture import (BAR, CHARACTER, LINE, MARGIN, Figure, Plot, plain, string, title_command,
                          wrapped)

WAYS = {"compress": OUR_COLORS["blue"], "decompress": OUR_COLORS["sky"]}
PANELS, WIDTH = 3, 300  # side by side; pixels of one


@dataclass
class Row:
    """A column under one scheme; speeds in bytes of values per second."""

    column: str
    backend: str
    scheme: str
    ratio: float
    is_chosen: bool
    speeds: dict
    copy: float


def make_row(run):
    column, backend, scheme = run["label"].split(" | ")
    speeds = {"compress": run["encode_GB_per_second"], "decompress": run["decode_GB_per_second"]}
    return Row(column, backend, scheme, run["value_bytes"] / run["frame_bytes"],
               run["is_chosen"] != 0, speeds, run["copy_GB_per_second"])


def panels_of(rows):
    """The rows of each column on each backend."""
    panels = {}
    for row in rows:
        panels.setdefault((row.column, row.backend), []).append(row)
    return panels


def label_of(row):
    """The name of a scheme and its ratio, in bold where the sample chose it."""
    text = plain(f"{row.scheme} {row.ratio:.2f}")
    return f"{{/:Bold {text}}}" if row.is_chosen else text


def bar_commands(rows):
    """Two bars for each row, one below the other, and a line where a copy would end."""
    blocks, plots = [], []
    for number, (way, color) in enumerate(WAYS.items()):
        bars = []
        for place, row in enumerate(rows):
            top = place + 0.12 + 0.38 * number
            speed = row.speeds[way]
            bars.append(f"{speed} {top + 0.19} 0 {speed} {top} {top + 0.38}")
        blocks += [f"$bars{number} << END", *bars, "END"]
        plots.append(f"$bars{number} using 1:2:3:4:5:6 with boxxyerror linecolor rgb '{color}' "
                     f"{OUR_BAR} notitle")
    blocks += ["$copy << END", f"{rows[0].copy} 0", f"{rows[0].copy} {len(rows)}", "END"]
    return blocks + ["plot " + ", ".join([*plots, f"$copy using 1:2 {IDEAL_STYLE} notitle"])]


def make_plot(place, rows, left, top):
    longest = max([row.copy for row in rows] + [max(row.speeds.values()) for row in rows])
    tick_list = ", ".join(f"{string(label_of(row))} {i + 0.5}" for i, row in enumerate(rows))
    return Plot(left, top, WIDTH, 2 * BAR * len(rows), [
        title_command([" on ".join((f"{{/:Bold {plain(place[0])}}}", plain(place[1])))]),
        f"set ytics ({tick_list}) scale 0", f"set yrange [{len(rows)}:0]",
        f"set xrange [0:{1.05 * longest}]", f"set xlabel {string('GB of values/s')}",
        "set grid xtics linestyle 1", *bar_commands(rows)])


def make_figure(rows):
    panels = panels_of(rows)
    across = min(PANELS, len(panels))
    left = 40 + CHARACTER * max(len(f"{row.scheme} {row.ratio:.2f}") for row in rows)
    above, below = LINE + 12, 60
    height = above + below + 2 * BAR * max(map(len, panels.values()))
    plots = [make_plot(place, part, left + i % across * (WIDTH + left), above + i // across * height)
             for i, (place, part) in enumerate(panels.items())]
    legend = [(way, f"with boxes linecolor rgb '{color}' {OUR_BAR}")
              for way, color in WAYS.items()] + [("copy", IDEAL_STYLE)]
    return Figure(plots, legend, [], across * (WIDTH + left) + MARGIN,
                  -(-len(panels) // across) * height)


def read_figure(results):
    """The figure of a result file's content, and the lines above it."""
    figure = make_figure([make_row(run) for run in results["benchmarks"]])
    commit = plain(results["context"].get("hashmill_git_hash", ""))
    note = "names with ratios, bold: chosen by the sample; dotted: a copy, which reads and writes"
    return figure, ["{/:Bold hashmill-compare compress}",
                    *wrapped([commit, note], figure.width - 2 * MARGIN)]
