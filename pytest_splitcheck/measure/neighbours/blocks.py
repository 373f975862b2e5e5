"""Candidates of a block of queries, from its distances to the whole base."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.reach import Pairs, is_crowded, reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.rows import Integers

__all__ = ["near_groups", "near_pairs"]

_PAIRS = 1 << 21
"""Pairs that are looked at together, at most, unless a single query has more."""


def near_pairs(
    products: Products,
    removals: Removals,
    queries: Integers,
    own: Integers | None,
    *,
    last: bool,
) -> tuple[Iterator[Pairs], Integers]:
    """Return candidates, and the queries for which `products` is not precise enough.

    Parameters
    ----------
    products : Products
    removals : Removals
    queries : ndarray of int, shape (b,)
    own : ndarray of int, shape (b,), optional
        The base row that each query is.
    last : bool
        Whether there is no better product, so that every query is answered.
    """
    if not len(queries):
        return iter(()), queries
    squared, minima = products.squared(queries, own)
    reach = reach_of_groups(products, removals, queries, minima)
    near = near_groups(products, minima, reach)
    opened = near.sum(axis=1)
    crowded = is_crowded(opened, removals) & (not last)
    settled = np.flatnonzero(~crowded)
    pairs = (
        _members(products, queries, squared, near, reach, some)
        for some in _runs(settled, opened[settled] * products.base.group)
    )
    return pairs, queries[crowded]


def near_groups(products: Products, minima: npt.NDArray[Any], reach: npt.NDArray[Any]) -> Flags:
    """Return which groups have a member within reach, shape (b, groups)."""
    near = np.empty(minima.shape, dtype=bool)
    for kind, first, end in products.base.kinds:
        near[:, first:end] = minima[:, first:end] <= reach[:, kind, None]
    return near


def _members(
    products: Products,
    queries: Integers,
    squared: npt.NDArray[Any],
    near: Flags,
    reach: npt.NDArray[Any],
    some: Integers,
) -> Pairs:
    """Return the members of near groups that are near themselves, for some positions in a block."""
    position, group = np.nonzero(near[some])
    column = products.base.members(group)
    value = squared[some[position, None], column]
    within = value <= reach[some[position], products.base.kind_of_group[group]][:, None]
    within &= np.isfinite(value)
    query = np.repeat(position, within.sum(axis=1))
    return Pairs(queries[some], query, products.base.row[column[within]])


def _runs(positions: Integers, pairs: Integers) -> list[Integers]:
    """Cut positions into runs of limited numbers of pairs."""
    if not len(positions):
        return []
    run = np.cumsum(pairs) // _PAIRS
    return np.split(positions, np.flatnonzero(np.diff(run)) + 1)
