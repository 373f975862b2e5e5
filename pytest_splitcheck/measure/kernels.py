"""Inner loops that numba compiles; what they are for stands where they are called.

Only `compiled.kernels` imports this module, which loads numba. The machine code is kept beside this file
or in the user's cache folder, so that a machine compiles once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["add_depths", "compile_first", "near_pairs", "squared_distances"]

F = TypeVar("F", bound=Callable[..., object])
Reals = npt.NDArray[Any]

_IN_ANY_ORDER = {"reassoc", "contract"}
"""Sums may be taken in any order, so that several of their terms are added at once."""

_ROWS_AT_ONCE = 64
"""Rows that go down a tree together: their steps overlap, and their values stay in a core's cache."""


def _compiled(fastmath: set[str] | bool = False) -> Callable[[F], F]:
    def decorate(loop: F) -> F:
        jitted: Any
        try:
            jitted = numba.njit(nogil=True, cache=True, fastmath=fastmath)(loop)
        except RuntimeError:  # there is no folder that it may write to
            jitted = numba.njit(nogil=True, fastmath=fastmath)(loop)
        return cast(F, jitted)

    return decorate


@_compiled(_IN_ANY_ORDER)
def squared_distances(
    queries: Float64, query: Integers, base: Reals, row: Integers, squared: Float64
) -> None:
    """Write the squared distance of each pair to `squared`, from differences in float64.

    Parameters
    ----------
    queries : ndarray of float64, shape (q, d)
    query : ndarray of int, shape (p,)
    base : ndarray of shape (n, d)
        Of any real type.
    row : ndarray of int, shape (p,)
    squared : ndarray of float64, shape (p,)
    """
    for pair in range(len(query)):
        left, right = queries[query[pair]], base[row[pair]]
        total = 0.0
        for feature in range(queries.shape[1]):
            difference = left[feature] - np.float64(right[feature])
            total += difference * difference
        squared[pair] = total


@_compiled(_IN_ANY_ORDER)
def _product(left: Reals, i: int, right: Reals, j: int) -> np.float32:
    total = np.float32(0.0)
    for term in range(left.shape[1]):
        total += left[i, term] * right[j, term]
    return total


@_compiled()
def _least_beyond(
    bounds: Reals, i: int, of_row: Reals, of_columns: Reals, kind: int, least: Reals
) -> None:
    """Write to `least`, for each group, by how much its nearest bound is beyond what it may be."""
    least[:] = np.inf
    for strip in range(bounds.shape[1]):
        for j in range(bounds.shape[2]):
            beyond = bounds[i, strip, j] - max(of_row[j], of_columns[kind, strip, j])
            least[j] = min(least[j], beyond)


@_compiled()
def near_pairs(
    bounds: Reals,
    start: int,
    row_kind: Integers,
    group_kind: Integers,
    of_rows: tuple[Reals, Reals, Reals],
    of_columns: tuple[Reals, Reals, Reals],
    left: tuple[Reals, Reals],
    right: tuple[Reals, Reals],
    found: tuple[Integers, Integers, Reals],
) -> tuple[int, int]:
    """Find pairs near enough for one of the two, by a lower bound, a tighter bound and their product.

    Parameters
    ----------
    bounds : ndarray of float32, shape (m, strips, groups)
        A tile of `Columns`: in each strip, one member of every group.
    start : int
        Row to begin with.
    row_kind, group_kind : ndarray of int, shapes (m,) and (groups,)
    of_rows : tuple of ndarray of float32, shape (m, kinds)
        How far columns of each kind may be from a row, by the bounds, the tighter bounds and the products.
        All of it is finite.
    of_columns : tuple of ndarray of float32, shape (kinds, strips, groups)
        How far rows of each kind may be from a column.
    left, right : tuple of ndarray of float32, shapes (m, t) and (strips * groups, t)
        Factors of the tighter bounds and of the products; without rows where the bounds are the products.
    found : tuple of ndarray of int32, int32 and float32, shape (room,), room >= strips * groups
        Filled with the row, column and product of each pair.

    Returns
    -------
    int, int
        Pairs that were found, and the row to go on with: m, unless there was no room for more.
    """
    rows, columns, products = found
    m, n_strips, n_groups = bounds.shape
    exact = len(left[0]) == 0
    of_row, least = np.empty(n_groups, np.float32), np.empty(n_groups, np.float32)
    pairs = 0
    for i in range(start, m):
        if pairs + n_strips * n_groups > len(rows):
            return pairs, i
        kind = row_kind[i]
        for j in range(n_groups):
            of_row[j] = of_rows[0][i, group_kind[j]]
        _least_beyond(bounds, i, of_row, of_columns[0], kind, least)
        for j in range(n_groups):
            if least[j] > 0:
                continue
            other = group_kind[j]
            for strip in range(n_strips):
                value, column = bounds[i, strip, j], strip * n_groups + j
                if not value <= max(of_row[j], of_columns[0][kind, strip, j]):
                    continue
                if not exact:
                    value = _product(left[0], i, right[0], column)
                    if value > max(of_rows[1][i, other], of_columns[1][kind, strip, j]):
                        continue
                    value = _product(left[1], i, right[1], column)
                if value <= max(of_rows[2][i, other], of_columns[2][kind, strip, j]):
                    rows[pairs], columns[pairs], products[pairs] = i, column, value
                    pairs += 1
    return pairs, m


@_compiled()
def add_depths(
    rows: Reals,
    feature: Integers,
    threshold: Reals,
    child: Integers,
    depth: Float64,
    root: Integers,
    levels: int,
    total: Float64,
) -> None:
    """Add the depths that some trees give each row to `total`, shape (q,), tree by tree.

    Parameters
    ----------
    rows : ndarray of float32, shape (q, d)
    feature, threshold : ndarray, shape (nodes,)
        What each node asks; a row beyond the threshold goes right.
    child : ndarray of int, shape (nodes, 2)
        Left and right; a leaf is its own, both times.
    depth : ndarray of float64, shape (nodes,)
    root : ndarray of int, shape (trees,)
    levels : int
        Steps after which every row is in a leaf.
    total : ndarray of float64, shape (q,)
    """
    at = np.empty(_ROWS_AT_ONCE, np.int32)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        block = rows[start : start + _ROWS_AT_ONCE]
        for first in root:
            for i in range(len(block)):
                at[i] = first
            for _ in range(levels):
                for i in range(len(block)):
                    node = at[i]
                    right = np.int32(block[i, feature[node]] > threshold[node])
                    at[i] = child[node, right]
            for i in range(len(block)):
                total[start + i] += depth[at[i]]


def compile_first() -> None:
    """Compile a loop, or load it: the first takes most of the time that it takes to load them all."""
    none = np.zeros(0, dtype=np.intp)
    squared_distances(np.zeros((1, 1)), none, np.zeros((1, 1)), none, np.zeros(0))
