"""Squared distances to a whole base by matrix products, with a bound on their error."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Columns, Reals, group_minima
from pytest_splitcheck.measure.neighbours.scratch import Scratch
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, squared_lengths
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Coordinates", "Frame", "Products", "lengths", "squared_by_tiles", "turned_round"]

_FLOAT32_RANGE = 20
"""Values below 2**20 and above 2**-20 can be squared in float32 without scaling."""


class Coordinates(Protocol):
    """What products are made of."""

    @property
    def n_features(self) -> int:
        """Values per row."""

    @property
    def loss(self) -> float:
        """Bound on what these values add to a squared distance, relative to (|a| + |b|)^2."""

    def values(self, rows: Rows, which: Integers) -> Float64:
        """Return rows in these coordinates, shape (len(which), n_features)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the origin is put and what the unit is, so that products lose least.

    Attributes
    ----------
    centre : ndarray of float64, shape (d,)
    scale : float
        A power of two.
    """

    centre: Float64
    scale: float

    @property
    def n_features(self) -> int:
        """Values per row."""
        return len(self.centre)

    @property
    def loss(self) -> float:
        """Nothing: centring is part of the bound on products."""
        return 0.0

    @classmethod
    def of(cls, base: Rows, queries: Rows) -> Frame:
        """Return the frame for a base and its queries."""
        largest = max(rows.largest for rows in {base, queries})
        exponent = int(np.frexp(largest)[1]) if largest > 0 else 0
        return cls(base.centre, 1.0 if abs(exponent) < _FLOAT32_RANGE else 2.0**-exponent)

    def values(self, rows: Rows, which: Integers) -> Float64:
        """Return rows in this frame, shape (len(which), d)."""
        values = rows.take(which) - self.centre
        if self.scale != 1.0:
            values *= self.scale
        return values


class Products:
    """Squared distances as ``|q|^2 + |b|^2 - 2 q b`` on centred values, in one floating-point type.

    Parameters
    ----------
    base : Columns
    rows : Rows of length n
        The rows of the base.
    queries : Rows
    frame : Coordinates
    dtype : numpy type
        ``float32`` or ``float64``.
    room : int
        Bytes; the factors of the base are kept where they fit, else made anew each time.

    Attributes
    ----------
    kept : ndarray of shape (columns, d + 2), optional
        The factors of the base, once `prepare` has been called.
    shared : dict
        What searches of this base have in common beside that.
    """

    def __init__(
        self, base: Columns, rows: Rows, queries: Rows, frame: Coordinates, dtype: type, room: int
    ) -> None:
        self.base, self.rows, self.queries, self.frame = base, rows, queries, frame
        self.dtype = np.dtype(dtype)
        self.room = room
        self.kept: Reals | None = None
        self.shared: dict[Hashable, Any] = {}
        self._scratch = Scratch()

    @property
    def bytes_per_query(self) -> int:
        """What `squared` takes, and the query itself: in float64, in its factors, and once more."""
        return 3 * self.dtype.itemsize * len(self.base.row) // 2 + 24 * self.rows.n_features

    @property
    def bytes_per_tile(self) -> int:
        """What it takes to make the factors of a tile, once more in float64 and as they were; 0 if they are kept."""
        if self.kept is not None:
            return 0
        columns = max(tile.stop - tile.start for tile in self.base.tiles)
        return columns * self.frame.n_features * (16 + self.dtype.itemsize)

    def prepare(self, workers: Workers) -> None:
        """Make the factors of the base, if there is room for them."""
        shape = (len(self.base.row), self.frame.n_features + 2)
        if self.kept is None and shape[0] * shape[1] * self.dtype.itemsize <= self.room:
            kept = np.empty(shape, dtype=self.dtype)

            def make(tile: slice) -> None:
                kept[tile] = self.right(tile)

            workers.map("preparing", make, self.base.tiles)
            self.kept = kept

    def asked_by(self, queries: Rows) -> Products:
        """Return the same products for other queries; what is kept is shared."""
        other = copy.copy(self)
        other.queries, other._scratch = queries, Scratch()
        return other

    def squared(self, left: Reals, own: Integers | None) -> tuple[Reals, Reals]:
        """Return squared distances of all columns to queries, and their minima over each group.

        The queries are given by their factors, `left`. The shapes are (columns, b) and (b, groups); the former is
        overwritten by the next call of the same thread. Padding, and each query's `own` row (-1: none), is
        infinite.
        """
        itself = None if own is None else np.where(own < 0, -1, self.base.column[own])
        return squared_by_tiles(left, self.base, self.right, itself, self._scratch)

    def left(self, queries: Integers) -> Reals:
        """Return the factors of queries, shape (b, d + 2)."""
        if self.kept is not None and self.queries is self.rows:
            return turned_round(self.kept[self.base.column[queries]])
        return self.as_left(self.frame.values(self.queries, queries))

    def as_left(self, values: Float64) -> Reals:
        """Return values in the frame as factors of queries, shape (b, d + 2)."""
        left = np.empty((len(values), values.shape[1] + 2), dtype=self.dtype)
        np.multiply(values, -2.0, out=left[:, :-2], casting="same_kind")
        left[:, -2] = squared_lengths(values)
        left[:, -1] = 1.0
        return left

    def right(self, tile: slice) -> Reals:
        """Return the factors of a tile's columns, shape (c, d + 2)."""
        if self.kept is not None:
            return self.kept[tile]
        row = self.base.row[tile]
        filled = np.flatnonzero(row >= 0)
        right = np.zeros((len(row), self.frame.n_features + 2), dtype=self.dtype)
        right[:, -2:] = 1.0, np.inf
        right[filled] = self.as_right(self.frame.values(self.rows, row[filled]))
        return right

    def as_right(self, values: Float64) -> Reals:
        """Return values in the frame as factors of rows of the base, shape (c, d + 2)."""
        right = np.empty((len(values), values.shape[1] + 2), dtype=self.dtype)
        right[:, :-2] = values
        right[:, -2] = 1.0
        right[:, -1] = squared_lengths(values)
        return right

    def widened(self, kth: Reals, length: Float64) -> Float64:
        """Return bounds within which every row lies that may be as near as `kth`, shape of `kth`.

        `kth`, shape (b, kinds), holds values of `squared`, and `length`, shape (b,), the lengths of the
        queries. A product of d + 2 terms in arithmetic of unit roundoff u, whose factors are rounded, is
        off by (d + 5) u times the sum of the terms' sizes, which is at most (|q| + |b|)^2, and by what underflows
        (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). A base row at distance r of the query is no longer
        than |q| + r, so that far rows, however long, do not widen the bound.
        """
        roundoff = float(np.finfo(self.dtype).eps) / 2
        underflow = float(np.finfo(self.dtype).tiny)
        terms = self.frame.n_features + 8
        bound = 2.0 * terms * roundoff + self.frame.loss
        squared = np.maximum(np.asarray(kth, dtype=np.float64), 0.0)
        near = np.sqrt(2.0 * squared) + 4.0 * np.sqrt(bound) * length[:, None]
        wide = squared + 2.0 * bound * (2.0 * length[:, None] + near) ** 2 + 8.0 * terms * underflow
        return np.asarray(wide)


