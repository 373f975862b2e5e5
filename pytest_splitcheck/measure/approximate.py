"""Approximate nearest neighbours: an index finds them, and a sample tells how many it missed.

An `ApproximateSearch` answers what the exact search answers (`neighbour_shares`, `surviving_neighbours`). An
index finds the rows; their distances are then computed again in float64 from the original values, which
puts them in order. Where taking a class away must leave a full list there is one index for each set of classes
that are taken away together, or, for many such sets, fewer indexes that have the same property
(`families`), and what they find is merged. Too few rows for an index to pay are searched exactly, and so
is a query whose list from the index is not sound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from pytest_splitcheck.measure.audit import Approximation, Audit, sample
from pytest_splitcheck.measure.descent import Index, Mask
from pytest_splitcheck.measure.families import families, needed
from pytest_splitcheck.measure.neighbours import (
    Neighbours,
    neighbour_shares,
    neighbour_shares_in_turn,
    surviving_neighbours,
)
from pytest_splitcheck.measure.neighbours.exact import exact_distances
from pytest_splitcheck.measure.neighbours.reach import tie_margin
from pytest_splitcheck.measure.neighbours.search import Candidates
from pytest_splitcheck.measure.neighbours.shares import slots
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, common_exponent
from pytest_splitcheck.measure.workers import Workers

__all__ = ["ApproximateSearch", "uses_index"]

_SPARE: Final = 14
"""Neighbours that an index keeps beyond those asked for: recall rises, and ties at the k-th are seen."""

_LEAST_ROWS: Final = 2048
_ROWS_PER_NEIGHBOUR: Final = 100
"""Below either an exact search is as fast: building an index takes time that grows as the square of k."""

_LEAST_QUERIES: Final = 20_000
"""With fewer, an exact search is as fast as building the indexes, however large the base is."""

_QUERIES: Final = 512
_LIST_VALUES: Final = 1 << 24


class ApproximateSearch:
    """Searches by an index, with an account of what they missed."""

    def __init__(self) -> None:
        self._audit = Audit()
        self._base: Rows | None = None
        self._parts: list[tuple[Integers, Index | None]] = []

    @property
    def approximation(self) -> Approximation | None:
        """The account of all searches so far; None where all were exact."""
        return self._audit.result()

    def neighbour_shares(
        self, rows: Rows, codes: Integers, n_classes: int, k: int, workers: Workers
    ) -> Float64:
        """Return how many of each row's k neighbour slots each class fills, shape (m, n_classes).

        Parameters are those of the exact `neighbour_shares`. Rows tied at the k-th distance share the slots
        that are left as far as the index has found them.
        """
        m = len(rows)
        if not uses_index(m, k):
            return neighbour_shares(rows, codes, n_classes, k, workers)
        width = min(k + _SPARE, m - 1)
        found, _, broken = _found(Index(rows, width), rows, rows, np.arange(m), width, workers)
        distance, index = _ranked(rows, rows, found)
        query = np.repeat(np.arange(m), width)
        near = Candidates(np.arange(m), query, index.ravel(), distance.ravel())
        shares = slots(near, rows, codes, n_classes, k)
        asked = sample(m)
        lists = Neighbours(distance, index, codes[index])
        nearest = surviving_neighbours(
            rows, codes, rows.subset(asked), k=k, removals=[], workers=workers, own=asked
        )
        recall = _recall(rows, lists, nearest, asked, k, [])
        self._audit.add(recall, len(asked), int(broken.sum()))
        (truth,) = neighbour_shares_in_turn(rows, codes, n_classes, k, workers, [asked])
        itself = np.arange(len(asked)), codes[asked]
        self._audit.compare((truth[itself] - shares[asked][itself]) / k)
        return shares

    def surviving_neighbours(
        self,
        base: Rows,
        codes: Integers,
        queries: Rows,
        *,
        k: int,
        removals: Sequence[Sequence[int]],
        workers: Workers,
        own: Integers | None = None,
    ) -> Neighbours:
        """Return, for each query, lists from which any one of `removals` leaves k near base rows.

        Parameters are those of the exact `surviving_neighbours`. No list falls short.
        """
        exactly = len(queries) < _LEAST_QUERIES
        # One pool is asked for its own rows and for others.
        if not exactly and self._base is not base:
            self._base, self._parts = base, _parts(base, codes, k, removals)
        if exactly or not any(index for _, index in self._parts):
            return surviving_neighbours(
                base, codes, queries, k=k, removals=removals, workers=workers, own=own
            )
        found, repaired = [], 0
        for block in _steps(len(queries), _LIST_VALUES // (len(self._parts) * k)):
            some = queries.subset(np.arange(len(queries))[block])
            itself = None if own is None else own[block]
            candidates, distance, broken = self._candidates(base, some, itself, k, workers)
            near = needed(candidates, distance, codes, k, removals)
            found.append(_ranked(base, some, near))
            repaired += int(broken.sum())
        lists = _joined(found, codes)
        asked = sample(len(queries))
        truth = surviving_neighbours(
            base,
            codes,
            queries.subset(asked),
            k=k,
            removals=removals,
            workers=workers,
            own=None if own is None else own[asked],
        )
        recall = _recall(base, lists, truth, asked, k, removals)
        self._audit.add(recall, len(asked), repaired)
        return lists

    def _candidates(
        self, base: Rows, queries: Rows, own: Integers | None, k: int, workers: Workers
    ) -> tuple[Integers, Float64, Mask]:
        """Return k near rows of every part for each query, side by side, as `_found` does for one."""
        rows, distances, broken = [], [], np.zeros(len(queries), dtype=bool)
        for members, index in self._parts:
            position = np.full(len(base), -1)
            position[members] = np.arange(len(members))
            itself = np.full(len(queries), -1) if own is None else position[own]
            part = base.subset(members)
            lists, distance, bad = _found(index, part, queries, itself, k, workers)
            rows.append(np.where(lists >= 0, members[lists], -1))
            distances.append(distance)
            broken |= bad
        return np.concatenate(rows, axis=1), np.concatenate(distances, axis=1), broken


def _recall(
    base: Rows,
    lists: Neighbours,
    truth: Neighbours,
    asked: Integers,
    k: int,
    removals: Sequence[Sequence[int]],
) -> float:
    """Return the share of rows of `lists` at `asked` that are as near as the k-th of `truth`.

    Mean over the removals.
    """
    sampled = lists.some(asked)
    shares = []
    for removed in removals or [()]:
        border = truth.without(removed, k)[0][:, -1:]
        near = sampled.without(removed, k)[0] <= border + tie_margin(border, base)
        shares.append(float(near.mean()))
    return math.fsum(shares) / len(shares)


def uses_index(m: int, k: int) -> bool:
    """Tell whether the neighbour slots of `m` rows are found by an index, not exactly."""
    return not _too_few(m, min(k + _SPARE, m - 1))


def _too_few(n_rows: int, width: int) -> bool:
    return n_rows < max(_LEAST_ROWS, _ROWS_PER_NEIGHBOUR * width)


def _parts(
    base: Rows, codes: Integers, k: int, removals: Sequence[Sequence[int]]
) -> list[tuple[Integers, Index | None]]:
    """Return the rows of each family of classes with their index, or None for too few of them."""
    apart = families(np.unique(codes).tolist(), removals)
    members = [np.flatnonzero(np.isin(codes, family)) for family in apart]
    return [
        (one, None if _too_few(len(one), k) else Index(base.subset(one), k + _SPARE))
        for one in members
    ]


def _ranked(base: Rows, queries: Rows, found: Integers) -> tuple[Float64, Integers]:
    """Return the distances, ascending, and indices of the rows found, both (q, w); -1 is infinitely far."""
    exponent = common_exponent(base, queries)
    base, queries = base.scaled(exponent), queries.scaled(exponent)
    index = np.sort(found, axis=1)
    distance = np.empty(index.shape)
    for block in _steps(len(index), _QUERIES):
        some = queries.subset(np.arange(len(index))[block])
        query = np.repeat(np.arange(len(some)), index.shape[1])
        pairs = exact_distances(some, query, base, index[block].ravel())
        distance[block] = pairs.reshape(len(some), -1)
    distance[index < 0] = np.inf
    order = np.argsort(distance, axis=1, kind="stable")
    return (
        np.ldexp(np.take_along_axis(distance, order, axis=1), exponent),
        np.take_along_axis(index, order, axis=1),
    )


def _joined(blocks: Sequence[tuple[Float64, Integers]], codes: Integers) -> Neighbours:
    """Put the lists of blocks of queries, which differ in width, below each other."""
    width = max(index.shape[1] for _, index in blocks)
    short = [((0, 0), (0, width - index.shape[1])) for _, index in blocks]
    index = np.concatenate(
        [np.pad(one, pad, constant_values=-1) for (_, one), pad in zip(blocks, short, strict=True)]
    )
    distance = np.concatenate(
        [np.pad(d, pad, constant_values=np.inf) for (d, _), pad in zip(blocks, short, strict=True)]
    )
    return Neighbours(distance, index, np.where(index >= 0, codes[index], -1))


def _found(
    index: Index | None, base: Rows, queries: Rows, itself: Integers, k: int, workers: Workers
) -> tuple[Integers, Float64, Mask]:
    """Return k near rows of `base` for each query, their distances, and where `index` had none to use.

    Those have exact lists; without an index all have.
    """
    if index is None:
        lists, distance = _exact_lists(base, queries, itself, k, workers)
        return lists, distance, np.zeros(len(queries), dtype=bool)
    lists, distance, sound = index.nearest(queries, itself, k)
    again = np.flatnonzero(~sound)
    if len(again):
        lists[again], distance[again] = _exact_lists(
            base, queries.subset(again), itself[again], k, workers
        )
    return lists, distance, ~sound


def _exact_lists(
    part: Rows, queries: Rows, itself: Integers, k: int, workers: Workers
) -> tuple[Integers, Float64]:
    """Return the k nearest rows of `part` for each query and their distances; -1 where there are fewer."""
    lists = np.full((len(queries), k), -1, dtype=np.intp)
    distance = np.full((len(queries), k), np.inf)
    one_class = np.zeros(len(part), dtype=np.intp)
    for inside in (True, False):
        asked = np.flatnonzero((itself >= 0) == inside)
        size = min(k, len(part) - inside)
        if len(asked) and size:
            found = surviving_neighbours(
                part,
                one_class,
                queries.subset(asked),
                k=size,
                removals=[],
                workers=workers,
                own=itself[asked] if inside else None,
            )
            distance[asked, :size], lists[asked, :size] = found.without((), size)
    return lists, distance


def _steps(n_rows: int, size: int) -> Iterator[slice]:
    for start in range(0, n_rows, max(1, size)):
        yield slice(start, min(start + max(1, size), n_rows))
