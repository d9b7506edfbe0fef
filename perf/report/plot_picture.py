"""Pictures of plots below each other and side by side, as commands of gnuplot."""

import math
import re
import textwrap
from dataclasses import dataclass

CHARACTER, LINE = 7, 17  # pixels that text takes, at most
MARGIN = 20  # pixels around the picture
BAR = 19  # pixels from one bar to the next
LINE_COLUMNS = {1: 760, 2: 480, 3: 440}  # pixels of a panel, by how many lie side by side


@dataclass
class Plot:
    """Axes at a place of the picture, in pixels from its top left, and their gnuplot commands."""

    left: int
    top: int
    width: int
    height: int
    commands: list


@dataclass
class Figure:
    """Plots below each other and side by side, what explains them, and their size in pixels."""

    plots: list
    legend: list  # of (text, gnuplot style)
    notes: list
    width: int
    height: int


# Text


def string(text):
    """A gnuplot string."""
    for special, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(special, escaped)
    return f'"{text}"'


def plain(text):
    """Text that gnuplot shows as it is: underscores are no subscripts."""
    return re.sub(r"([\\_^@&~{}])", r"\\\1", text)


def amount(value):
    """Three digits and k, M or G."""
    value = float(f"{value:.3g}")
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def wrapped(parts, pixels):
    """Lines of at most `pixels`, which end between parts where they can."""
    text = ", ".join(part.replace(" ", "\u00a0") for part in parts)
    return textwrap.wrap(text, pixels // CHARACTER, break_on_hyphens=False)


def title_command(lines):
    return "set title " + string("\n".join(lines)) + " offset 0,-0.3"


# Axes


def round_steps(low, high):
    """1, 2, 5, 10, 20, ... from the last at or below `low` to the first at or above `high`, and
    closer ones where these are near each other."""
    digits = (1, 2, 5) if high > 4 * low else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [digit * 10.0**exponent for exponent in exponents for digit in digits]
    first = max(i for i, step in enumerate(steps) if step <= low * (1 + 1e-9))
    last = min(i for i, step in enumerate(steps) if step >= high * (1 - 1e-9))
    return steps[first:max(last, first + 1) + 1]


def ticks(values, labels, places, sizes, come_first):
    """gnuplot's list of ticks: every value has one, but no two labels touch; those of `come_first`
    are set before the others. Places and sizes are those of the labels, in pixels."""
    taken = {}
    for i in sorted(range(len(values)), key=lambda i: values[i] not in come_first):
        if all(abs(places[i] - places[j]) >= (sizes[i] + sizes[j]) / 2 for j in taken):
            taken[i] = labels[i]
    return "(" + ", ".join(f"{string(taken.get(i, ''))} {value}"
                           for i, value in enumerate(values)) + ")"


def width_of(label):
    return len(re.sub(r"[\^{}]", "", label)) * CHARACTER + 10


def rate_axis(letter, steps, high, pixels, size_of):
    """Commands for a logarithmic axis, x or y, from the first of the steps to `high`."""
    span = math.log10(high / steps[0])
    places = [pixels * math.log10(step / steps[0]) / span for step in steps]
    labels = [amount(step) for step in steps]
    powers = [step for step in steps if math.log10(step).is_integer()]
    tick_list = ticks(steps, labels, places, list(map(size_of, labels)), powers)
    return [f"set logscale {letter} 10", f"set {letter}tics {tick_list}",
            f"set {letter}range [{0.9999 * steps[0]}:{1.0001 * high}]"]  # or ends lose their tick


# The picture


def legend_plot(figure, top):
    """A plot of nothing but a key."""
    width = figure.width - 2 * MARGIN
    longest = max((len(text) for text, _ in figure.legend), default=0)
    columns = max(1, width // (80 + CHARACTER * longest))
    num_lines = math.ceil(len(figure.legend) / columns)
    entries = [f"NaN {style} title {string(plain(text))}" for text, style in figure.legend]
    return Plot(MARGIN, top, width, LINE * num_lines + 10, [
        "unset border", "unset tics", "set xrange [0:1]", "set yrange [0:1]",
        "set key at graph 0,1 left top Left reverse vertical samplen 4 "
        f"maxrows {max(1, num_lines)}",
        "plot " + ", ".join(entries or ["NaN notitle"]),
    ])


def plot_commands(plot, width, height):
    """Commands that draw a plot at its place of a picture of this size."""
    return [
        "reset",
        f"set lmargin at screen {plot.left / width}",
        f"set rmargin at screen {(plot.left + plot.width) / width}",
        f"set tmargin at screen {1 - plot.top / height}",
        f"set bmargin at screen {1 - (plot.top + plot.height) / height}",
        "set border 3 linecolor rgb '#888888'",
        "set tics nomirror textcolor rgb '#222222'",
        "set style line 1 linecolor rgb '#dddddd'",
        *plot.commands,
    ]


def make_script(figure, lines, picture):
    """gnuplot's commands for a figure below some lines of text."""
    legend = legend_plot(figure, MARGIN + LINE * len(lines))
    top = legend.top + legend.height
    width, height = figure.width, top + figure.height
    if picture.endswith(".svg"):
        terminal = f"svg enhanced size {width},{height} font 'DejaVu Sans,12' background 'white'"
    else:
        terminal = f"pngcairo enhanced size {width},{height} font 'DejaVu Sans,10'"
    commands = [f"set terminal {terminal}", f"set output {string(picture)}", "set multiplot"]
    for number, line in enumerate(lines):
        y = 1 - (MARGIN + LINE * number) / height
        legend.commands.insert(0, f"set label {string(line)} at screen {MARGIN / width},{y} left")
    for plot in figure.plots:
        plot.top += top
    for plot in [legend] + figure.plots:
        commands += plot_commands(plot, width, height)
    return "\n".join(commands + ["unset multiplot"]) + "\n"
