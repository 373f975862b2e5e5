"""The rows of a base as columns of a matrix: in tiles, and in groups that have cheap minima."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Integers

__all__ = ["Columns", "Reals", "group_minima", "runs_of"]

Reals = npt.NDArray[Any]

_TILE_VALUES, _MOST_TILE_VALUES = 1 << 20, 1 << 22
_TILE_COLUMNS = 512, 1024
"""Values and columns of the base that one product takes: 4 MB in float32, mostly, 16 MB at most."""

_LARGEST_GROUP = 16
_GROUPS_PER_NEIGHBOUR = 4
"""Groups that every removal leaves, per neighbour; with few, the reach from their minima is loose."""

_PADDING = 1.25
"""Columns per row that groups of one kind may cost, since the last of each kind is padded."""


class Columns:
    """The rows of a base, laid out so that groups of one kind have cheap minima.

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

    def __init__(
        self,
        kind: Integers,
        removals: Removals,
        n_features: int,
        *,
        largest_group: int = _LARGEST_GROUP,
    ) -> None:
        sizes = np.bincount(kind, minlength=removals.n_kinds)
        self.group = _group_size(sizes, removals, largest_group)
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

    @functools.cached_property
    def kinds(self) -> list[tuple[int, int, int]]:
        """Kind, first group and end of the groups of each kind."""
        return runs_of(self.kind_of_group)


def runs_of(kind: Integers) -> list[tuple[int, int, int]]:
    """Return each kind, ascending, and where it begins and ends."""
    borders = [0, *(np.flatnonzero(np.diff(kind)) + 1).tolist(), len(kind)]
    return [
        (int(kind[start]), start, end) for start, end in itertools.pairwise(borders) if start < end
    ]


def _tile_columns(n_features: int) -> int:
    columns = int(np.clip(_TILE_VALUES // (n_features + 2), *_TILE_COLUMNS))
    return min(columns, _MOST_TILE_VALUES // (n_features + 2))


def _group_size(sizes: Integers, removals: Removals, group: int) -> int:
    """Return the largest size, `group` or a half of it and so on, that costs little padding and leaves enough groups."""
    while group > 1:
        groups = -(-sizes // group)
        left = groups.sum() - (groups * removals.takes[:, :-1]).sum(axis=1)
        enough = left.min() >= _GROUPS_PER_NEIGHBOUR * removals.k
        if enough and groups.sum() * group <= _PADDING * sizes.sum():
            break
        group //= 2
    return group


def group_minima(squared: Reals, group: int) -> Reals:
    """Return the minima of the groups of one tile of columns, shape (columns, b), as (groups of the tile, b)."""
    return np.asarray(squared.reshape(group, -1, squared.shape[1]).min(axis=0))
