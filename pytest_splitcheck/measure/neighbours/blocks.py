"""Candidates of a block of queries, from its distances to the whole base."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.reach import Pairs, is_crowded, reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.rows import Integers

__all__ = ["Blocks", "near_groups", "near_members"]

_PAIRS = 1 << 21
"""Pairs that are looked at together, at most, unless a single query has more."""


class Blocks:
    """Candidates by the distances to the whole base.

    Parameters
    ----------
    products : Products
    removals : Removals
    last : bool
        Whether nothing is more precise, so that every query is answered.
    """

    def __init__(self, products: Products, removals: Removals, *, last: bool) -> None:
        self.products, self.removals, self.last = products, removals, last
        self.bytes_per_query = products.bytes_per_query

    def near_pairs(
        self, queries: Integers, own: Integers | None
    ) -> tuple[Iterator[Pairs], Integers]:
        """Return candidates, and the queries for which the products are not precise enough.

        Parameters
        ----------
        queries : ndarray of int, shape (b,)
        own : ndarray of int, shape (b,), optional
            The base row that each query is.
        """
        squared, minima = self.products.squared(queries, own)
        reach = reach_of_groups(self.products, self.removals, queries, minima)
        near = near_groups(self.products, minima, reach)
        crowded = is_crowded(near.sum(axis=1), self.removals) & (not self.last)
        return near_members(self.products, queries, squared, near, reach, ~crowded), queries[
            crowded
        ]


def near_groups(products: Products, minima: Reals, reach: Reals) -> Flags:
    """Return which groups have a member within reach, shape (b, groups)."""
    near = np.empty(minima.shape, dtype=bool)
    for kind, first, end in products.base.kinds:
        near[:, first:end] = minima[:, first:end] <= reach[:, kind, None]
    return near


def near_members(
    products: Products, queries: Integers, squared: Reals, near: Flags, reach: Reals, which: Flags
) -> Iterator[Pairs]:
    """Yield the members of near groups that are near themselves, for some queries of a block.

    Parameters
    ----------
    products : Products
    queries : ndarray of int, shape (b,)
    squared : ndarray of float, shape (b, columns)
    near : ndarray of bool, shape (b, groups)
    reach : ndarray of float, shape (b, kinds)
    which : ndarray of bool, shape (b,)
    """
    base = products.base
    for some in _runs(np.flatnonzero(which), near.sum(axis=1) * base.group):
        position, group = np.nonzero(near[some])
        column = base.members(group)
        value = squared[some[position, None], column]
        within = value <= reach[some[position], base.kind_of_group[group]][:, None]
        within &= np.isfinite(value)
        query = np.repeat(position, within.sum(axis=1))
        yield Pairs(queries[some], query, base.row[column[within]])


def _runs(positions: Integers, pairs: Integers) -> list[Integers]:
    """Cut positions into runs of limited numbers of pairs."""
    if not len(positions):
        return []
    run = np.cumsum(pairs[positions]) // _PAIRS
    return np.split(positions, np.flatnonzero(np.diff(run)) + 1)
