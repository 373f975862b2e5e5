"""Squared distances to a whole base by matrix products, with a bound on their error."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Base", "Frame", "Products", "Reals", "group_minima"]

Reals = npt.NDArray[Any]

_TILE_VALUES = 1 << 20
_TILE_COLUMNS = 512, 1024
"""Values and columns of the base that one product takes: 4 MB in float32, mostly."""

_LARGEST_GROUP = 16
_GROUPS_PER_NEIGHBOUR = 4
"""Groups that every removal leaves, per neighbour; with few, the reach from their minima is loose."""

_PADDING = 1.25
"""Columns per row that groups of one kind may cost, since the last of each kind is padded."""

_FLOAT32_RANGE = 20
"""Values below 2**20 and above 2**-20 can be squared in float32 without scaling."""


class Base:
    """The rows of a base as columns, laid out so that groups of one kind have cheap minima.

    Columns come in tiles. The members of a group lie as many columns apart as its tile has groups, so
    that the minimum of each group is an elementwise minimum of contiguous pieces.

    Attributes
    ----------
    row : ndarray of int, shape (columns,)
        Row of each column; -1 for padding.
    column : ndarray of int, shape (n,)
        Column of each row.
    kind_of_group : ndarray of int, shape (groups,)
        Ascending.
    kind_of_column : ndarray of int, shape (columns,)
    tiles : list of slice
        Columns of each tile.
    """

    def __init__(self, kind: Integers, removals: Removals, n_features: int) -> None:
        sizes = np.bincount(kind, minlength=removals.n_kinds)
        self.group = _group_size(sizes, removals)
        groups = -(-sizes // self.group)
        self.n_groups = int(groups.sum())
        self.kind_of_group = np.repeat(np.arange(len(groups)), groups)
        self.tile_groups = max(1, _tile_columns(n_features) // self.group)
        self.tiles = [
            slice(first * self.group, min(first + self.tile_groups, self.n_groups) * self.group)
            for first in range(0, self.n_groups, self.tile_groups)
        ]
        in_order = np.argsort(kind, kind="stable")
        of_group = np.full((self.n_groups, self.group), -1, dtype=np.intp)
        stops, ends = np.cumsum(sizes), np.cumsum(groups)
        for size, stop, count, end in zip(sizes, stops, groups, ends, strict=True):
            # Rows next to each other, which may be alike, go to different groups.
            members = np.full(self.group * count, -1, dtype=np.intp)
            members[:size] = in_order[stop - size : stop]
            of_group[end - count : end] = members.reshape(self.group, count).T
        self.row = np.empty(of_group.size, dtype=np.intp)
        self.row[self.members(np.arange(self.n_groups))] = of_group
        self.column = np.empty(len(kind), dtype=np.intp)
        filled = np.flatnonzero(self.row >= 0)
        self.column[self.row[filled]] = filled
        self.kind_of_column = np.empty(len(self.row), dtype=np.intp)
        self.kind_of_column[self.members(np.arange(self.n_groups))] = self.kind_of_group[:, None]

    def members(self, groups: Integers) -> Integers:
        """Return the columns of each group, shape (len(groups), group)."""
        tile, place = np.divmod(groups, self.tile_groups)
        apart = np.minimum(self.tile_groups, self.n_groups - tile * self.tile_groups)
        first = tile * self.tile_groups * self.group + place
        return np.asarray(first[:, None] + np.arange(self.group) * apart[:, None])

    def groups(self, tile: slice) -> slice:
        """Return the groups of a tile."""
        return slice(tile.start // self.group, tile.stop // self.group)

    @property
    def kinds(self) -> list[tuple[int, int, int]]:
        """Kind, first group and end of the groups of each kind."""
        starts = np.flatnonzero(np.r_[True, np.diff(self.kind_of_group) > 0])
        ends = np.r_[starts[1:], self.n_groups]
        return [
            (int(self.kind_of_group[start]), int(start), int(end))
            for start, end in zip(starts, ends, strict=True)
        ]


def _tile_columns(n_features: int) -> int:
    return int(np.clip(_TILE_VALUES // (n_features + 2), *_TILE_COLUMNS))


def _group_size(sizes: Integers, removals: Removals) -> int:
    """Return the largest size, a power of two, that costs little padding and leaves enough groups."""
    group = _LARGEST_GROUP
    while group > 1:
        groups = -(-sizes // group)
        left = groups.sum() - (groups * removals.takes[:, :-1]).sum(axis=1)
        enough = left.min() >= _GROUPS_PER_NEIGHBOUR * removals.k
        if enough and groups.sum() * group <= _PADDING * sizes.sum():
            break
        group //= 2
    return group


class Coordinates(Protocol):
    """What products are made of.

    Attributes
    ----------
    n_features : int
        Values per row.
    loss : float
        Bound on what these values add to a squared distance, relative to (|a| + |b|)^2.
    """

    @property
    def n_features(self) -> int: ...

    @property
    def loss(self) -> float: ...

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
        largest = max(rows.largest() for rows in {base, queries})
        exponent = int(np.frexp(largest)[1]) if largest > 0 else 0
        return cls(base.mean(), 1.0 if abs(exponent) < _FLOAT32_RANGE else 2.0**-exponent)

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
    base : Base
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
    """

    def __init__(
        self, base: Base, rows: Rows, queries: Rows, frame: Coordinates, dtype: type, room: int
    ) -> None:
        self.base, self.rows, self.queries, self.frame = base, rows, queries, frame
        self.dtype = np.dtype(dtype)
        self.room = room
        self.kept: Reals | None = None
        self._scratch = threading.local()

    def prepare(self, workers: Workers) -> None:
        """Make the factors of the base, if there is room for them."""
        shape = (len(self.base.row), self.frame.n_features + 2)
        if self.kept is None and shape[0] * shape[1] * self.dtype.itemsize <= self.room:
            kept = np.empty(shape, dtype=self.dtype)

            def make(tile: slice) -> None:
                kept[tile] = self.right(tile)

            workers.map("preparing", make, self.base.tiles)
            self.kept = kept

    def squared(self, queries: Integers, own: Integers | None) -> tuple[Reals, Reals]:
        """Return squared distances of queries to all columns, and their minima over each group.

        The shapes are (b, columns) and (b, groups); the former is overwritten by the next call of the
        same thread. Padding, and each query's `own` row (-1: none), is infinite.
        """
        left = self.left(self.queries, queries)
        squared = self._room("squared", (len(queries), len(self.base.row)))
        minima = np.empty((len(queries), self.base.n_groups), dtype=self.dtype)
        itself = None if own is None else np.where(own < 0, -1, self.base.column[own])
        for tile in self.base.tiles:
            part = squared[:, tile]
            np.matmul(left, self.right(tile).T, out=part)
            if itself is not None:
                inside = np.flatnonzero((itself >= tile.start) & (itself < tile.stop))
                part[inside, itself[inside] - tile.start] = np.inf
            minima[:, self.base.groups(tile)] = group_minima(part, self.base.group)
        return squared, minima

    def left(self, rows: Rows, which: Integers) -> Reals:
        """Return the factors of queries, shape (b, d + 2)."""
        values = self.frame.values(rows, which)
        left = np.empty((len(values), values.shape[1] + 2), dtype=self.dtype)
        np.multiply(values, -2.0, out=left[:, :-2], casting="same_kind")
        left[:, -2] = _norms(values)
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
        right[filled, -1] = _norms(values)
        return right

    def of_pairs(self, queries: Integers, query: Integers, row: Integers) -> Reals:
        """Return the squared distances of pairs, shape (p,), by the factors that are kept.

        Parameters
        ----------
        queries : ndarray of int, shape (b,)
        query : ndarray of int, shape (p,)
            Positions in `queries`, ascending.
        row : ndarray of int, shape (p,)
            Rows of the base.
        """
        assert self.kept is not None
        left = self.left(self.queries, queries)
        column = self.base.column[row]
        ends = np.searchsorted(query, np.arange(len(queries) + 1))
        rows = self._room("rows", (int(np.diff(ends).max(initial=0)), self.kept.shape[1]))
        value = np.empty(len(query), dtype=self.dtype)
        for position, (start, stop) in enumerate(pairwise(ends)):
            some = rows[: stop - start]
            # "clip" lets numpy write to `some` at once; all columns exist.
            self.kept.take(column[start:stop], axis=0, out=some, mode="clip")
            np.matmul(some, left[position], out=value[start:stop])
        return value

    def _room(self, use: str, shape: tuple[int, int]) -> Reals:
        """Return memory of this thread, used again: fresh pages take longer than what is done to them."""
        room: Reals | None = getattr(self._scratch, use, None)
        if room is None or room.size < shape[0] * shape[1]:
            room = np.empty(shape[0] * shape[1], dtype=self.dtype)
            setattr(self._scratch, use, room)
        return room[: shape[0] * shape[1]].reshape(shape)

    def widened(self, kth: Reals, queries: Integers) -> Float64:
        """Return bounds within which every row lies that may be as near as `kth`, shape of `kth`.

        `kth`, shape (b, kinds), holds values of `squared`. A product of d + 2 terms in arithmetic of
        unit roundoff u, whose factors are rounded, is off by (d + 5) u times the sum of the terms'
        sizes, which is at most (|q| + |b|)^2, and by what underflows (Higham, Accuracy and Stability of
        Numerical Algorithms, 2002, section 3.1). A base row at distance r of the query is no longer
        than |q| + r, so that far rows, however long, do not widen the bound.
        """
        roundoff = float(np.finfo(self.dtype).eps) / 2
        underflow = float(np.finfo(self.dtype).tiny)
        terms = self.frame.n_features + 8
        bound = 2.0 * terms * roundoff + self.frame.loss
        length = np.sqrt(_norms(self.frame.values(self.queries, queries)))[:, None]
        squared = np.maximum(np.asarray(kth, dtype=np.float64), 0.0)
        near = np.sqrt(2.0 * squared) + 4.0 * np.sqrt(bound) * length
        wide = squared + 2.0 * bound * (2.0 * length + near) ** 2 + 8.0 * terms * underflow
        return np.asarray(wide)


def group_minima(squared: Reals, group: int) -> Reals:
    """Return the minima of the groups of one tile of columns, shape (b, groups of the tile)."""
    apart = squared.shape[1] // group
    parts = (squared[:, first : first + apart] for first in range(0, squared.shape[1], apart))
    minima = next(parts).copy(order="K")
    for part in parts:
        np.minimum(minima, part, out=minima)
    return minima


def _norms(values: Float64) -> Float64:
    return np.asarray(np.einsum("ij,ij->i", values, values))
