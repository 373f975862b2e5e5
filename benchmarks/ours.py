"""What this project does of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import cpu_count

from benchmarks.data import Arrays
from benchmarks.stopwatch import ALL, Stopwatch
from pytest_splitcheck import ClassSplit, Report, evaluate
from pytest_splitcheck.measure.neighbours import surviving_neighbours
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers


def splits(
    arrays: Arrays, watch: Stopwatch, *, detectors: Sequence[str], k: int = 10, **options: Any
) -> Arrays:
    """Measure the leakage, and every split with every detector.

    Returns
    -------
    dict
        ``leakage`` and, for each detector, ``auroc_*``, shape (K,), in the order of the classes.
    """
    X, y = arrays["X"].astype(np.float64, copy=False), arrays["y"]
    train = None
    if "X_train" in arrays:
        train = arrays["X_train"].astype(np.float64, copy=False), arrays["y_train"]
    with watch.part(ALL):
        report = evaluate(ClassSplit(X, y, train=train), k=k, detectors=detectors, **options)
    return found(report)


def found(report: Report) -> Arrays:
    """Return a report as arrays."""
    aurocs = {
        f"auroc_{name}": np.array([result.auroc[label] for label in report.classes])
        for name, result in report.detectors.items()
    }
    return {"leakage": np.array(report.leakage.value), **aurocs}


def self_neighbours(arrays: Arrays, watch: Stopwatch, *, k: int) -> Arrays:
    """Find the k nearest other rows of each row.

    Returns
    -------
    dict
        ``distance`` and ``index``, shape (n, k).
    """
    X = arrays["X"].astype(np.float64)
    with watch.part(ALL):
        rows = Rows(X)
        lists = surviving_neighbours(
            rows,
            np.zeros(len(X), np.intp),
            rows,
            k=k,
            removals=[()],
            workers=Workers(int(cpu_count())),
            own=np.arange(len(X)),
        )
    return {"distance": lists.distance[:, :k], "index": lists.index[:, :k]}
