"""One search: candidates for every query, then their exact distances."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from pytest_splitcheck.measure.compiled import begin_loading, loops, saved_by_distances
from pytest_splitcheck.measure.neighbours import tree
from pytest_splitcheck.measure.neighbours.blocks import Blocks
from pytest_splitcheck.measure.neighbours.cheapest import cheapest_way
from pytest_splitcheck.measure.neighbours.columns import Columns
from pytest_splitcheck.measure.neighbours.exact import exact_distances, pixels_of
from pytest_splitcheck.measure.neighbours.order import in_order
from pytest_splitcheck.measure.neighbours.products import Frame, Products
from pytest_splitcheck.measure.neighbours.reach import Pairs
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.neighbours.symmetric import Symmetric
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, common_exponent
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Candidates", "Search"]

T = TypeVar("T")

_SMALL = 1 << 28
"""Products of fewer terms are done in float64 at once."""

_FLOAT32_TERMS = 1 << 19
"""Longer rows are too much for float32, whose error bound grows with them."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Base rows that may be neighbours of some queries.

    Attributes
    ----------
    queries : ndarray of int, shape (b,)
    query : ndarray of int, shape (p,)
        Positions in `queries`, ascending.
    row : ndarray of int, shape (p,)
        Rows of the base; in order of distance, then of the row, for each query.
    distance : ndarray of float64, shape (p,)
    clear : bool
        Whether what is tied up to rounding is so in any part of the base.
    """

    queries: Integers
    query: Integers
    row: Integers
    distance: Float64
    clear: bool = True

    def some(self, which: Flags) -> Candidates:
        """Return some of the pairs."""
        row, distance = self.row[which], self.distance[which]
        return Candidates(self.queries, self.query[which], row, distance, self.clear)


class Way(Protocol):
    """A way to find candidates.

    Attributes
    ----------
    bytes_per_thread : int
        What each thread takes beside its share.
    """

    @property
    def bytes_per_thread(self) -> int: ...

    def blocks(self, queries: Integers, workers: Workers) -> list[Integers]:
        """Cut queries into blocks, each for one thread at a time."""

    def near_pairs(
        self, queries: Integers, own: Integers | None
    ) -> tuple[Iterator[Pairs], Integers]:
        """Return candidates, and the queries that need another way."""


class Search:
    """A base with queries, and what may be taken away from it.

    Parameters
    ----------
    base : Rows of length n
    codes : ndarray of int, shape (n,)
        Class of each base row.
    queries : Rows of length q
    own : ndarray of int, shape (q,), optional
        The base row that each query is, which is none of its own neighbours.
    removals : Removals
        After each of them at least k rows are left, beside the query itself.
    workers : Workers
    """

    def __init__(
        self,
        base: Rows,
        codes: Integers,
        queries: Rows,
        own: Integers | None,
        removals: Removals,
        workers: Workers,
    ) -> None:
        size = len(base), len(queries), base.n_features
        self.exponent = common_exponent(base, queries)
        self.rows = base.scaled(self.exponent)
        itself = own is not None and np.array_equal(own, np.arange(len(base)))
        self.queries = self.rows if itself else queries.scaled(self.exponent)
        self.own, self.removals, self.workers = own, removals, workers
        self.kind = removals.kind[codes]
        self.pixels = pixels_of(self.rows, self.queries, workers)
        frame = Frame.of(self.rows, self.queries)
        key = self.exponent, frame.scale, removals.k, removals.takes.tobytes(), self.kind.tobytes()
        if key not in base.prepared:
            columns = Columns(self.kind, removals, base.n_features)
            base.prepared[key] = [
                Products(columns, self.rows, self.queries, frame, dtype, workers.part)
                for dtype in (np.float32, np.float64)
            ]
        self.fast, self.precise = base.prepared[key]
        self.all_precise = math.prod(size) < _SMALL or base.n_features > _FLOAT32_TERMS
        self.trees: tree.Trees | None = None
        if tree.pays(base, removals):
            self.trees = tree.Trees(self.rows, self.kind, self.queries, frame, removals)

    def run(
        self, stage: str, finish: Callable[[Candidates], T], queries: Integers
    ) -> list[tuple[Integers, T]]:
        """Return (queries, result) for parts of `queries` that together are all of them."""
        saved = 0.0
        if self.pixels is None:
            saved = saved_by_distances(len(queries), self.removals.k, self.rows.n_features)
            begin_loading(saved)

        def done(pairs: Pairs) -> tuple[Integers, T]:
            return pairs.queries, finish(self._candidates(pairs, saved))

        if self.trees is None and self.all_precise:
            self.precise.prepare(self.workers)
        room = self.workers.share
        last = Blocks(self.precise.asked_by(self.queries), self.removals, room, last=True)
        if self.trees is not None:
            return self._by_blocks(stage, done, queries, [self.trees, last])
        if self.all_precise:
            return self._by_blocks(stage, done, queries, [last])
        self.fast.prepare(self.workers)
        fast = self.fast.asked_by(self.queries)
        ways = [Blocks(fast, self.removals, room, last=False), last]
        if len(queries) < len(self.queries):
            return self._by_blocks(stage, done, queries, ways)
        cheapest = cheapest_way(fast, self.removals, self.own, self.workers)
        if isinstance(cheapest, Symmetric):
            return self._by_tiles(stage, done, cheapest, last)
        return self._by_blocks(
            stage, done, queries, ways if cheapest is None else [cheapest, *ways]
        )

    def _by_blocks(
        self,
        stage: str,
        done: Callable[[Pairs], tuple[Integers, T]],
        queries: Integers,
        ways: Sequence[Way],
    ) -> list[tuple[Integers, T]]:
        """Look for candidates in the first way, for what it leaves in the next, and so on."""
        found = []
        for way in ways:

            def work(block: Integers, way: Way = way) -> tuple[list[tuple[Integers, T]], Integers]:
                own = None if self.own is None else self.own[block]
                parts, left = way.near_pairs(block, own)
                return [done(pairs) for pairs in parts], left

            workers = self.workers.with_room_for(way.bytes_per_thread)
            results = workers.map(stage, work, way.blocks(queries, workers))
            found += [part for parts, _ in results for part in parts]
            queries = np.concatenate([left for _, left in results] or [queries[:0]])
        return found

    def _by_tiles(
        self,
        stage: str,
        done: Callable[[Pairs], tuple[Integers, T]],
        tiles: Symmetric,
        last: Blocks,
    ) -> list[tuple[Integers, T]]:
        def work(unit: Any) -> list[tuple[Integers, T]]:
            return [done(pairs) for pairs in tiles.complete(unit)]

        parts = self.workers.map(stage, work, tiles.units)
        found = [part for some in parts for part in some]
        return found + self._by_blocks(stage, done, np.concatenate(tiles.crowded), [last])

    def _candidates(self, pairs: Pairs, saved: float) -> Candidates:
        query, row = pairs.query, pairs.row
        distance = exact_distances(
            self.queries.subset(pairs.queries),
            query,
            self.rows,
            row,
            loops=loops(saved),
            pixels=self.pixels,
        )
        order = in_order(query, distance, row)
        return Candidates(pairs.queries, query[order], row[order], distance[order])
