"""An exact filter: lower bounds of distances from a few coordinates and the length of the rest.

For an orthonormal basis V of a few directions, the map ``z(x) = (V'x, |x - VV'x|)`` brings no two rows
further apart: ``|z(a) - z(b)| <= |a - b|``. Pairs that are too far apart under z are so in truth. Where
the data has few directions of much variance, as images have, that is nearly all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pytest_splitcheck.measure.neighbours.blocks import near_groups, near_members
from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.products import Coordinates, Products
from pytest_splitcheck.measure.neighbours.reach import Pairs, reach_of_groups, widened
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.tighten import tightened
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, squared_lengths
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Filter", "Projection", "cheapest_filter"]

_DIRECTIONS = (32, 64, 96, 128, 192, 256)
"""Numbers of directions to choose from."""

_SAMPLE = 4000
"""Rows that the directions come from; any orthonormal directions keep the filter exact."""

_PROBE = 200
"""Queries that are searched in full, to count what the filter would let pass."""

_PER_QUERY = 10_000_000
_PER_BOUND = 1.5
_PER_PAIR = 20_000
_PER_VALUE = 12
"""What the filter costs for each query, each value of a bound, each pair that passes, and each of the
pair's values, in multiplications of a long product, as measured on Fashion-MNIST and CIFAR-10."""

_PAYS = 0.5
"""Part of the cost without a filter below which it is used."""

_FEWEST_TERMS = 1 << 39
"""Products of fewer terms are done before the directions are found."""

_LARGEST_EIGH = 1024
"""Features above which the directions come from a randomised method."""

_SEED = 0


@dataclass(frozen=True, slots=True)
class Projection:
    """Rows by their coordinates in some directions and the length of the rest.

    Attributes
    ----------
    frame : Coordinates
    directions : ndarray of float64, shape (d, p)
        Orthonormal columns.
    """

    frame: Coordinates
    directions: Float64

    @property
    def n_features(self) -> int:
        """Values per row."""
        return int(self.directions.shape[1]) + 1

    @property
    def loss(self) -> float:
        """Bound on what rounding adds to a squared distance, relative to (|a| + |b|)^2.

        The length of the rest is the root of a difference that is off by some (d + 8) u |x|^2, and so
        by the root of that where nearly nothing is left.
        """
        return float(32.0 * np.sqrt((len(self.directions) + 8) * 2.0**-53))

    def values(self, rows: Rows, which: Integers) -> Float64:
        """Return projected rows, shape (len(which), p + 1)."""
        values = self.frame.values(rows, which)
        projected = np.empty((len(values), self.n_features))
        np.matmul(values, self.directions, out=projected[:, :-1])
        rest = squared_lengths(values) - squared_lengths(projected[:, :-1])
        projected[:, -1] = np.sqrt(np.maximum(rest, 0.0))
        return projected


class Filter:
    """Candidates by lower bounds of distances, of which those that pass get a distance in float32.

    Parameters
    ----------
    products : Products
        In float32, with its factors kept.
    lower : Products
        The same in a `Projection`.
    removals : Removals
    """

    def __init__(self, products: Products, lower: Products, removals: Removals) -> None:
        self.products, self.lower, self.removals = products, lower, removals
        self.base = products.base
        self.bytes_per_query = lower.bytes_per_query
        self.in_full = len(products.rows) * products.frame.n_features

    def near_pairs(
        self, queries: Integers, own: Integers | None
    ) -> tuple[Iterator[Pairs], Integers]:
        """Return candidates, and the queries for which too much passes the filter."""
        bounds, minima = self.lower.squared(queries, own)
        reach = self._reach(queries, bounds, minima)
        near = near_groups(self.lower, minima, reach)
        # Of a near group, mostly one member is near.
        cheap = _cost(near.sum(axis=1), self.products.frame.n_features) <= self.in_full
        passing = cheap | (near.sum(axis=1) <= 2 * self.removals.k)
        found = near_members(self.lower, queries, bounds, near, reach, passing)
        return (self._tightened(pairs) for pairs in found), queries[~passing]

    def _tightened(self, pairs: Pairs) -> Pairs:
        value = self.products.of_pairs(pairs.queries, pairs.query, pairs.row)
        return tightened(self.products, self.removals, pairs.queries, pairs.query, pairs.row, value)

    def _reach(self, queries: Integers, bounds: Reals, minima: Reals) -> Reals:
        """Return how far, by lower bounds, neighbours of each kind can be, shape (b, kinds).

        That is taken from the distances of the rows with the lowest bounds.
        """
        k = self.removals.k
        width = min(2 * k, self.base.n_groups)
        lowest = np.argpartition(minima, width - 1, axis=1)[:, :width]
        everyone = np.arange(len(queries))
        value = self._distances(queries, everyone, bounds, lowest)
        order = np.argsort(value, axis=1)
        kind = self.base.kind_of_group[np.take_along_axis(lowest, order, axis=1)]

        def beyond(removal: Integers, lists: Integers) -> Reals:
            left = minima[lists]
            left[self.removals.takes[removal[:, None], self.base.kind_of_group]] = np.inf
            lowest = np.argpartition(left, k - 1, axis=1)[:, :k]
            return np.asarray(self._distances(queries, lists, bounds, lowest).max(axis=1))

        reach = self.removals.reach(np.take_along_axis(value, order, axis=1), kind, beyond)
        return widened(self.lower, widened(self.products, reach, queries), queries)

    def _distances(
        self, queries: Integers, lists: Integers, bounds: Reals, groups: Integers
    ) -> Reals:
        """Return the squared distances of the lowest member of each group, shape of `groups`."""
        members = self.base.members(groups.reshape(-1)).reshape(*groups.shape, -1)
        bound = bounds[lists[:, None, None], members]
        lowest = bound.argmin(axis=2)[:, :, None]
        column = np.take_along_axis(members, lowest, axis=2)[:, :, 0]
        exists = np.isfinite(np.take_along_axis(bound, lowest, axis=2)[:, :, 0])
        value = np.full(groups.shape, np.inf, dtype=self.products.dtype)
        query = np.nonzero(exists)[0]
        row = self.base.row[column[exists]]
        value[exists] = self.products.of_pairs(queries[lists], query, row)
        return value


