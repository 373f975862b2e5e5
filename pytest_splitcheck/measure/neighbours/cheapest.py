"""Whether the whole base is compared with each query, or less of it: a probe tells which is cheaper."""

from __future__ import annotations

import math

import numpy as np

from pytest_splitcheck.measure.neighbours.bounds import Bounds
from pytest_splitcheck.measure.neighbours.cells import Cells
from pytest_splitcheck.measure.neighbours.products import Products, lengths
from pytest_splitcheck.measure.neighbours.projection import principal_directions, projected
from pytest_splitcheck.measure.neighbours.reach import reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.shortlists import PARTS, Shortlists
from pytest_splitcheck.measure.neighbours.symmetric import Symmetric
from pytest_splitcheck.measure.neighbours.vicinity import Vicinity, rows_around
from pytest_splitcheck.measure.rows import Float64, Integers, squared_lengths
from pytest_splitcheck.measure.workers import Workers

__all__ = ["cheapest_way"]

_CHOICES = ((16,), (32,), (64,), (16, 64), (32, 192))
"""Numbers of directions of one bound after the other."""

_CELL = 512
"""Most queries of a cell."""

_SAMPLE = 1000
"""Rows that the directions come from; any orthonormal directions keep the bound one."""

_PROBE, _WORTH_A_PROBE = 64, 8
"""Queries that are searched in full, to count the pairs that a bound would let pass, and how many times as many
there have to be."""

_PER_VALUE, _PER_BOUND, _PER_PAIR, _PER_NEAR_PAIR = 50, 20, 20, 8000
"""What it costs to find the nearest by a value of a block, to look at a bound, at a pair of tiles, and at one
that is near, in multiplications of a long product, as measured on Fashion-MNIST."""

_OF_PART = 1.2
"""Rows near some query of a part of a cell, as a part of the base, in roots of the part that is near one of them."""

_PER_PROJECTED = 2
"""What it costs to project a row, per value and direction, in float64."""

_PER_ROW = 1.4
"""What it costs to multiply by rows of a list, in the same for rows as they lie."""

_SEED = 0


def cheapest_way(
    products: Products, removals: Removals, own: Integers | None, workers: Workers
) -> Shortlists | Symmetric | None:
    """Return the search that is cheaper than one of the whole base for each query; None if there is none.

    Parameters
    ----------
    products : Products
        In float32, prepared.
    removals : Removals
    own : ndarray of int, shape (q,), optional
        The base row that each query is.
    workers : Workers
    """
    itself = products.queries is products.rows
    n, n_queries = len(products.rows), len(products.queries)
    n_features = products.frame.n_features
    around = rows_around() * (n_features + _PER_VALUE)
    by_blocks = n * (n_features + _PER_VALUE)
    if products.kept is None or around > by_blocks or n_features <= _CHOICES[0][0]:
        return None
    if n_queries < _WORTH_A_PROBE * _PROBE:
        return None
    if "probe" not in products.shared:
        products.shared["probe"] = _probe(products, removals, own)
    directions, numbers, cost = products.shared["probe"]
    making = _PER_PROJECTED * n * n_features * sum(numbers) / n_queries
    by_lists, by_tiles = making + around + n * cost, math.inf
    without_itself = own is not None and np.array_equal(own, np.arange(n))
    if itself and without_itself and Symmetric.fits(products, removals, workers):
        near = 2 * removals.k * min(2, removals.n_kinds) / rows_around()
        by_tiles = around + n / 2 * (n_features + _PER_PAIR + near * _PER_NEAR_PAIR)
    if min(by_lists, by_tiles) > by_blocks or not Bounds.fit(products, numbers, workers):
        return None
    if "bounds" not in products.shared:
        bounds = Bounds(products, directions, numbers, removals, workers)
        products.shared["bounds"] = bounds, Cells.of(bounds.base_coordinates(), _CELL, PARTS)
    bounds, cells = products.shared["bounds"]
    vicinity = Vicinity(cells, products.base.kind_of_column[products.base.column], removals)
    if by_tiles < by_lists:
        return Symmetric(products, removals, vicinity, workers)
    bounds = bounds.asked_by(products.queries)
    asking = cells if itself else Cells.of(bounds.query_coordinates(workers), _CELL, PARTS)
    return Shortlists(products, bounds, removals, vicinity, asking, workers.share)


def _probe(
    products: Products, removals: Removals, own: Integers | None
) -> tuple[Float64, tuple[int, ...], float]:
    """Return orthonormal directions, how many of them make the cheapest bounds, and their cost per pair."""
    rng = np.random.default_rng(_SEED)
    n, n_queries, base = len(products.rows), len(products.queries), products.base
    n_features = products.frame.n_features
    others = base.column[np.sort(rng.choice(n, min(_SAMPLE, n), replace=False))]
    queries = np.sort(rng.choice(n_queries, min(_PROBE, n_queries), replace=False))
    asking = products.left(queries)
    _, minima = products.squared(asking, None if own is None else own[queries])
    reach = reach_of_groups(products, removals, lengths(asking), minima, base.kind_of_group)
    farthest = reach[:, base.kind_of_column[others]]
    assert products.kept is not None
    values = products.kept[others, :-2]
    directions = principal_directions(values, _CHOICES[-1][-1], rng)
    left, right = (
        projected(some.astype(np.float64), directions, [directions.shape[1]])[0]
        for some in (asking[:, :-2] / -2.0, values)
    )
    both = squared_lengths(left)[:, None] + squared_lengths(right)
    rest = [_lengths_from_behind(some) for some in (left, right)]

    def left_by(number: int) -> float:
        """Return about how much of the base is near some query of a part, by a bound."""
        product = left[:, :number] @ right[:, :number].T
        product += np.outer(rest[0][:, number], rest[1][:, number])
        near = float((both - 2.0 * product <= farthest).mean())
        return min(1.0, _OF_PART * math.sqrt(near))

    def cost(numbers: tuple[int, ...]) -> float:
        found, total = 1.0, 0.0
        for number in numbers:
            total += found * ((number if found == 1.0 else _PER_ROW * number) + _PER_BOUND)
            found = left_by(number)
        return total + found * (_PER_ROW * n_features + _PER_VALUE)

    costs = {numbers: cost(numbers) for numbers in _CHOICES if numbers[-1] <= directions.shape[1]}
    numbers = min(costs, key=costs.__getitem__)
    return directions, numbers, costs[numbers]


def _lengths_from_behind(values: Float64) -> Float64:
    """Return the length of each row's values from each column on."""
    return np.asarray(np.sqrt(np.cumsum((values**2)[:, ::-1], axis=1)[:, ::-1]))
