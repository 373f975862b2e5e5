"""One search: candidates for every query, then their exact distances, a block of queries at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.exact import exact_distances
from pytest_splitcheck.measure.neighbours.products import Base, Products
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, common_exponent
from pytest_splitcheck.measure.workers import Workers

__all__ = ["TIE_RTOL", "Candidates", "Search", "tie_margin"]

T = TypeVar("T")

TIE_RTOL = 5e-11
"""Distances closer than this, relative to the k-th, are tied.

Far above float64 rounding, which tears ties apart (pixels divided by 255), and far below the spacing of
the neighbour distances of real data.
"""

TIE_ATOL_UNIT = 1e-15
"""The same, absolute, for rows scaled to unit length: rounding keeps equal directions apart by this."""

_SMALL = 1 << 28
"""Products of fewer terms are done in float64 at once."""

_FLOAT32_TERMS = 1 << 19
"""Longer rows are too much for float32, whose error bound grows with them."""

_QUERIES = 512
"""Most queries per block: enough for a fast product, few enough to end within a second."""

_CROWD = 8
"""Groups per neighbour that a query may open in float32; beyond, its error bound is too wide."""

_PAIRS = 1 << 21
"""Pairs that are looked at together, at most, unless a single query has more."""


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
        self.rows, self.queries = base.scaled(self.exponent), queries.scaled(self.exponent)
        self.own, self.removals, self.workers = own, removals, workers
        self.kind = removals.kind[codes]
        self.base = Base(self.kind, removals)
        terms = len(base) * len(queries) * base.n_features
        small = terms < _SMALL or base.n_features > _FLOAT32_TERMS
        room = workers.memory // 2
        types = [np.float64] if small else [np.float32, np.float64]
        self.products = [
            Products(self.base, self.rows, self.queries, dtype, room if dtype is types[0] else 0)
            for dtype in types
        ]

    def run(self, stage: str, finish: Callable[[Candidates], T]) -> list[tuple[Integers, T]]:
        """Return (queries, result) for parts of the queries that together are all of them."""

        def work(block: Integers) -> list[tuple[Integers, T]]:
            found = []
            for products in self.products:
                parts, block = self._candidates(products, block)
                found += [(part.queries, finish(part)) for part in parts]
            return found

        products = self.products[0]
        if products.kept is not None:
            self.workers.map("preparing", products.tile, products.starts)
        n_queries = len(self.queries)
        each = 6 * products.dtype.itemsize * len(self.base.row)
        step = int(np.clip(self.workers.share // 2 // each, 1, _QUERIES))
        step = min(step, -(-n_queries // (2 * self.workers.threads)))
        blocks = [
            np.arange(start, min(start + step, n_queries)) for start in range(0, n_queries, step)
        ]
        return [part for parts in self.workers.map(stage, work, blocks) for part in parts]

    def _candidates(
        self, products: Products, queries: Integers
    ) -> tuple[Iterator[Candidates], Integers]:
        """Return candidates, and the queries that `products` is not precise enough for."""
        if not len(queries):
            return iter(()), queries
        squared = products.squared(queries, None if self.own is None else self.own[queries])
        minima = self.base.minima(squared)
        reach = self._reach(products, queries, minima)
        near = np.empty(minima.shape, dtype=bool)
        for kind, first, end in self.base.kinds:
            near[:, first:end] = minima[:, first:end] <= reach[:, kind, None]
        opened = near.sum(axis=1)
        limit = np.inf if products is self.products[-1] else _CROWD * self._width
        settled = np.flatnonzero(opened <= limit)
        parts = (
            self._opened(queries, squared, near, reach, some)
            for some in _runs_of(settled, opened[settled] * self.base.group)
        )
        return parts, queries[opened > limit]

    @property
    def _width(self) -> int:
        return min(2 * self.removals.k, self.base.n_groups)

    def _reach(
        self, products: Products, queries: Integers, minima: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """Return how far, by `products`, candidates of each kind can be, shape (b, kinds)."""
        nearest = np.argpartition(minima, self._width - 1, axis=1)[:, : self._width]
        value = np.take_along_axis(minima, nearest, axis=1)
        order = np.argsort(value, axis=1)
        value = np.take_along_axis(value, order, axis=1)
        kind = self.base.kind_of_group[np.take_along_axis(nearest, order, axis=1)]
        k = self.removals.k

        def beyond(takes: Flags, lists: Integers) -> npt.NDArray[Any]:
            left = minima[np.ix_(lists, ~takes[self.base.kind_of_group])]
            return np.asarray(np.partition(left, k - 1, axis=1)[:, k - 1])

        wide = products.widened(self.removals.reach(value, kind, beyond), queries)
        farthest = np.sqrt(wide)
        wide = (farthest + tie_margin(farthest, self.rows)) ** 2
        # Rounded up, so that the comparison stays in the type of the products.
        return np.nextafter(wide.astype(products.dtype), products.dtype.type(np.inf))

    def _opened(
        self,
        queries: Integers,
        squared: npt.NDArray[Any],
        near: Flags,
        reach: npt.NDArray[Any],
        some: Integers,
    ) -> Candidates:
        """Return the members of near groups that are near themselves, of some positions in a block."""
        position, group = np.nonzero(near[some])
        column = self.base.members(group)
        value = squared[some[position, None], column]
        within = value <= reach[some[position], self.base.kind_of_group[group]][:, None]
        within &= np.isfinite(value)
        query = np.repeat(position, within.sum(axis=1))
        row = self.base.row[column[within]]
        chosen = queries[some]
        distance = exact_distances(self.queries.subset(chosen), query, self.rows, row)
        order = np.lexsort((row, distance, query))
        return Candidates(chosen, query[order], row[order], distance[order])


def tie_margin(distance: Float64, rows: Rows) -> Float64:
    """Return how far from `distance` another distance is still tied with it."""
    return TIE_RTOL * distance + (TIE_ATOL_UNIT if rows.unit else 0.0)


def _runs_of(positions: Integers, pairs: Integers) -> list[Integers]:
    """Cut positions into runs of limited numbers of pairs."""
    if not len(positions):
        return []
    run = np.cumsum(pairs) // _PAIRS
    return np.split(positions, np.flatnonzero(np.diff(run)) + 1)
