"""Whether the training pool is on the scale of the evaluation set."""

from __future__ import annotations

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, common_exponent, squared_lengths
from pytest_splitcheck.measure.workers import Workers

__all__ = ["pool_spread"]

_ROWS = 256
"""Rows of each class that are looked at: a spread is not wanted to more than some per cent."""

_FEWEST = 20
"""Rows of a class from which its spread means something."""

_SHARES = (0.5, 0.75, 0.9)
"""A factor moves all these quantiles alike; where half of a class sits in one spot, the median jumps."""


def pool_spread(benchmark: ClassSplit, workers: Workers) -> float | None:
    """Return how widely the classes of the training pool are spread, against the evaluation set.

    The spread of a class is the distance of its rows from their median, feature by feature, by three quantiles,
    which no far row moves. What is returned is the median over the classes that have rows enough in both sets of
    the quotient of their spreads, by the quantile where it is nearest to 1: about 1 for two samples of the same
    data. Class by class, since the sets may have classes in other shares, or anomalies far out in one alone.
    None without a training pool, with the cosine metric, to which scale is nothing, and where no class tells.
    """
    train = benchmark.train
    if train is None or benchmark.metric == "cosine":
        return None
    in_pool, in_rows = (_Spreads(Rows(part.X), part.codes) for part in (train, benchmark))

    def logarithm(code: int) -> float | None:
        pool, rows = in_pool.of(code), in_rows.of(code)
        if pool is None or rows is None or not np.isfinite(rows).any():
            return None
        told = np.isfinite(rows)
        factors = pool[told] - rows[told]
        return float(factors[np.argmin(np.abs(factors))])

    told = workers.map("spacing", logarithm, range(len(benchmark.classes)))
    logarithms = [one for one in told if one is not None]
    return float(np.exp2(np.median(logarithms))) if logarithms else None


class _Spreads:
    """The spreads of the classes of one set, as logarithms to the base of 2."""

    def __init__(self, rows: Rows, codes: Integers) -> None:
        self.codes, self.exponent = codes, common_exponent(rows)
        self.rows = rows.scaled(self.exponent)

    def of(self, code: int) -> Float64 | None:
        """Return the spread by each quantile, minus infinity for 0; None for too few rows."""
        members = np.flatnonzero(self.codes == code)
        if len(members) < _FEWEST:
            return None
        chosen = np.linspace(0, len(members) - 1, min(_ROWS, len(members))).astype(np.intp)
        values = self.rows.take(members[chosen])
        in_order = np.sort(values, axis=0)  # in a third of the time that np.median takes
        half = len(values) // 2
        median = (in_order[half] + in_order[-1 - half]) / 2
        distance = np.sqrt(squared_lengths(values - median))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log2(np.quantile(distance, _SHARES)) + self.exponent)
