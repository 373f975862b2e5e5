"""How far candidates can be: what is near enough by the products' values, errors and ties included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Float64, Integers, Rows

__all__ = ["Pairs", "is_crowded", "layout", "reach_of_groups", "tie_margin", "widened"]

_TIE_RTOL = 5e-11
"""Distances closer than this, relative to the k-th, are tied.

Far above float64 rounding, which tears ties apart (pixels divided by 255), and far below the spacing of
the neighbour distances of real data.
"""

_TIE_ATOL_UNIT = 1e-15
"""The same, absolute, for rows scaled to unit length: rounding keeps equal directions apart by this."""

_CROWD = 8
"""Groups per neighbour that a query may open; beyond, the error bound is too wide for its neighbours."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a query and a base row near enough to be looked at.

    Attributes
    ----------
    queries : ndarray of int, shape (b,)
    query : ndarray of int, shape (p,)
        Positions in `queries`.
    row : ndarray of int, shape (p,)
        Rows of the base.
    """

    queries: Integers
    query: Integers
    row: Integers


def tie_margin(distance: Float64, rows: Rows) -> Float64:
    """Return how far from `distance` another distance is still tied with it."""
    return _TIE_RTOL * distance + (_TIE_ATOL_UNIT if rows.unit else 0.0)


def reach_of_groups(
    products: Products,
    removals: Removals,
    length: Float64,
    minima: npt.NDArray[Any],
    kind_of_group: Integers,
) -> npt.NDArray[Any]:
    """Return how far, by `products`, neighbours of each kind can be, shape (b, kinds).

    The smallest group minima belong to different rows, so that the k-th of them, without a removal, is
    no smaller than the k-th distance.

    Parameters
    ----------
    products : Products
    removals : Removals
    length : ndarray of float64, shape (b,)
        Of the queries.
    minima : ndarray of float, shape (b, groups)
        Of all groups of the base, or of some that leave k or more after every removal.
    kind_of_group : ndarray of int, shape (groups,)
    """
    width = min(2 * removals.k, len(kind_of_group))
    nearest = np.argpartition(minima, width - 1, axis=1)[:, :width]
    value = np.take_along_axis(minima, nearest, axis=1)
    order = np.argsort(value, axis=1)
    value = np.take_along_axis(value, order, axis=1)
    kind = kind_of_group[np.take_along_axis(nearest, order, axis=1)]

    def beyond(removal: Integers, lists: Integers) -> npt.NDArray[Any]:
        left = minima[lists]
        left[removals.takes[removal[:, None], kind_of_group]] = np.inf
        return np.asarray(np.partition(left, removals.k - 1, axis=1)[:, removals.k - 1])

    return widened(products, removals.reach(value, kind, beyond), length)


def widened(products: Products, reach: npt.NDArray[Any], length: Float64) -> npt.NDArray[Any]:
    """Return `reach`, shape (b, kinds), with room for the products' error and for ties.

    `length`, shape (b,), is that of the queries.
    """
    farthest = np.sqrt(products.widened(reach, length))
    wide = (farthest + tie_margin(farthest, products.rows)) ** 2
    # Rounded up, so that comparisons stay in the type of the products.
    return np.nextafter(wide.astype(products.dtype), products.dtype.type(np.inf))


def is_crowded(opened: Integers, removals: Removals) -> npt.NDArray[np.bool_]:
    """Tell which queries open too many groups for float32 to be of use."""
    return np.asarray(opened > _CROWD * 2 * removals.k)


def layout(query: Integers, n_queries: int) -> tuple[Integers, tuple[int, int]]:
    """Return the columns of ragged lists, sorted by `query`, in a padded array, and its shape."""
    length = np.bincount(query, minlength=n_queries)
    column = np.arange(len(query)) - (np.cumsum(length) - length)[query]
    return column, (n_queries, int(length.max(initial=0)))
