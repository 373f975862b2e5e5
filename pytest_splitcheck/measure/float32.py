"""Rows as float32, which isolation forests read, without merging what float64 keeps apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.arrays import Matrix
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["ClassColumns", "Float32", "Mapping", "cast"]

Float32 = npt.NDArray[np.float32]

_FAR = 2.0**10
_TINY, _HUGE = 2.0**-10, 2.0**100
_LAST = float(np.finfo(np.float32).max)


def cast(values: Matrix, order: Literal["C", "F"]) -> Float32:
    """Return `values` as float32, themselves if they are; beyond its range, the last value in it.

    A row to score can lie there, and does not change sides at any split.
    """
    if values.dtype == np.float32:
        return np.asarray(values, order=order)
    with np.errstate(over="ignore"):
        plain: Float32 = np.asarray(values, dtype=np.float32, order=order)
    return np.clip(plain, -_LAST, _LAST, out=plain)


class ClassColumns:
    """Sum and extremes of each column in each class of a pool, and so in each of its normal pools.

    Parameters
    ----------
    pool : Rows of length n
    codes : ndarray of int, shape (n,)
    workers : Workers
    """

    def __init__(self, pool: Rows, codes: Integers, workers: Workers) -> None:
        self.codes, self.counts = np.unique(codes, return_counts=True)
        order = np.argsort(codes, kind="stable")
        shape = (len(self.codes), pool.n_features)
        self.total, self.low, self.high = (
            np.full(shape, start) for start in (0.0, np.inf, -np.inf)
        )

        def add(unit: tuple[int, Integers]) -> None:
            row, members = unit
            one = pool.subset(members)
            for block in one.blocks():
                values = one.original(block)
                with np.errstate(over="ignore"):  # see `without`
                    self.total[row] += values.sum(axis=0, dtype=np.float64)
                np.minimum(self.low[row], values.min(axis=0), out=self.low[row])
                np.maximum(self.high[row], values.max(axis=0), out=self.high[row])

        members = np.split(order, np.cumsum(self.counts)[:-1])
        workers.map("preparing", add, list(enumerate(members)))

    def without(self, held_out: Sequence[int]) -> Mapping:
        """Return the mapping to float32 for the rows outside some classes; it knows no others."""
        stays = ~np.isin(self.codes, held_out)
        low, high = self.low[stays].min(axis=0), self.high[stays].max(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            centre = self.total[stays].sum(axis=0) / self.counts[stays].sum()
        # Any point between the extremes will do where the sum is beyond float64.
        return Mapping(np.where(np.isfinite(centre), centre, low / 2 + high / 2), low, high)


class Mapping:
    """How the columns of a normal pool are cast to float32.

    A column that lies far from the origin against its spread is shifted to its mean before; one whose
    values are tiny, or beyond float32, is scaled by a power of two.

    Parameters
    ----------
    centre, low, high : ndarray of float64, shape (d,)
        Mean and extremes of each column.
    """

    def __init__(self, centre: Float64, low: Float64, high: Float64) -> None:
        with np.errstate(over="ignore"):
            spread = np.maximum(high - centre, centre - low)
            shift = np.where((np.abs(centre) > _FAR * spread) & (low < high), centre, 0.0)
            largest = np.minimum(spread + np.abs(centre - shift), np.finfo(np.float64).max)
        in_range = (largest == 0) | ((largest >= _TINY) & (largest <= _HUGE))
        exponent = np.where(in_range, 0, np.frexp(largest)[1])
        self.columns = np.flatnonzero((shift != 0) | (exponent != 0))
        self.shift, self.exponent = shift[self.columns], exponent[self.columns]

    def __call__(self, plain: Float32, rows: Rows, which: slice | Integers) -> Float32:
        """Return `plain`, the cast of the rows at `which`, with what this mapping changes in it."""
        if not len(self.columns):
            return plain
        values = rows.original(which)[:, self.columns].astype(np.float64)
        changed = plain.copy(order="K")
        with np.errstate(over="ignore"):
            values = np.ldexp(values - self.shift, -self.exponent)
        changed[:, self.columns] = cast(values, "C")
        return changed
