"""Squared distances to a whole base by matrix products, with a bound on their error."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Float64, Integers, Rows

__all__ = ["Base", "Products"]

_TILE_VALUES = 1 << 21
"""Values of the base that one product takes: 8 MB in float32."""

_LARGEST_GROUP = 16
_GROUPS_PER_NEIGHBOUR = 4
"""Groups that every removal leaves, per neighbour; with few, the reach from their minima is loose."""

_PADDING = 1.25
"""Columns per row that groups of one kind may cost, since the last of each kind is padded."""

_FLOAT32_RANGE = 20
"""Values below 2**20 and above 2**-20 can be squared in float32 without scaling."""


class Base:
    """The rows of a base as columns: those of one kind in groups, whose members lie G columns apart.

    The group minimum is then an elementwise minimum of contiguous pieces.

    Attributes
    ----------
    row : ndarray of int, shape (group * G,)
        Row of each column; -1 for padding.
    column : ndarray of int, shape (n,)
        Column of each row.
    kinds : list of (int, int, int)
        Kind, first group and end of the groups of each kind.
    """

    def __init__(self, kind: Integers, removals: Removals) -> None:
        sizes = np.bincount(kind, minlength=removals.n_kinds)
        self.group = _group_size(sizes, removals)
        groups = -(-sizes // self.group)
        self.n_groups = int(groups.sum())
        ends = np.cumsum(groups)
        self.kinds = [
            (code, int(end - size), int(end))
            for code, (size, end) in enumerate(zip(groups, ends, strict=True))
            if size
        ]
        self.kind_of_group = np.repeat(np.arange(len(groups)), groups)
        in_order = np.argsort(kind, kind="stable")
        row = np.full((self.group, self.n_groups), -1, dtype=np.intp)
        stop = np.cumsum(sizes)
        for code, first, end in self.kinds:
            # Rows next to each other, which may be alike, go to different groups.
            columns = np.full(self.group * (end - first), -1, dtype=np.intp)
            columns[: sizes[code]] = in_order[stop[code] - sizes[code] : stop[code]]
            row[:, first:end] = columns.reshape(self.group, end - first)
        self.row = row.reshape(-1)
        self.column = np.empty(len(kind), dtype=np.intp)
        filled = np.flatnonzero(self.row >= 0)
        self.column[self.row[filled]] = filled

    def minima(self, squared: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the minimum of each group, shape (b, G), of values of shape (b, group * G)."""
        return np.asarray(
            np.minimum.reduce(squared.reshape(len(squared), self.group, self.n_groups), axis=1)
        )

    def members(self, groups: Integers) -> Integers:
        """Return the columns of each group, shape (len(groups), group)."""
        return groups[:, None] + np.arange(self.group) * self.n_groups


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


class Products:
    """Squared distances as ``|q|^2 + |b|^2 - 2 q b`` on centred values, in one floating-point type.

    Parameters
    ----------
    base : Base
    rows : Rows of length n
        The rows of the base.
    queries : Rows
    dtype : numpy type
        ``float32`` or ``float64``.
    room : int
        Bytes; the columns are kept where they fit, else made anew for each block of queries.
    """

    def __init__(self, base: Base, rows: Rows, queries: Rows, dtype: type, room: int) -> None:
        self.base, self.rows, self.queries = base, rows, queries
        self.dtype = np.dtype(dtype)
        self.centre = rows.mean()
        largest = max(rows.largest(), queries.largest(), float(np.abs(self.centre).max()))
        exponent = int(np.frexp(largest)[1]) if largest > 0 else 0
        self.scale = 1.0 if abs(exponent) < _FLOAT32_RANGE else 2.0**-exponent
        self.step = max(1, _TILE_VALUES // (rows.n_features + 2))
        n_bytes = len(base.row) * (rows.n_features + 2) * self.dtype.itemsize
        self.kept: dict[int, npt.NDArray[Any]] | None = {} if n_bytes <= room else None

    @property
    def starts(self) -> range:
        """First columns of the tiles."""
        return range(0, len(self.base.row), self.step)

    def squared(self, queries: Integers, own: Integers | None) -> npt.NDArray[Any]:
        """Return the squared distances of queries to all columns, shape (b, group * G).

        Padding, and each query's `own` column, is infinite.
        """
        values = self._centred(self.queries, queries)
        left = np.empty((len(queries), values.shape[1] + 2), dtype=self.dtype)
        np.multiply(values, -2.0, out=left[:, :-2], casting="same_kind")
        left[:, -2] = _norms(values)
        left[:, -1] = 1.0
        squared = np.empty((len(queries), len(self.base.row)), dtype=self.dtype)
        for start in self.starts:
            tile = slice(start, start + self.step)
            np.matmul(left, self.tile(start).T, out=squared[:, tile])
        if own is not None:
            squared[np.arange(len(queries)), self.base.column[own]] = np.inf
        return squared

    def tile(self, start: int) -> npt.NDArray[Any]:
        """Return the factors of some columns, shape (c, d + 2)."""
        if self.kept is not None and start in self.kept:
            return self.kept[start]
        row = self.base.row[start : start + self.step]
        filled = np.flatnonzero(row >= 0)
        values = self._centred(self.rows, row[filled])
        tile = np.zeros((len(row), values.shape[1] + 2), dtype=self.dtype)
        tile[filled, :-2] = values
        tile[:, -2] = 1.0
        tile[:, -1] = np.inf
        tile[filled, -1] = _norms(values)
        if self.kept is not None:
            self.kept[start] = tile
        return tile

    def widened(self, kth: npt.NDArray[Any], queries: Integers) -> Float64:
        """Return bounds within which every row lies that may be as near as `kth`, shape of `kth`.

        `kth`, shape (b, kinds), holds values of `squared`. A product of d + 2 terms in arithmetic of
        unit roundoff u, whose factors are rounded, is off by (d + 5) u times the sum of the terms'
        sizes, which is at most (|q| + |b|)^2, and by what underflows (Higham, Accuracy and Stability of
        Numerical Algorithms, 2002, section 3.1). A base row at distance r of the query is no longer
        than |q| + r, so that far rows, however long, do not widen the bound.
        """
        roundoff = float(np.finfo(self.dtype).eps) / 2
        underflow = float(np.finfo(self.dtype).tiny)
        terms = self.rows.n_features + 8
        bound = 2.0 * terms * roundoff
        length = np.sqrt(_norms(self._centred(self.queries, queries)))[:, None]
        squared = np.maximum(np.asarray(kth, dtype=np.float64), 0.0)
        near = np.sqrt(2.0 * squared) + 4.0 * np.sqrt(bound) * length
        wide = squared + 2.0 * bound * (2.0 * length + near) ** 2 + 8.0 * terms * underflow
        return np.asarray(wide)

    def _centred(self, rows: Rows, which: Integers) -> Float64:
        values = rows.take(which) - self.centre
        if self.scale != 1.0:
            values *= self.scale
        return values


def _norms(values: Float64) -> Float64:
    return np.asarray(np.einsum("ij,ij->i", values, values))
