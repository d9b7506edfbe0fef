"""Rows of a table of hashmill-compare: how they are named, and the axes along which they differ."""

import math
import statistics
from dataclasses import dataclass

from plot_picture import amount, plain

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