def squared_by_tiles(
    left: Reals,
    columns: Columns,
    right: Callable[[slice], Reals],
    itself: Integers | None,
    scratch: Scratch,
) -> tuple[Reals, Reals]:
    """Return the products of factors, and their minima over each group, as `Products.squared` does.

    `right` returns the factors of a tile, and `itself` is the column that each query is.
    """
    squared = scratch.array((len(columns.row), len(left)), left.dtype)
    minima = np.empty((columns.n_groups, len(left)), dtype=left.dtype)
    for tile in columns.tiles:
        part = squared[tile]
        # Few queries as columns: BLAS is a fourth faster than with few rows. Padding is infinite, and it
        # may multiply that by nothing.
        with np.errstate(invalid="ignore"):
            np.matmul(right(tile), left.T, out=part)
        if itself is not None:
            inside = np.flatnonzero((itself >= tile.start) & (itself < tile.stop))
            part[itself[inside] - tile.start, inside] = np.inf
        minima[columns.groups(tile)] = group_minima(part, columns.group)
    return squared, np.ascontiguousarray(minima.T)


def lengths(left: Reals) -> Float64:
    """Return the lengths of queries, shape (b,), by their factors.

    These are rounded to their type, which the bound on products has room for.
    """
    return np.asarray(np.sqrt(left[:, -2], dtype=np.float64))


def turned_round(right: Reals) -> Reals:
    """Return the factors of the same rows as queries."""
    left = np.empty_like(right)
    np.multiply(right[:, :-2], -2.0, out=left[:, :-2])
    left[:, -2] = right[:, -1]
    left[:, -1] = 1.0
    return left
