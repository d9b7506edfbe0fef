"""Bars side by side, for each value of the axes."""

import math

from plot_looks import OUR_BAR, PEER_BAR, look
from plot_picture import (BAR, CHARACTER, LINE, Figure, Plot, amount, plain, rate_axis,
                          round_steps, string, title_command, width_of, wrapped)
from plot_rows import distinct, phrases, rows_of, scenarios

BAR_COLUMNS = {1: 480, 2: 360, 3: 300, 4: 260}


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
