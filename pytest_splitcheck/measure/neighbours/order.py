"""Pairs in order of the query, the distance and the row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["in_order", "rows_in_order"]


def in_order(query: Integers, distance: Float64, row: Integers) -> Integers:
    """Return the positions of pairs, shape (p,), in order of the query, then the distance, then the row.

    As ``np.lexsort((row, distance, query))`` does, in a tenth of the time.
    """
    order = np.argsort(distance)
    few = len(query) == 0 or int(query.max()) <= np.iinfo(np.uint16).max
    # Of two bytes, numbers are sorted without comparing them.
    order = order[np.argsort(query[order].astype(np.uint16 if few else np.intp), kind="stable")]
    tied = (np.diff(query[order]) == 0) & (np.diff(distance[order]) == 0)
    return order[rows_in_order(row[order], tied)]


def rows_in_order(row: Integers, tied: npt.NDArray[np.bool_]) -> Integers:
    """Return the positions of rows, shape (p,), with those of each run of ties in ascending order.

    Parameters
    ----------
    row : ndarray of int, shape (p,)
    tied : ndarray of bool, shape (p - 1,)
        Whether each is tied with the next.
    """
    order = np.arange(len(row))
    if tied.any():
        before, after = np.concatenate([tied, [False]]), np.concatenate([[False], tied])
        inside = np.flatnonzero(before | after)
        run = np.cumsum(~after)[inside]
        order[inside] = inside[np.lexsort((row[inside], run))]
    return order
