"""Candidates from k-d trees, for rows of few values."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pytest_splitcheck.measure.neighbours.blocks import blocks_of
from pytest_splitcheck.measure.neighbours.products import Frame
from pytest_splitcheck.measure.neighbours.reach import Pairs, tie_margin
from pytest_splitcheck.measure.neighbours.removals import Flags, Removals
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, squared_lengths
from pytest_splitcheck.measure.workers import Workers

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

__all__ = ["Trees", "pays"]

_MOST_FEATURES = 7
_FEWEST_ROWS = 2048
_MOST_REMOVALS = 64
"""Every removal may ask for a tree of its own."""

_SPARE = 4
"""Rows beyond the reach that a list holds, so that few ties reach its end."""

_ROUNDING = 2.0**-48
"""Bound on the error of a distance, relative to the rows' lengths: some 32 roundings."""

_UNDERFLOW = 1e-140
"""Distances whose squares the trees lose."""


def pays(base: Rows, removals: Removals) -> bool:
    """Tell whether trees are quicker than products."""
    return (
        base.n_features <= _MOST_FEATURES
        and len(base) >= _FEWEST_ROWS
        and len(removals.takes) <= _MOST_REMOVALS
    )


class Trees:
    """A tree of the whole base and, where they are needed, of what some removals leave.

    Parameters
    ----------
    rows : Rows of length n
        The rows of the base.
    kind : ndarray of int, shape (n,)
    queries : Rows
    frame : Frame
    removals : Removals
    """

    bytes_per_thread = 0

    def __init__(
        self, rows: Rows, kind: Integers, queries: Rows, frame: Frame, removals: Removals
    ) -> None:
        self.rows, self.kind, self.queries = rows, kind, queries
        self.frame, self.removals = frame, removals
        self.points = frame.values(rows, np.arange(len(rows)))
        self._trees: dict[bytes, tuple[cKDTree, Integers]] = {}
        self._lock = threading.Lock()

    def blocks(self, queries: Integers, workers: Workers) -> list[Integers]:
        """Cut queries into blocks."""
        return blocks_of(queries, 64 * (2 * self.removals.k + _SPARE), workers)

    def near_pairs(
        self, queries: Integers, own: Integers | None
    ) -> tuple[Iterator[Pairs], Integers]:
        """Return candidates, and the queries whose lists end among ties.

        Parameters
        ----------
        queries : ndarray of int, shape (b,)
        own : ndarray of int, shape (b,), optional
            The base row that each query is.
        """
        k, n = self.removals.k, len(self.rows)
        points = self.frame.values(self.queries, queries)
        itself = np.full(len(queries), -1) if own is None else own
        nothing = np.zeros(self.removals.n_kinds + 1, dtype=bool)
        value, row = self._nearest(points, itself, nothing, 2 * k + _SPARE)
        lists = [(np.arange(len(queries)), nothing, value, row)]

        def beyond(removal: Integers, short: Integers) -> Float64:
            kth = np.empty(len(short))
            for one in np.unique(removal):
                here = np.flatnonzero(removal == one)
                takes, some = self.removals.takes[one], short[here]
                value, row = self._nearest(points[some], itself[some], takes, k + _SPARE)
                lists.append((some, takes, value, row))
                kth[here] = value[:, k - 1]
            return kth

        kind = np.where(row < 0, -1, self.kind[row])
        reach = self.removals.reach(value, kind, beyond)
        # Centred values are off by u |x|, and no near row is longer than |q| + reach; once for the k-th
        # distance, once for the distance that is compared with it.
        length = np.sqrt(squared_lengths(points))[:, None]
        reach += _ROUNDING * (2.0 * length + reach)
        reach += tie_margin(reach, self.rows)
        # A list is complete up to its last distance; every kind needs a list that goes far enough.
        complete = np.zeros(reach.shape, dtype=bool)
        complete[:, np.bincount(self.kind, minlength=self.removals.n_kinds) == 0] = True
        found = []
        for some, takes, value, row in lists:
            enough = reach[some] < value[:, -1:]
            complete[some] |= enough & ~takes[:-1]
            near = (row >= 0) & (value <= reach[some[:, None], self.kind[row]])
            found.append(some[np.nonzero(near)[0]] * n + row[near])
        settled = complete.all(axis=1) & (reach.min(axis=1) > _UNDERFLOW)
        query, row = np.divmod(np.unique(np.concatenate(found)), n)
        position = np.cumsum(settled) - 1
        kept = settled[query]
        pairs = Pairs(queries[settled], position[query[kept]], row[kept])
        return iter([pairs] if settled.any() else []), queries[~settled]

    def _nearest(
        self, points: Float64, itself: Integers, takes: Flags, number: int
    ) -> tuple[Float64, Integers]:
        """Return distances and rows, (b, number), of the nearest that a removal leaves.

        Padded with infinity and -1 where there are fewer.
        """
        tree, left = self._tree(takes)
        found, place = tree.query(points, k=np.arange(1, number + 2))
        value, row = np.asarray(found), np.append(left, -1)[place]
        gone = (row == itself[:, None]) & (row >= 0)
        gone[~gone.any(axis=1), -1] = True  # one too many was asked for
        return (
            value[~gone].reshape(len(points), number),
            row[~gone].reshape(len(points), number),
        )

    def _tree(self, takes: Flags) -> tuple[cKDTree, Integers]:
        """Return the tree of what a removal leaves, and the rows in it."""
        with self._lock:
            key = takes.tobytes()
            if key not in self._trees:
                from scipy.spatial import cKDTree

                left = np.flatnonzero(~takes[self.kind])
                self._trees[key] = cKDTree(self.points[left]), left
            return self._trees[key]