def cheapest_filter(
    products: Products, removals: Removals, own: Integers | None, workers: Workers
) -> Filter | None:
    """Return the filter that a probe of some queries finds cheapest, if it pays at all.

    Parameters
    ----------
    products : Products
        In float32, prepared.
    removals : Removals
    own : ndarray of int, optional
        The base row that each query is.
    workers : Workers
    """
    n, n_features, n_queries = len(products.rows), products.frame.n_features, len(products.queries)
    if products.kept is None or n * n_features * n_queries < _FEWEST_TERMS:
        return None
    directions = _directions(products)
    rng = np.random.default_rng(_SEED)
    queries = np.sort(rng.choice(n_queries, min(_PROBE, n_queries), replace=False))
    _, minima = products.squared(queries, None if own is None else own[queries])
    reach = reach_of_groups(products, removals, queries, minima)
    others = np.sort(rng.choice(n, min(_SAMPLE, n), replace=False))
    farthest = reach[:, products.base.kind_of_column[products.base.column[others]]]
    in_full = n * n_features
    best, cost = None, _PAYS * in_full
    for number in _DIRECTIONS:
        if number >= n_features:
            break
        projection = Projection(products.frame, directions[:, :number])
        left = projection.values(products.queries, queries)
        right = projection.values(products.rows, others)
        bounds = squared_lengths(left)[:, None] + squared_lengths(right) - 2.0 * left @ right.T
        passing = n * (bounds <= farthest).mean(axis=1)
        spent = _PER_QUERY + _PER_BOUND * n * number
        spent += np.minimum(_cost(passing, n_features), in_full).mean()
        if spent < cost:
            best, cost = projection, spent
    if best is None:
        return None
    room = products.room - products.kept.nbytes
    lower = Products(
        products.base, products.rows, products.queries, best, products.dtype.type, room
    )
    lower.prepare(workers)
    return Filter(products, lower, removals) if lower.kept is not None else None


def _cost(passing: Float64, n_features: int) -> Float64:
    """Return what pairs cost that pass, in multiplications of a product."""
    return np.asarray(passing * (_PER_PAIR + _PER_VALUE * n_features))


def _directions(products: Products) -> Float64:
    """Return orthonormal directions near the principal ones, shape (d, p)."""
    rng = np.random.default_rng(_SEED)
    n, n_features = len(products.rows), products.frame.n_features
    some = np.sort(rng.choice(n, min(_SAMPLE, n), replace=False))
    values = products.frame.values(products.rows, some)
    number = min(_DIRECTIONS[-1], n_features, len(some))
    if n_features <= _LARGEST_EIGH:
        return np.ascontiguousarray(np.linalg.eigh(values.T @ values)[1][:, : -number - 1 : -1])
    # Halko, Martinsson and Tropp 2011: the range of a few random combinations, twice sharpened.
    span = rng.standard_normal((n_features, number))
    for _ in range(2):
        span = np.linalg.qr(values.T @ (values @ span))[0]
    turned = np.linalg.svd(values @ span, full_matrices=False)[2]
    return np.ascontiguousarray(np.linalg.qr(span @ turned.T)[0])
