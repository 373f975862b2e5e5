"""One search: candidates for every query, then their exact distances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from pytest_splitcheck.measure.neighbours import symmetric, tree
from pytest_splitcheck.measure.neighbours.blocks import Blocks
from pytest_splitcheck.measure.neighbours.columns import Columns
from pytest_splitcheck.measure.neighbours.exact import exact_distances
from pytest_splitcheck.measure.neighbours.products import Frame, Products
from pytest_splitcheck.measure.neighbours.projection import cheapest_filter
from pytest_splitcheck.measure.neighbours.reach import Pairs
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, common_exponent
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Candidates", "Search"]

T = TypeVar("T")

_SMALL = 1 << 28
"""Products of fewer terms are done in float64 at once."""

_FLOAT32_TERMS = 1 << 19
"""Longer rows are too much for float32, whose error bound grows with them."""

_FEWEST_QUERIES, _QUERIES = 16, 512
"""Fewest queries per block, where there is memory for them: fewer wait for the base to be read. Most queries per block: enough for a fast product, few enough to end within a second."""


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
    """

    queries: Integers
    query: Integers
    row: Integers
    distance: Float64


class Way(Protocol):
    """A way to find candidates."""

    @property
    def bytes_per_query(self) -> int:
        """Memory that a block takes for each of its queries."""

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
        self.exponent = common_exponent(base, queries)
        self.rows = base.scaled(self.exponent)
        self.queries = self.rows if queries is base else queries.scaled(self.exponent)
        self.own, self.removals, self.workers = own, removals, workers
        self.kind = removals.kind[codes]
        columns = Columns(self.kind, removals, base.n_features)
        frame = Frame.of(self.rows, self.queries)
        small = len(base) * len(queries) * base.n_features < _SMALL
        precise = small or base.n_features > _FLOAT32_TERMS
        self.fast = None if precise else self._products(columns, frame, np.float32)
        self.precise = self._products(columns, frame, np.float64)
        self.trees: tree.Trees | None = None
        if tree.pays(base, removals):
            self.trees = tree.Trees(self.rows, self.kind, self.queries, frame, removals)

    def _products(self, columns: Columns, frame: Frame, dtype: type) -> Products:
        room = self.workers.part
        return Products(columns, self.rows, self.queries, frame, dtype, room)

    def run(
        self, stage: str, finish: Callable[[Candidates], T], queries: Integers
    ) -> list[tuple[Integers, T]]:
        """Return (queries, result) for parts of `queries` that together are all of them."""

        def done(pairs: Pairs) -> tuple[Integers, T]:
            return pairs.queries, finish(self._candidates(pairs))

        last = Blocks(self.precise, self.removals, last=True)
        if self.trees is not None:
            return self._by_blocks(stage, done, queries, [self.trees, last])
        if self.fast is None:
            self.precise.prepare(self.workers)
            return self._by_blocks(stage, done, queries, [last])
        self.fast.prepare(self.workers)
        ways = [Blocks(self.fast, self.removals, last=False), last]
        if len(queries) < len(self.queries):
            return self._by_blocks(stage, done, queries, ways)
        filtered = cheapest_filter(self.fast, self.removals, self.own, self.workers)
        if filtered is not None:
            return self._by_blocks(stage, done, queries, [filtered, *ways])
        itself = self.own is not None and np.array_equal(self.own, queries)
        if itself and symmetric.pays(self.fast, self.removals, self.workers.memory):
            return self._symmetric(stage, done, symmetric.Symmetric(self.fast, self.removals), last)
        return self._by_blocks(stage, done, queries, ways)

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

            results = self.workers.map(stage, work, self._blocks(queries, way.bytes_per_query))
            found += [part for parts, _ in results for part in parts]
            queries = np.concatenate([left for _, left in results] or [queries[:0]])
        return found

    def _symmetric(
        self,
        stage: str,
        done: Callable[[Pairs], tuple[Integers, T]],
        tiles: symmetric.Symmetric,
        last: Blocks,
    ) -> list[tuple[Integers, T]]:
        tiles.pilot.prepare(self.workers)
        blocks = self._blocks(np.arange(len(self.queries)), tiles.pilot.bytes_per_query)
        left = np.concatenate(self.workers.map("sampling", tiles.measure_reach, blocks))
        parts = self.workers.map(
            stage, lambda unit: [done(pairs) for pairs in tiles.complete(unit)], tiles.units
        )
        found = [part for some in parts for part in some]
        return found + self._by_blocks(stage, done, left, [last])

    def _blocks(self, queries: Integers, each: int) -> list[Integers]:
        """Cut queries into blocks, of which every query takes `each` bytes."""
        step = int(np.clip(self.workers.share // each, 1, _QUERIES))
        step = min(step, max(_FEWEST_QUERIES, -(-len(queries) // (2 * self.workers.threads))))
        return [queries[start : start + step] for start in range(0, len(queries), step)]

    def _candidates(self, pairs: Pairs) -> Candidates:
        query, row = pairs.query, pairs.row
        distance = exact_distances(self.queries.subset(pairs.queries), query, self.rows, row)
        order = np.lexsort((row, distance, query))
        return Candidates(pairs.queries, query[order], row[order], distance[order])
