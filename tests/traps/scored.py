"""What the tests of traps share: given scores, put through a whole measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pytest_splitcheck import ClassSplit, Report, evaluate
from tests.builders import FirstColumn


def report_of(scores: Any, y: Sequence[Any], positive: Any, **options: Any) -> Report:
    """Return the report on a detector that gives the rows these scores; `positive` is held out."""
    rows = np.asarray(scores)[:, None]
    normal = next(label for label in y if label != positive)
    pool = np.full((1, 1), -1000.0), [normal]
    split = ClassSplit(rows, y, train=pool, held_out=[positive])
    return evaluate(split, k=1, detectors={"it": FirstColumn()}, **options)


def auroc_of(scores: Any, y: Sequence[Any], positive: Any) -> float:
    """Return the AUROC of these scores."""
    return report_of(scores, y, positive).detectors["it"].auroc[positive]
