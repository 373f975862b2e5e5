"""Lower bounds of distances by projections: which rows of a base no query of a cell has as near as it may be."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Columns, Reals, runs_of
from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.projection import Projection, projected
from pytest_splitcheck.measure.neighbours.reach import widened
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.neighbours.scratch import Scratch
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Bounds"]

_COORDINATES = 16
"""Coordinates by which rows are near each other: more make the cells no rounder."""

_FIRST_COLUMNS, _COLUMNS = 512, 2048
"""Columns of the base whose bounds are made at once, by few directions and by more, if there is room."""

_WORD = 8
"""Flags of a word, which are looked at together."""


class Bounds:
    """Squared distances of projected rows, by few directions first and by more where that does not tell.

    Parameters
    ----------
    products : Products
        In float32, with factors that are kept.
    directions : ndarray of float64, shape (d, p)
        Orthonormal columns, those that tell most first.
    numbers : sequence of int
        How many of them each level has, ascending.
    removals : Removals
    workers : Workers

    Attributes
    ----------
    levels : list of Products
        Without groups, and in the same order of columns.
    """

    def __init__(
        self,
        products: Products,
        directions: Float64,
        numbers: Sequence[int],
        removals: Removals,
        workers: Workers,
    ) -> None:
        rows, queries, dtype = products.rows, products.queries, products.dtype.type
        kind = products.base.kind_of_column[products.base.column]
        columns = Columns(kind, removals, directions.shape[1], largest_group=1)
        self._frame = products.frame
        self._numbers = list(numbers)
        self._directions = np.ascontiguousarray(directions[:, : max(numbers)])
        self.levels = [
            Products(columns, rows, queries, Projection(self._frame, part), dtype, 0)
            for part in (self._directions[:, :number] for number in numbers)
        ]
        kept = [
            np.empty((len(rows), level.frame.n_features + 2), level.dtype) for level in self.levels
        ]

        def make(block: slice) -> None:
            values = self._frame.values(rows, np.arange(len(rows))[block])
            for level, factors, some in zip(
                self.levels, kept, self._projected(values), strict=True
            ):
                factors[columns.column[block]] = level.as_right(some)

        workers.map("preparing", make, rows.blocks())
        for level, factors in zip(self.levels, kept, strict=True):
            level.kept = factors
        # Few directions make a product of which the whole is written and little read: by columns, it is faster.
        self._first_factors = np.ascontiguousarray(kept[0].T)
        self._room = workers.share
        self._scratch, self._factors, self._flags = Scratch(), Scratch(), Scratch()

    @staticmethod
    def fit(products: Products, numbers: Sequence[int], workers: Workers) -> bool:
        """Tell whether there is room for bounds beside the products, and for coordinates while cells are made."""
        assert products.kept is not None
        values = sum(number + 3 for number in (*numbers, numbers[0]))
        kept = products.kept.nbytes + len(products.rows) * values * products.dtype.itemsize
        most = max(len(products.rows), len(products.queries))
        return kept <= products.room and 16 * _COORDINATES * most <= workers.part

    def asked_by(self, queries: Rows) -> Bounds:
        """Return the same bounds for other queries; what is kept is shared."""
        other = copy.copy(self)
        other.levels = [level.asked_by(queries) for level in self.levels]
        other._scratch, other._factors, other._flags = Scratch(), Scratch(), Scratch()
        return other

    def factors(self, products: Products, queries: Integers) -> list[Reals]:
        """Return the factors of queries by the products in full, and by each level, shapes (b, t)."""
        if products.queries is products.rows:
            return [one.left(queries) for one in (products, *self.levels)]
        values = self._frame.values(products.queries, queries)
        return [
            products.as_left(values),
            *(
                level.as_left(some)
                for level, some in zip(self.levels, self._projected(values), strict=True)
            ),
        ]

    def base_coordinates(self) -> Reals:
        """Return the first coordinates of the base, shape (n, c)."""
        level = self.levels[0]
        assert level.kept is not None
        return np.asarray(level.kept[level.base.column, : self._coordinates])

    def query_coordinates(self, workers: Workers) -> Reals:
        """Return those of all queries, shape (q, c)."""
        level, directions = self.levels[0], self._directions[:, : self._coordinates]
        found = np.empty((len(level.queries), directions.shape[1]), level.dtype)

        def make(block: slice) -> None:
            which = np.arange(len(found))[block]
            found[block] = self._frame.values(level.queries, which) @ directions

        workers.map("preparing", make, level.queries.blocks())
        return found

    def centre(self, left: Sequence[Reals]) -> Reals:
        """Return the mean of the coordinates of queries, shape (c,), from their factors by each level."""
        return np.asarray(left[0][:, : self._coordinates].mean(axis=0) / -2)

    @property
    def _coordinates(self) -> int:
        return min(_COORDINATES, self._numbers[0])

    def _projected(self, values: Float64) -> list[Float64]:
        """Return rows in the frame as each level has them."""
        return projected(values, self._directions, self._numbers)

    def near_rows(
        self,
        left: Sequence[Reals],
        reach: Reals,
        length: Float64,
        known: Integers,
        parts: Sequence[slice],
    ) -> list[Integers]:
        """Return the base rows that some query of each part of a cell may have within its reach, ascending.

        Parameters
        ----------
        left : sequence of ndarray, shapes (b, t)
            The factors of the queries, by each level.
        reach : ndarray, shape (b, kinds)
            How far neighbours of each kind can be, by the products in full.
        length : ndarray of float64, shape (b,)
            Of the queries.
        known : ndarray of int
            Rows that are left out.
        parts : sequence of slice
            Of the queries.
        """
        base = self.levels[0].base
        (_, factors, limit), *others = (
            (level, factors, _limit(level, reach, length))
            for level, factors in zip(self.levels, left, strict=True)
        )
        within = self._first_within(factors, limit, parts)
        within[:, base.column[known]] = False
        lists = []
        for part, flags in zip(parts, within, strict=True):
            columns = np.flatnonzero(flags)
            for level, factors, limit in others:
                columns = columns[self._within(level, factors[part], limit[part], columns)]
            lists.append(np.sort(base.row[columns]))
        return lists

    def _first_within(self, left: Reals, limit: Reals, parts: Sequence[slice]) -> Flags:
        """Return which columns any query of each part may have as near as its limit, shape (parts, columns)."""
        kinds = self.levels[0].base.kinds  # of groups, each of which is one column
        size = max(len(left[part]) for part in parts)
        within = np.empty((len(parts), self._first_factors.shape[1]), dtype=bool)
        for kind, first, end in kinds:
            beyond = np.concatenate(
                [_beyond(left[part], limit[part, kind], size) for part in parts]
            )
            step = self._step(len(beyond), _FIRST_COLUMNS)
            for start in range(first, end, step):
                some = slice(start, min(start + step, end))
                right = self._first_factors[:, some]
                bounds = self._scratch.array((len(beyond), right.shape[1]), left.dtype)
                np.matmul(beyond, right, out=bounds)
                near = self._flags_of(bounds)
                np.less_equal(bounds, 0.0, out=near[:, : right.shape[1]])
                words = near.view(np.uint64).reshape(len(parts), size, -1)
                of_parts = np.bitwise_or.reduce(words, axis=1).view(np.bool_)
                within[:, some] = of_parts[:, : right.shape[1]]
        return within

    def _within(self, level: Products, left: Reals, limit: Reals, columns: Integers) -> Flags:
        """Return which of some columns any query may have as near as its limit, shape (columns,)."""
        kept = level.kept
        assert kept is not None
        within = np.empty(len(columns), dtype=bool)
        step = self._step(len(left), _COLUMNS)
        for start in range(0, len(columns), step):
            some = slice(start, start + step)
            right = self._factors.taken(kept, columns[some])
            bounds = self._scratch.array((len(right), len(left)), left.dtype)
            np.matmul(right, left.T, out=bounds)
            near = self._flags_of(bounds)
            for kind, first, end in runs_of(level.base.kind_of_column[columns[some]]):
                inside = slice(first, end)
                np.less_equal(bounds[inside], limit[:, kind], out=near[inside, : len(left)])
            words = near.view(np.uint64)
            np.not_equal(np.bitwise_or.reduce(words, axis=1), 0, out=within[some])
        return within

    def _step(self, n_queries: int, most: int) -> int:
        """Return how many columns there is room for, of bounds and of flags."""
        each = n_queries * (self.levels[0].dtype.itemsize + 1)
        return int(np.clip(self._room // each, 1, most))

    def _flags_of(self, bounds: Reals) -> Flags:
        """Return room for a flag of each bound, in rows of whole words, whose padding is false."""
        n, width = bounds.shape
        near = self._flags.array((n, -(-width // _WORD) * _WORD), np.bool_)
        near[:, width:] = False
        return near


def _beyond(left: Reals, limit: Reals, size: int) -> Reals:
    """Return factors of queries that make the square of a bound less that of its limit, shape (size, t).

    Those that no query has are beyond every limit.
    """
    beyond = np.zeros((size, left.shape[1]), left.dtype)
    beyond[:, -2] = 1.0
    beyond[: len(left)] = left
    beyond[: len(left), -2] -= limit
    return beyond


def _limit(level: Products, reach: Reals, length: Float64) -> Reals:
    """Return how far the bounds may be of what may be as far as `reach`, shape (b, kinds).

    Once more widened, since it is taken from the queries' squared lengths before the product, which is rounded;
    and finite, with room for what the product adds.
    """
    limit = widened(level, widened(level, reach, length), length)
    return np.asarray(np.minimum(limit, np.finfo(limit.dtype).max / 2))
