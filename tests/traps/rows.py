"""What the tests of traps share: which rows are neighbours, and how far, as a measurement has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytest_splitcheck import ClassSplit, evaluate


def neighbours(X: Any, k: int, **options: Any) -> list[set[int]]:
    """Return the rows that fill the neighbour slots of each row: each is a class of its own."""
    split = ClassSplit(X, range(len(X)), folds=2, **options)
    matrix = evaluate(split, k=k, detectors=()).leakage.matrix
    return [set(np.flatnonzero(row).tolist()) for row in matrix]


def knn_auroc(pool: float, normal: float, odd: float, dtype: str = "float64") -> float:
    """Return the AUROC of the distance to one row: 1 if `odd` is farther from it than `normal`."""
    X, train = np.array([[normal], [odd]], dtype=dtype), np.array([[pool]], dtype=dtype)
    split = ClassSplit(X, ["normal", "odd"], train=(train, ["normal"]), held_out=["odd"], folds=2)
    return evaluate(split, k=1, detectors=("knn",)).detectors["knn"].auroc["odd"]
