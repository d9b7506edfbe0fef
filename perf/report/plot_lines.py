"""Panels of lines over an axis: one for each operation and value of the other axes."""

import collections
import math

from plot_looks import IDEAL_STYLE, look
from plot_picture import (LINE, LINE_COLUMNS, MARGIN, Figure, Plot, plain, rate_axis, round_steps,
                          string, ticks, title_command, width_of, wrapped)
from plot_rows import (AXES, LOGARITHMIC, distinct, phrases, rows_of, scenarios, shown, values_of)


def line_style(row, has_points=True):
    color, point = look(row.structure, row.is_peer)
    points = f"linespoints pointtype {point} pointsize 0.9" if has_points else "lines"
    dashes = "(12,5)" if row.is_peer else "1"
    return f"with {points} linecolor rgb '{color}' linewidth 1.8 dashtype {dashes}"


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
