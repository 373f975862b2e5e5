"""Whether tiles are cheaper than blocks of queries, and whether by a projection: a probe tells."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.projection import Projection, principal_directions
from pytest_splitcheck.measure.neighbours.reach import reach_of_groups
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.symmetric import BYTES_PER_NEIGHBOUR, Symmetric
from pytest_splitcheck.measure.neighbours.tiles import Across, Tiles
from pytest_splitcheck.measure.neighbours.vicinity import Vicinity, rows_around
from pytest_splitcheck.measure.rows import Float64, Integers, squared_lengths
from pytest_splitcheck.measure.workers import Workers

__all__ = ["cheapest_tiles"]

_DIRECTIONS = (16, 32, 48, 64, 96, 128, 192)
"""Numbers of directions to choose from."""

_TIGHTER = 256
"""Directions of the tighter bound."""

_SAMPLE = 2000
"""Rows that the directions come from; any orthonormal directions keep the bound one."""

_PROBE = 100
"""Queries that are searched in full, to count the pairs that bounds would let pass."""

_PER_VALUE, _PER_LOOK = 50, 12
"""What it costs to find the nearest by a value of a block, and to look at a value of a tile, in
multiplications of a long product, as measured on Fashion-MNIST."""

_PER_PAIR, _PER_PAIR_VALUE = 2000, 10
"""What a pair costs that passes, and each of its values, in the same."""

_SEED = 0


def cheapest_tiles(
    products: Products,
    removals: Removals,
    own: Integers | None,
    workers: Workers,
    loops: ModuleType,
) -> Symmetric | Across | None:
    """Return the search by tiles that is cheapest; None if blocks of queries are cheaper, or it does not fit.

    Parameters
    ----------
    products : Products
        In float32, prepared.
    removals : Removals
    own : ndarray of int, shape (q,), optional
        The base row that each query is.
    workers : Workers
    loops : module
        Compiled `kernels`.
    """
    itself = products.queries is products.rows
    n, n_features = len(products.rows), products.frame.n_features
    if products.kept is None or not _fits(products, removals, workers):
        return None
    around = rows_around(products) * (n_features + _PER_VALUE)
    compared = n / 2 if itself else n
    blocks = n * (n_features + _PER_VALUE)
    in_full = around + compared * (n_features + _PER_LOOK)
    if not products.bounds and n_features > _DIRECTIONS[0] < n:
        directions, number, projected = _cheapest_projection(products, removals, own)
        if around + compared * projected < (min(in_full, blocks) if itself else blocks):
            products.bounds += _kept(products, (directions[:, :number], directions), workers)
    if not products.bounds and (not itself or blocks < in_full):
        return None
    tiles = Tiles(products, loops)
    vicinity = Vicinity(products, own, removals, workers)
    return (Symmetric if itself else Across)(tiles, vicinity, workers)


def _fits(products: Products, removals: Removals, workers: Workers) -> bool:
    """Tell whether there is room for limits, for pairs that wait, and for the rows around some queries."""
    itself = products.queries is products.rows
    waiting = BYTES_PER_NEIGHBOUR * removals.k if itself else 0
    each = 12 * removals.n_kinds + waiting
    around = rows_around(products) * (products.frame.n_features + 2) * products.dtype.itemsize
    return bool(len(products.queries) * each + workers.threads * around <= workers.part)


def _cheapest_projection(
    products: Products, removals: Removals, own: Integers | None
) -> tuple[Float64, int, float]:
    """Return orthonormal directions, how many of them make the cheapest bound, and its cost per pair."""
    rng = np.random.default_rng(_SEED)
    n, n_queries = len(products.rows), len(products.queries)
    others = np.sort(rng.choice(n, min(_SAMPLE, n), replace=False))
    values = products.frame.values(products.rows, others)
    directions = principal_directions(values, _TIGHTER, rng)
    queries = np.sort(rng.choice(n_queries, min(_PROBE, n_queries), replace=False))
    _, minima = products.squared(queries, None if own is None else own[queries])
    reach = reach_of_groups(products, removals, queries, minima)
    farthest = reach[:, products.base.kind_of_column[products.base.column[others]]]
    projection = Projection(products.frame, directions)
    left, right = (
        projection.values(rows, which)
        for rows, which in ((products.queries, queries), (products.rows, others))
    )
    lengths = squared_lengths(left)[:, None] + squared_lengths(right)
    rest = [_lengths_from_behind(some) for some in (left, right)]

    def passing(number: int) -> float:
        product = left[:, :number] @ right[:, :number].T
        product += np.outer(rest[0][:, number], rest[1][:, number])
        return float((lengths - 2.0 * product <= farthest).mean())

    tighter = directions.shape[1]
    in_full = passing(tighter) * (_PER_PAIR + _PER_PAIR_VALUE * products.frame.n_features)
    costs = {
        number: number + _PER_LOOK + passing(number) * (_PER_PAIR + _PER_PAIR_VALUE * tighter)
        for number in _DIRECTIONS
        if number <= tighter
    }
    number = min(costs, key=costs.__getitem__)
    return directions, number, costs[number] + in_full


def _lengths_from_behind(values: Float64) -> Float64:
    """Return the length of each row's values from each column on."""
    return np.asarray(np.sqrt(np.cumsum((values**2)[:, ::-1], axis=1)[:, ::-1]))


def _kept(
    products: Products, directions: tuple[Float64, Float64], workers: Workers
) -> list[Products]:
    """Return the products of projected rows, with the factors of the base; none if these have no room."""
    assert products.kept is not None
    room = products.room - products.kept.nbytes
    kept = []
    for some in directions:
        frame = Projection(products.frame, some)
        one = Products(
            products.base, products.rows, products.queries, frame, products.dtype.type, room
        )
        one.prepare(workers)
        if one.kept is None:
            return []
        room -= one.kept.nbytes
        kept.append(one)
    return kept
