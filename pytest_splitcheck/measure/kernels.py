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

__all__ = ["add_depths", "compile_first", "squared_distances"]

F = TypeVar("F", bound=Callable[..., object])
Reals = npt.NDArray[Any]
Unsigned = npt.NDArray[np.uint32]

_IN_ANY_ORDER = {"reassoc", "contract"}
"""Sums may be taken in any order, so that several of their terms are added at once."""

_ROWS_AT_ONCE = 32
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


@_compiled()
def add_depths(
    rows: Reals,
    feature: Unsigned,
    threshold: Reals,
    left: Unsigned,
    depth: Float64,
    root: Unsigned,
    levels: int,
    total: Float64,
) -> None:
    """Add the depths that some trees give each row to `total`, shape (q,), tree by tree.

    Numbers of nodes and features have no sign, since numba looks for a negative index with each that has one.

    Parameters
    ----------
    rows : ndarray of float32, shape (q, d)
    feature, threshold : ndarray, shape (nodes,)
        What each node asks; a row beyond the threshold, which for a leaf is infinite, goes right.
    left : ndarray of uint32, shape (nodes,)
        The node on the left, which that on the right comes next to; a leaf is its own.
    depth : ndarray of float64, shape (nodes,)
    root : ndarray of uint32, shape (trees,)
    levels : int
        Steps after which every row is in a leaf.
    total : ndarray of float64, shape (q,)
    """
    at = np.empty(_ROWS_AT_ONCE, np.uint32)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        block, sums = rows[start : start + _ROWS_AT_ONCE], total[start : start + _ROWS_AT_ONCE]
        number = np.uint64(len(block))
        for first in root:
            for i in range(number):
                at[i] = first
            for _ in range(levels):
                for i in range(number):
                    node = at[i]
                    right = np.uint32(block[i, feature[node]] > threshold[node])
                    at[i] = left[node] + right
            for i in range(number):
                sums[i] += depth[at[i]]


def compile_first() -> None:
    """Compile a loop, or load it: the first takes most of the time that it takes to load them all."""
    none = np.zeros(0, dtype=np.intp)
    squared_distances(np.zeros((1, 1)), none, np.zeros((1, 1)), none, np.zeros(0))
