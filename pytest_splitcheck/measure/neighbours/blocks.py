"""Candidates of a block of queries, from its distances to the whole base."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Columns, Reals
from pytest_splitcheck.measure.neighbours.products import Products, lengths
from pytest_splitcheck.measure.neighbours.reach import Pairs, is_crowded, reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.rows import Integers
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Blocks", "blocks_of", "near_groups", "near_members", "runs"]

_FEWEST_QUERIES, _QUERIES = 16, 512
"""Fewest queries per block, where there is memory for them: fewer wait for the base to be read. Most queries per block: enough for a fast product, few enough to end within a second."""

_PAIRS, _BYTES_PER_PAIR = 1 << 21, 96
"""Pairs that are looked at together, at most and where there is room for them, unless a single query has more."""


class Blocks:
    """Candidates by the distances to the whole base.

    Parameters
    ----------
    products : Products
    removals : Removals
    room : int
        Bytes for the pairs that are looked at together.
    last : bool
        Whether nothing is more precise, so that every query is answered.
    """

    def __init__(self, products: Products, removals: Removals, room: int, *, last: bool) -> None:
        self.products, self.removals, self.room, self.last = products, removals, room, last

    @property
    def bytes_per_thread(self) -> int:
        """What it takes to make factors of the base, where these are not kept."""
        return self.products.bytes_per_tile

    def blocks(self, queries: Integers, workers: Workers) -> list[Integers]:
        """Cut queries into blocks."""
        each = self.products.bytes_per_query + self.removals.bytes_per_query
        return blocks_of(queries, each, workers)

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
        base = self.products.base
        left = self.products.left(queries)
        squared, minima = self.products.squared(left, own)
        reach = reach_of_groups(
            self.products, self.removals, lengths(left), minima, base.kind_of_group
        )
        near = near_groups(base, minima, reach)
        opened = near.sum(axis=1)
        crowded = is_crowded(opened, self.removals) & (not self.last)

        def found() -> Iterator[Pairs]:
            for some in runs(np.flatnonzero(~crowded), opened * base.group, self.room):
                query, row = near_members(base, squared, near, reach, some)
                yield Pairs(queries[some], query, row)

        return found(), queries[crowded]


def blocks_of(queries: Integers, each: int, workers: Workers) -> list[Integers]:
    """Cut queries into blocks, of which every query takes `each` bytes."""
    step = int(np.clip(workers.share // each, 1, _QUERIES))
    step = min(step, max(_FEWEST_QUERIES, -(-len(queries) // (2 * workers.threads))))
    return [queries[start : start + step] for start in range(0, len(queries), step)]


def near_groups(base: Columns, minima: Reals, reach: Reals) -> Flags:
    """Return which groups have a member within reach, shape (b, groups)."""
    near = np.empty(minima.shape, dtype=bool)
    for kind, first, end in base.kinds:
        near[:, first:end] = minima[:, first:end] <= reach[:, kind, None]
    return near


def near_members(
    base: Columns, squared: Reals, near: Flags, reach: Reals, some: Integers
) -> tuple[Integers, Integers]:
    """Return the members of near groups that are near themselves, as positions in `some` and rows.

    Parameters
    ----------
    base : Columns
    squared : ndarray of float, shape (columns, b)
    near : ndarray of bool, shape (b, groups)
    reach : ndarray of float, shape (b, kinds)
    some : ndarray of int
        Queries of the block.
    """
    position, group = np.nonzero(near[some])
    column = base.members(group)
    value = squared[column, some[position, None]]
    within = value <= reach[some[position], base.kind_of_group[group]][:, None]
    within &= np.isfinite(value)
    return np.repeat(position, within.sum(axis=1)), base.row[column[within]]


def runs(positions: Integers, pairs: Integers, room: int) -> list[Integers]:
    """Cut positions into runs of limited numbers of pairs, which each position has some of.

    `room` is that for the pairs of a run, in bytes.
    """
    if not len(positions):
        return []
    most = max(1, min(_PAIRS, room // _BYTES_PER_PAIR))
    run = np.cumsum(pairs[positions]) // most
    return np.split(positions, np.flatnonzero(np.diff(run)) + 1)
