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
from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["standardised"]

Scale = tuple[Integers, Float64, Float64]
"""Of each column the power of two that it is divided by first, then its mean and what it is divided by."""


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
    scale = _scale(fitted)
    scaled = _on_scale(matrix, scale, dtype).reshape(-1, *shape)
    return scaled, None if of_pool is None else _on_scale(of_pool, scale, dtype)


def _scale(rows: Matrix) -> Scale:
    """Return the scale of each column of some rows, by scikit-learn.

    Values are first divided by powers of two, which is exact, so that no square is beyond float64.
    """
    from sklearn.preprocessing import StandardScaler

    parts = [np.abs(rows[block].astype(np.float64)).max(axis=0) for block in blocks(*rows.shape)]
    exponent = np.frexp(np.max(parts, axis=0))[1]
    scaler = StandardScaler()
    for block in blocks(*rows.shape):
        scaler.partial_fit(np.ldexp(rows[block].astype(np.float64), -exponent))
    # Of values below 1 only a constant column has a divisor of 1: it keeps its unit.
    spread = np.where(scaler.scale_ < 1, scaler.scale_, np.ldexp(1.0, -exponent))
    return exponent, scaler.mean_, spread


def _on_scale(rows: Matrix, scale: Scale, dtype: Any) -> Matrix:
    exponent, mean, spread = scale
    scaled = np.empty(rows.shape, dtype)
    with np.errstate(over="ignore"):  # infinite values are refused where all are
        for block in blocks(*rows.shape):
            values = np.ldexp(rows[block].astype(np.float64), -exponent)
            scaled[block] = (values - mean) / spread
    return scaled
