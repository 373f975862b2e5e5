"""A search of a base in itself, in which the product of each pair of tiles serves both.

Half the products are saved. The price is that how far candidates can be must be known beforehand: it
is taken from a sample of the base, which makes it too large, never too small, and so adds candidates
that are dropped again by their float32 values before any distance is computed.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from pytest_splitcheck.measure.neighbours.blocks import near_groups
from pytest_splitcheck.measure.neighbours.columns import Columns, Reals, group_minima
from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.reach import Pairs, is_crowded, reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.tighten import tightened
from pytest_splitcheck.measure.rows import Integers

__all__ = ["Symmetric", "pays"]

_DROPPED = 15_000
"""What a candidate costs that is dropped again, in multiplications of a product."""

_BYTES_PER_NEIGHBOUR = 256
"""Room for the candidates that wait for their tile, per row and neighbour."""


def pays(products: Products, removals: Removals, memory: int) -> bool:
    """Tell whether a search of the base in itself is quicker this way, and fits."""
    n, n_features = len(products.rows), products.rows.n_features
    part = len(_sample(products, removals)) / n
    per_row = n * n_features
    saved, spent = per_row * (0.5 - part), _listed(removals) * _DROPPED / part
    each = 4 * removals.n_kinds + _BYTES_PER_NEIGHBOUR * removals.k
    return saved > spent and n * each <= memory // 3


@dataclass(frozen=True, slots=True)
class _Near:
    """Pairs by their columns, with the value that `Products` gives them."""

    query: Integers
    other: Integers
    value: Reals


class Symmetric:
    """Candidates for every row of a base in the base itself.

    Parameters
    ----------
    products : Products
        In float32, of the base with itself.
    removals : Removals
    """

    def __init__(self, products: Products, removals: Removals) -> None:
        self.products, self.removals, self.base = products, removals, products.base
        n = len(products.rows)
        self.sample = _sample(products, removals)
        kind = self.base.kind_of_column[self.base.column[self.sample]]
        sampled = Columns(kind, removals, products.rows.n_features)
        self.pilot = Products(
            sampled,
            products.rows.subset(self.sample),
            products.queries,
            products.frame,
            products.dtype.type,
            len(self.sample) * (products.rows.n_features + 2) * 8,
        )
        self.own = np.full(n, -1, dtype=np.intp)
        self.own[self.sample] = np.arange(len(self.sample))
        # Of columns; what is never within reach is padding, and what float32 cannot answer.
        self.reach = np.full((len(self.base.row), removals.n_kinds), -np.inf, products.dtype)
        self.near: list[list[_Near]] = [[] for _ in self.base.tiles]
        self.missing = [len(self.base.tiles)] * len(self.base.tiles)
        self.lock = threading.Lock()
        self._latest = threading.local()

    @property
    def units(self) -> Sequence[tuple[int, int]]:
        """Pairs of tiles; what is complete early comes first."""
        return list(combinations_with_replacement(range(len(self.base.tiles)), 2))

    def measure_reach(self, queries: Integers) -> Integers:
        """Find how far the candidates of `queries` can be; return the queries for which that fails."""
        _, minima = self.pilot.squared(queries, self.own[queries])
        reach = reach_of_groups(self.pilot, self.removals, queries, minima)
        crowded = is_crowded(near_groups(self.pilot, minima, reach).sum(axis=1), self.removals)
        self.reach[self.base.column[queries[~crowded]]] = reach[~crowded]
        return queries[crowded]

    def complete(self, unit: tuple[int, int]) -> list[Pairs]:
        """Compare two tiles; return the candidates of those of them that are complete now."""
        first, second = unit
        found = self._compare(first, second)
        ready = []
        with self.lock:
            for tile, near in zip(dict.fromkeys(unit), found, strict=True):
                self.near[tile].append(near)
                self.missing[tile] -= 1
                if not self.missing[tile]:
                    ready.append((self._answered(tile), self.near[tile]))
                    self.near[tile] = []
        return [self._tightened(queries, near) for queries, near in ready if len(queries)]

    def _compare(self, first: int, second: int) -> list[_Near]:
        """Return the near pairs of a tile with another, and, if it is another, the same turned round."""
        rows, columns = self.base.tiles[first], self.base.tiles[second]
        # Padding is infinite, and BLAS may multiply it by nothing.
        with np.errstate(invalid="ignore"):
            squared = self._left(first) @ self.products.right(columns).T
        if first == second:
            np.fill_diagonal(squared, np.inf)
            return [self._within(squared, rows, columns)]
        return [self._within(squared, rows, columns), self._within(squared.T, columns, rows)]

    def _left(self, tile: int) -> Reals:
        """Return the factors of a tile's columns as queries; most units of a thread share them."""
        if getattr(self._latest, "tile", None) != tile:
            right = self.products.right(self.base.tiles[tile])
            left = np.empty_like(right)
            np.multiply(right[:, :-2], -2.0, out=left[:, :-2])
            left[:, -2] = right[:, -1]
            left[:, -1] = 1.0
            self._latest.tile, self._latest.left = tile, left
        return np.asarray(self._latest.left)

    def _within(self, squared: Reals, queries: slice, others: slice) -> _Near:
        """Return the pairs within the queries' reach of a tile of others."""
        base, reach = self.base, self.reach[queries]
        groups = base.groups(others)
        kinds = base.kind_of_group[groups]
        minima = group_minima(squared, base.group)
        query, group = np.nonzero(minima <= reach[:, kinds])
        other = base.members(groups.start + group) - others.start
        value = squared[query[:, None], other]
        within = value <= reach[query, kinds[group]][:, None]
        query = np.repeat(query, within.sum(axis=1))
        return _Near(
            (queries.start + query).astype(np.int32),
            (others.start + other[within]).astype(np.int32),
            value[within],
        )

    def _answered(self, tile: int) -> Integers:
        """Return the columns of a tile that are queries answered here."""
        start, stop = self.base.tiles[tile].start, self.base.tiles[tile].stop
        return start + np.flatnonzero(self.reach[start:stop, 0] > -np.inf)

    def _tightened(self, columns: Integers, near: list[_Near]) -> Pairs:
        """Return what is left of the pairs of some columns once all of them say how far they can be."""
        query = np.searchsorted(columns, np.concatenate([part.query for part in near]))
        other = np.concatenate([part.other for part in near])
        value = np.concatenate([part.value for part in near])
        row = self.base.row[other]
        return tightened(self.products, self.removals, self.base.row[columns], query, row, value)


def _listed(removals: Removals) -> int:
    """Return about how many neighbours a row has once any removal is allowed for."""
    return int(removals.k * min(2, removals.n_kinds))


def _sample(products: Products, removals: Removals) -> Integers:
    """Return rows of every kind, enough of each for k neighbours beside a row itself.

    One row in some is taken: as many as make what the sample costs equal to what it saves.
    """
    base = products.base
    per_row = len(products.rows) * products.rows.n_features
    one_in = int(np.sqrt(per_row / (_listed(removals) * _DROPPED)))
    row = base.row[base.row >= 0]
    kind = base.kind_of_column[base.row >= 0]
    order = np.lexsort((row, kind))
    row, kind = row[order], kind[order]
    sizes = np.bincount(kind)
    place = np.arange(len(row)) - (np.cumsum(sizes) - sizes)[kind]
    apart = np.clip(sizes // (removals.k + 1), 1, max(1, one_in))
    return np.asarray(np.sort(row[place % apart[kind] == 0]))
