"""What the tests of traps share: which rows are neighbours, as a whole measurement has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytest_splitcheck import ClassSplit, evaluate


def neighbours(X: Any, k: int, **options: Any) -> list[set[int]]:
    """Return the rows that fill the neighbour slots of each row: each is a class of its own."""
    split = ClassSplit(X, range(len(X)), folds=2, **options)
    matrix = evaluate(split, k=k, detectors=()).leakage.matrix
    return [set(np.flatnonzero(row).tolist()) for row in matrix]
