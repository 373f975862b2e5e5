"""Whether the training pool is on the scale of the evaluation set."""

from __future__ import annotations

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.measure.rows import Integers, Rows, common_exponent, squared_lengths

__all__ = ["pool_spread"]

_ROWS = 256
"""Rows of each class that are looked at: a spread is not wanted to more than some per cent."""

_FEWEST = 5
"""Rows of a class from which its spread means something."""


def pool_spread(benchmark: ClassSplit) -> float | None:
    """Return how widely the classes of the training pool are spread, against the evaluation set.

    The spread of a class is the median distance of its rows from their median, feature by feature, which no far
    row moves. What is returned is the median over the classes that have a few rows in both sets of the
    quotient of their spreads: about 1 for two samples of the same data. Class by class, since the sets may
    have classes in other shares, or anomalies far out in one alone. None without a training pool, with the
    cosine metric, to which scale is nothing, and where no class tells.
    """
    train = benchmark.train
    if train is None or benchmark.metric == "cosine":
        return None
    pool, rows = Rows(train.X), Rows(benchmark.X)
    exponents = common_exponent(pool), common_exponent(rows)
    pool, rows = pool.scaled(exponents[0]), rows.scaled(exponents[1])
    quotients = []
    for code in range(len(benchmark.classes)):
        spread = _spread(pool, np.flatnonzero(train.codes == code))
        wanted = _spread(rows, np.flatnonzero(benchmark.codes == code))
        if spread is not None and wanted:
            quotients.append(spread / wanted)
    if not quotients:
        return None
    return float(np.ldexp(np.median(quotients), exponents[0] - exponents[1]))


def _spread(rows: Rows, members: Integers) -> float | None:
    if len(members) < _FEWEST:
        return None
    chosen = np.linspace(0, len(members) - 1, min(_ROWS, len(members))).astype(np.intp)
    values = rows.take(members[chosen])
    return float(np.median(np.sqrt(squared_lengths(values - np.median(values, axis=0)))))
