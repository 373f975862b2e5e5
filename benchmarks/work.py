"""The rows of work by name, and how they are run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from joblib import cpu_count

from benchmarks.data import MissingDataError
from benchmarks.digits_row import digits
from benchmarks.environment import environment
from benchmarks.harness import BenchmarkError
from benchmarks.memory_row import memory
from benchmarks.neighbour_rows import self_cifar, self_fashion, self_gaussian
from benchmarks.outcome import Outcome
from benchmarks.sampled_row import sampled
from benchmarks.simulation import sampled_verdicts
from benchmarks.split_rows import fashion_10k, fashion_60k, many_classes

Row = Callable[[bool], Outcome]

ROWS: dict[str, Row] = {
    "fashion-10k": fashion_10k,
    "fashion-60k": fashion_60k,
    "many-classes": many_classes,
    "self-fashion": self_fashion,
    "self-cifar": self_cifar,
    "self-gaussian": self_gaussian,
    "sampled": sampled,
    "sampled-verdicts": sampled_verdicts,
    "digits": digits,
    "memory": memory,
}


def run(rows: Mapping[str, Row], *, short: bool) -> dict[str, Outcome]:
    """Run rows one after the other, in the short form side by side, since no time counts there.

    Data that is missing, or an error of a contender, stops its own row only.
    """

    def outcome(name: str) -> Outcome:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            return rows[name](short)
        except MissingDataError as error:
            return Outcome(skipped=[str(error)])
        except BenchmarkError as error:
            return Outcome(complaints=[str(error)])

    with ThreadPoolExecutor(int(cpu_count()) if short else 1) as pool:
        return dict(zip(rows, pool.map(outcome, rows), strict=True))


def record(outcomes: Mapping[str, Outcome], *, short: bool) -> dict[str, Any]:
    """Return outcomes, and what they were measured on and with, as plain Python."""
    return {
        "environment": environment(),
        "short": short,
        "rows": {name: outcome.to_dict() for name, outcome in outcomes.items()},
    }


def chosen(names: Sequence[str]) -> dict[str, Row]:
    """Return the rows of these names, all of them by default."""
    return {name: ROWS[name] for name in names or ROWS}
