"""What the row of sampled leakage does in processes of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import cpu_count

from benchmarks.data import Array, Arrays
from benchmarks.stopwatch import ALL, Stopwatch
from pytest_splitcheck import ClassSplit, evaluate
from pytest_splitcheck.measure.neighbours import surviving_neighbours
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers


def verdict(arrays: Arrays, watch: Stopwatch, *, limit: float) -> Arrays:
    """Measure the leakage from a sample.

    Returns
    -------
    dict
        ``queries``, and ``interval``, shape (2,).
    """
    X, y = arrays["X"].astype(np.float64), arrays["y"]
    options: dict[str, Any] = {
        "sampling": "always",
        "alpha": 0.001,
        "leakage_limits": (limit,),
    }
    with watch.part(ALL):
        leakage: Any = evaluate(ClassSplit(X, y), detectors=(), **options).leakage
    return {"queries": np.array(leakage.queries), "interval": np.array(leakage.interval)}


def shares_of_a_pass(
    arrays: Arrays, watch: Stopwatch, *, queries: list[int], part: int, k: int = 10
) -> Arrays:
    """Search the base with few and with more of its rows; do the same, and a full pass, on a part.

    Returns
    -------
    dict
        ``value`` and ``error``, the leakage of the queries and its standard error.
    """
    X, y = arrays["X"].astype(np.float64), arrays["y"]
    few, more = queries
    with watch.part(ALL):
        with watch.part("few"):
            _pointwise(X, y, few, k)
        with watch.part("more"):
            pointwise = _pointwise(X, y, more, k)
        with watch.part("part, few"):
            _pointwise(X[:part], y[:part], few, k)
        with watch.part("part, more"):
            _pointwise(X[:part], y[:part], min(more, part), k)
        with watch.part("part, all"):
            evaluate(ClassSplit(X[:part], y[:part]), k=k, detectors=(), sampling="never")
    return {
        "value": pointwise.mean(),
        "error": np.array(pointwise.std() / len(pointwise) ** 0.5),
    }


def _pointwise(X: Array, y: Array, n_queries: int, k: int) -> Array:
    chosen = np.random.default_rng(0).choice(len(X), n_queries, replace=False)
    rows = Rows(X)
    lists = surviving_neighbours(
        rows,
        np.zeros(len(X), np.intp),
        rows.subset(chosen),
        k=k,
        removals=[()],
        workers=Workers(int(cpu_count())),
        own=chosen,
    )
    differs = y[lists.index[:, :k]] != y[chosen][:, None]
    return np.asarray(differs.mean(axis=1))
