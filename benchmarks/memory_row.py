"""How much memory a measurement takes beyond its data, against the budget that it is given."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks import data, ours
from benchmarks.data import Arrays
from benchmarks.harness import Contender, compete
from benchmarks.outcome import Figure, Line, Outcome
from benchmarks.split_rows import EVERY_DETECTOR, few_rows
from benchmarks.stopwatch import Stopwatch

MIB = 2**20
_PROCESS = 256 * MIB
"""What a process takes beside arrays: stacks of threads, work areas of BLAS, compiled code."""


def memory(short: bool) -> Outcome:
    """Trace the peak of an evaluation with the default budget and with a small one."""
    n_train, n, d = (1_000, 1_000, 64) if short else (40_000, 10_000, 512)
    arrays = data.cluster_split(n_train, n, n_classes=10, d=d, spread=0.3)
    for name in ("X_train", "X"):  # so that no copy in float64 is counted
        arrays[name] = arrays[name].astype(np.float64)
    outcome = Outcome()
    for budget in (1024 * MIB, (64 if short else 256) * MIB):
        _measure(outcome, arrays, budget)
    return outcome


def _measure(outcome: Outcome, arrays: Arrays, budget: int) -> None:
    contender = Contender(
        name="ours, traced",
        call="benchmarks.memory_row:traced_splits",
        options={"detectors": EVERY_DETECTOR, "seeds": [0], "memory": budget / 2**30},
    )
    (run,) = compete([contender], arrays, few_rows(), rounds=1).by_name[contender.name]
    traced = int(run.arrays["peak"])
    (n_train, d), n = arrays["X_train"].shape, len(arrays["X"])
    work = (
        f"peak beyond the data, {n_train:,} + {n:,} rows of {d} values, budget {budget // MIB} MiB"
    )
    outcome.lines.append(
        Line(
            work=work,
            figure=Figure(value=traced / MIB, unit="MiB", wanted=budget / MIB, at_least=False),
            note=f"the process grew by {run.peak_bytes / MIB:,.0f} MiB",
        )
    )
    if traced > budget:
        outcome.complaints.append(f"{work}: {traced / MIB:,.0f} MiB were allocated.")
    if run.peak_bytes > budget + _PROCESS:
        outcome.complaints.append(
            f"{work}: the process grew by {run.peak_bytes / MIB:,.0f} MiB, more than the budget and "
            f"{_PROCESS // MIB} MiB for itself."
        )


def traced_splits(
    arrays: Arrays, watch: Stopwatch, *, detectors: Sequence[str], **options: Any
) -> Arrays:
    """Do `ours.splits` under a tracer, which sees what numpy allocates.

    Returns
    -------
    dict
        ``peak``, bytes beyond the arrays.
    """
    tracemalloc.start()
    ours.splits(arrays, watch, detectors=detectors, **options)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"peak": np.array(peak)}
