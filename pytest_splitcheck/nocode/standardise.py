"""Features of mean 0 and standard deviation 1, for those who declare without code."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytest_splitcheck.declare.arrays import (
    Matrix,
    as_matrix,
    as_shaped_matrix,
    blocks,
    check_width,
)
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.rows import Float64

__all__ = ["standardised"]


def standardised(X: Any, pool: Any = None) -> tuple[Matrix, Matrix | None]:
    """Return rows, each value less the mean of its column and over its standard deviation (ddof = 0).

    Both are those of the training pool, or of `X` without one, whatever classes are dropped or held out: a
    benchmark of fewer classes has the same rows. A column that is constant there is not divided.

    Parameters
    ----------
    X : array-like of shape (m, ...)
    pool : array-like of shape (n, ...), optional

    Returns
    -------
    tuple of (ndarray of shape (m, ...), ndarray of shape (n, d) or None)
        float32 where that holds all the values of `X` and `pool`, else float64.

    Raises
    ------
    InputError
        If they are not numbers, or rows differ in length.
    """
    matrix, shape = as_shaped_matrix(X, "X")
    of_pool = None if pool is None else as_matrix(pool, "train X")
    if of_pool is not None:
        check_width(of_pool, matrix.shape[1])
    fitted = matrix if of_pool is None else of_pool
    # In this order, so that equal values of both stay equal.
    dtype = np.result_type(matrix.dtype, fitted.dtype, np.float32)
    scale = _Scale(fitted)
    scaled = scale.of(matrix, dtype).reshape(-1, *shape)
    return scaled, None if of_pool is None else scale.of(of_pool, dtype)


class _Scale:
    """The scale of each column of some rows.

    Values are first brought to [-1, 1] around a row, halved so that no difference is beyond float64: their
    squares are neither, and a constant column is exactly 0.
    """

    def __init__(self, rows: Matrix) -> None:
        self._centre = rows[0].astype(np.float64) / 2
        self._largest = np.full(rows.shape[1], 1.0)
        parts = [np.abs(self._around(rows[block])).max(axis=0) for block in blocks(*rows.shape)]
        largest: Float64 = np.max(parts, axis=0)
        self._largest = np.where(largest > 0, largest, 0.5)
        self._mean, self._spread = np.zeros(rows.shape[1]), np.ones(rows.shape[1])
        self._mean = self._average(rows, 1)
        spread = np.sqrt(self._average(rows, 2))
        self._spread = np.where(spread > 0, spread, 1.0)

    def of(self, rows: Matrix, dtype: Any) -> Matrix:
        """Return rows on that scale."""
        scaled = np.empty(rows.shape, dtype)
        with np.errstate(over="ignore"):  # infinite values are refused where all are
            for block in blocks(*rows.shape):
                scaled[block] = (self._around(rows[block]) - self._mean) / self._spread
        return scaled

    def _around(self, rows: Matrix) -> Float64:
        return np.asarray((rows.astype(np.float64) / 2 - self._centre) / self._largest)

    def _average(self, rows: Matrix, power: int) -> Float64:
        total = np.zeros(rows.shape[1])
        for block in blocks(*rows.shape):
            total += ((self._around(rows[block]) - self._mean) ** power).sum(axis=0)
        return np.asarray(total / len(rows))
