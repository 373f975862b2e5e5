"""Squared distances to a whole base by matrix products, with a bound on their error."""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Columns, Reals, group_minima
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, squared_lengths
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Coordinates", "Frame", "Products", "turned_round"]

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
    bounds : list of Products
        The same in projections that some search was found to gain by.
    """

    def __init__(
        self, base: Columns, rows: Rows, queries: Rows, frame: Coordinates, dtype: type, room: int
    ) -> None:
        self.base, self.rows, self.queries, self.frame = base, rows, queries, frame
        self.dtype = np.dtype(dtype)
        self.room = room
        self.kept: Reals | None = None
        self.bounds: list[Products] = []
        self._whole: Products | None = None
        self._scratch = threading.local()

    @property
    def bytes_per_query(self) -> int:
        """What `squared` takes, and the query itself: in float64, in its factors, and once more."""
        return 3 * self.dtype.itemsize * len(self.base.row) // 2 + 24 * self.rows.n_features

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
        other.queries, other._scratch = queries, threading.local()
        return other

    def part(self, rows: Integers, removals: Removals) -> Products:
        """Return the same products with some rows of the base, by the factors that are kept."""
        assert self.kept is not None
        columns = self.base.column[rows]
        base = Columns(self.base.kind_of_column[columns], removals, self.frame.n_features)
        part = self.asked_by(self.queries)
        part.base, part.rows, part.bounds = base, self.rows.subset(rows), []
        part._whole = self  # which may have the factors of the queries
        part.kept = np.zeros((len(base.row), self.kept.shape[1]), dtype=self.dtype)
        part.kept[:, -2:] = 1.0, np.inf
        filled = np.flatnonzero(base.row >= 0)
        part.kept[filled] = self.kept[columns[base.row[filled]]]
        return part

    def squared(self, queries: Integers, own: Integers | None) -> tuple[Reals, Reals]:
        """Return squared distances of queries to all columns, and their minima over each group.

        The shapes are (b, columns) and (b, groups); the former is overwritten by the next call of the
        same thread. Padding, and each query's `own` row (-1: none), is infinite.
        """
        left = self.left(queries)
        squared = self._room((len(queries), len(self.base.row)))
        minima = np.empty((len(queries), self.base.n_groups), dtype=self.dtype)
        itself = None if own is None else np.where(own < 0, -1, self.base.column[own])
        for tile in self.base.tiles:
            part = squared[:, tile]
            # Padding is infinite, and BLAS may multiply it by nothing.
            with np.errstate(invalid="ignore"):
                np.matmul(left, self.right(tile).T, out=part)
            if itself is not None:
                inside = np.flatnonzero((itself >= tile.start) & (itself < tile.stop))
                part[inside, itself[inside] - tile.start] = np.inf
            minima[:, self.base.groups(tile)] = group_minima(part, self.base.group)
        return squared, minima

    def left(self, queries: Integers) -> Reals:
        """Return the factors of queries, shape (b, d + 2)."""
        whole = self._whole or self
        if whole.kept is not None and whole.queries is whole.rows:
            return turned_round(whole.kept[whole.base.column[queries]])
        values = self.frame.values(self.queries, queries)
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
        values = self.frame.values(self.rows, row[filled])
        right = np.zeros((len(row), values.shape[1] + 2), dtype=self.dtype)
        right[filled, :-2] = values
        right[:, -2] = 1.0
        right[:, -1] = np.inf
        right[filled, -1] = squared_lengths(values)
        return right

    def _room(self, shape: tuple[int, int]) -> Reals:
        """Return memory of this thread, used again: fresh pages take longer than what is done to them."""
        room: Reals | None = getattr(self._scratch, "room", None)
        if room is None or room.size < shape[0] * shape[1]:
            room = self._scratch.room = np.empty(shape[0] * shape[1], dtype=self.dtype)
        return room[: shape[0] * shape[1]].reshape(shape)

    def lengths(self, queries: Integers) -> Float64:
        """Return the lengths of queries, shape (b,), in this frame.

        Those of factors are rounded to their type, which the bound on products has room for.
        """
        whole = self._whole or self
        if whole.kept is not None and whole.queries is whole.rows:
            squared = whole.kept[whole.base.column[queries], -1]
            return np.asarray(np.sqrt(squared, dtype=np.float64))
        return np.asarray(np.sqrt(squared_lengths(self.frame.values(self.queries, queries))))

    def widened(self, kth: Reals, length: Float64) -> Float64:
        """Return bounds within which every row lies that may be as near as `kth`, shape of `kth`.

        `kth`, shape (b, kinds), holds values of `squared`, and `length`, shape (b,), the lengths of the
        queries. A product of d + 2 terms in arithmetic of unit roundoff u, whose factors are rounded, is
        off by (d + 5) u times the sum of the terms' sizes, which is at most (|q| + |b|)^2, and by what underflows (Higham, Accuracy and Stability of
        Numerical Algorithms, 2002, section 3.1). A base row at distance r of the query is no longer
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


def turned_round(right: Reals) -> Reals:
    """Return the factors of the same rows as queries."""
    left = np.empty_like(right)
    np.multiply(right[:, :-2], -2.0, out=left[:, :-2])
    left[:, -2] = right[:, -1]
    left[:, -1] = 1.0
    return left
