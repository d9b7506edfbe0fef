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

import json
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing beside the sources
import plot_compression
import plot_distributed
from plot_bars import bar_figure
from plot_lines import line_figure
from plot_picture import MARGIN, make_script, plain, wrapped
from plot_rows import NO_AMOUNTS, constants, read_results, typical_points, varying

COMMANDS = {"compress": plot_compression, "distributed": plot_distributed}  # others have tables


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
    command = results["context"].get("hashmill_command")
    if command in COMMANDS:
        return COMMANDS[command].read_figure(results)
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
