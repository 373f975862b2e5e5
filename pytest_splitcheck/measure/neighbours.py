"""Exact nearest neighbours, in one pass for all splits.

Two questions are asked of a base of labelled rows. Which classes fill a row's k neighbour slots, with
ties shared (`neighbour_shares`, for leakage)? And which are the k nearest rows once a class is taken
away, for every class that is held out (`surviving_neighbours`, for the detectors)? Taking a class away
never makes a list fall short: a row is kept whenever it is among the k nearest without some held-out
class, which holds for 2k rows at most where classes are held out one by one.

Precision. A block of squared distances is computed as ``|a|^2 + |b|^2 - 2ab`` on centred float64 values.
Its error is bounded (`widened`), and every row within the bound of the k-th distance is a candidate. The
distances of candidates are then computed again from the differences of the original values, and only
these decide.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from pytest_splitcheck.measure.rows import Float64, Integers, Rows, common_exponent

__all__ = ["Neighbours", "neighbour_shares", "neighbour_shares_in_turn", "surviving_neighbours"]

T = TypeVar("T")

TIE_RTOL = 5e-11
"""Distances closer than this, relative to the k-th, are tied.

Far above float64 rounding, which tears ties apart (pixels divided by 255), and far below the spacing of
the neighbour distances of real data.
"""

TIE_ATOL_UNIT = 1e-15
"""The same, absolute, for rows scaled to unit length: rounding keeps equal directions apart by this."""

_BLOCK_BYTES = 1 << 26
_TILE_VALUES = 1 << 21
_PAIR_VALUES = 1 << 20


@dataclass(frozen=True, slots=True)
class Neighbours:
    """For each query, the base rows that are among its k nearest once some held-out group is gone.

    Attributes
    ----------
    distance : ndarray of float64, shape (q, w)
        Ascending; padded with infinity.
    index : ndarray of int, shape (q, w)
        Row of the base; padded with -1. Equal distances are in order of the index.
    code : ndarray of int, shape (q, w)
        Class of that row; padded with -1.
    """

    distance: Float64
    index: Integers
    code: Integers

    def without(self, removed: Sequence[int], k: int) -> tuple[Float64, Integers]:
        """Return distances and indices, both (q, k), of the k nearest rows of no class in `removed`."""
        stays = (self.code >= 0) & ~np.isin(self.code, removed)
        stays &= np.cumsum(stays, axis=1) <= k
        column = np.nonzero(stays)[1].reshape(len(stays), k)
        return (
            np.take_along_axis(self.distance, column, axis=1),
            np.take_along_axis(self.index, column, axis=1),
        )


def neighbour_shares(
    rows: Rows,
    codes: Integers,
    n_classes: int,
    k: int,
    threads: int,
    queries: Integers | None = None,
) -> Float64:
    """Return how many of each row's k neighbour slots each class fills, shape (q, n_classes).

    A row is never its own neighbour. Rows strictly closer than the k-th neighbour fill one slot each;
    the rows tied at its distance share the slots that are left equally, so that the numbers are
    expectations over random tie-breaking and do not depend on the order of the rows.

    Parameters
    ----------
    rows : Rows of length m
    codes : ndarray of int, shape (m,)
        Class of each row, in ``range(n_classes)``.
    k : int
        From 1 to m - 1.
    queries : ndarray of int, shape (q,), optional
        The rows whose slots are wanted, in this order; all by default.
    """
    wanted = np.arange(len(rows)) if queries is None else queries
    (shares,) = neighbour_shares_in_turn(rows, codes, n_classes, k, threads, [wanted])
    return shares


def neighbour_shares_in_turn(
    rows: Rows,
    codes: Integers,
    n_classes: int,
    k: int,
    threads: int,
    batches: Iterable[Integers],
) -> Iterator[Float64]:
    """Yield the `neighbour_shares` of one batch of rows after the other, each when it is asked for.

    What the batches have in common is computed once.
    """
    everything = _Search(rows, codes, rows, np.arange(len(rows)))
    tie_atol = TIE_ATOL_UNIT if rows.unit else 0.0

    def shares(search: _Search, block: slice) -> Float64:
        squared = search.squared_distances(block)
        kth = np.partition(squared, k - 1, axis=1)[:, k - 1]
        farthest = np.sqrt(np.maximum(search.widened(kth, block), 0.0))
        reach = (farthest * (1.0 + TIE_RTOL) + tie_atol) ** 2
        query, column = np.nonzero(squared <= reach[:, None])
        exact = search.exact(block, query, column)
        order = np.lexsort((exact, query))
        query, column, exact = query[order], column[order], exact[order]
        first = np.searchsorted(query, np.arange(len(reach)))
        border = exact[first + k - 1][query]
        margin = TIE_RTOL * border + tie_atol
        closer = exact < border - margin
        tied = ~closer & (exact <= border + margin)
        n_closer = np.bincount(query[closer], minlength=len(reach))
        n_tied = np.bincount(query[tied], minlength=len(reach))
        weight = np.where(tied, ((k - n_closer) / n_tied)[query], closer)
        cell = query * n_classes + search.codes[column]
        total = np.bincount(cell, weights=weight, minlength=len(reach) * n_classes)
        return np.asarray(total, dtype=np.float64).reshape(len(reach), n_classes)

    for batch in batches:
        search = everything.of(batch)
        yield np.concatenate(search.run(partial(shares, search), threads))


def surviving_neighbours(
    base: Rows,
    codes: Integers,
    queries: Rows,
    *,
    k: int,
    removals: Sequence[Sequence[int]],
    threads: int,
    own: Integers | None = None,
) -> Neighbours:
    """Return, for each query, lists from which any one of `removals` leaves the k nearest base rows.

    Parameters
    ----------
    base : Rows of length n
    codes : ndarray of int, shape (n,)
        Class of each base row.
    queries : Rows of length q
    k : int
        For every removal at least k base rows must be left, beside the query itself.
    removals : sequence of sequences of int
        Classes that are taken away together.
    own : ndarray of int, shape (q,), optional
        The base row that each query is, which is left out of its list; by default none.
    """
    search = _Search(base, codes, queries, own)

    def lists(block: slice) -> Neighbours:
        squared = search.squared_distances(block)
        reach = search.widened(search.reach_without(squared, k, removals), block)
        query, column = search.within(squared, reach)
        exact = search.exact(block, query, column)
        index = search.order[column]
        by_distance = np.lexsort((index, exact, query))
        query, column = query[by_distance], column[by_distance]
        ragged = (exact[by_distance], index[by_distance], search.codes[column])
        padded = _pad(query, len(squared), ragged)
        return _trim(padded, k, removals)

    parts = search.run(lists, threads)
    width = max(part.index.shape[1] for part in parts)
    return Neighbours(
        np.ldexp(_stack([part.distance for part in parts], width, np.inf), search.exponent),
        _stack([part.index for part in parts], width, -1),
        _stack([part.code for part in parts], width, -1),
    )


class _Search:
    """Blocks of squared distances between queries and a base whose columns are sorted by class."""

    def __init__(self, base: Rows, codes: Integers, queries: Rows, own: Integers | None) -> None:
        self.exponent = common_exponent(base, queries)
        self.order = np.argsort(codes, kind="stable")
        self.codes = codes[self.order]
        self.base = base.scaled(self.exponent).subset(self.order)
        self.queries = queries.scaled(self.exponent)
        self.centre = self.base.mean()
        self.norms = np.concatenate([self._norms(self.base, rows) for rows in self.base.blocks()])
        self.segments = [
            (int(code), int(start), int(stop)) for code, start, stop in _runs(self.codes)
        ]
        self.own: Integers | None = None
        if own is not None:
            position = np.empty(len(base), dtype=np.intp)
            position[self.order] = np.arange(len(base))
            self.own = position[own]

    def of(self, queries: Integers) -> _Search:
        """Return the search for the queries at these positions."""
        chosen = copy.copy(self)
        chosen.queries = self.queries.subset(queries)
        chosen.own = None if self.own is None else self.own[queries]
        return chosen

    def run(self, work: Callable[[slice], T], threads: int) -> list[T]:
        """Return what `work` gives for each block of queries; BLAS is held to one thread each."""
        step = int(np.clip(_BLOCK_BYTES // (8 * len(self.base)), 16, 256))
        todo = [
            slice(start, min(start + step, len(self.queries)))
            for start in range(0, len(self.queries), step)
        ]
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, todo))

    def squared_distances(self, block: slice) -> Float64:
        """Return squared distances, shape (b, n), exact up to rounding; infinite for the row itself."""
        queries = self.queries.take(block) - self.centre
        squared = np.empty((len(queries), len(self.base)))
        step = max(1, _TILE_VALUES // self.base.n_features)
        for start in range(0, len(self.base), step):
            tile = slice(start, min(start + step, len(self.base)))
            np.matmul(queries, (self.base.take(tile) - self.centre).T, out=squared[:, tile])
        squared *= -2.0
        squared += self.norms
        squared += np.einsum("ij,ij->i", queries, queries)[:, None]
        if self.own is not None:
            squared[np.arange(len(queries)), self.own[block]] = np.inf
        return squared

    def widened(self, kth: Float64, block: slice) -> Float64:
        """Return bounds within which every row lies that may be as near as `kth`, shape of `kth`.

        `kth`, shape (b,) or (b, ...), holds squared distances of `squared_distances`. These are off by
        g (|a| + |b|)^2 at most: a dot product of d terms by d u |a| |b| with u = 2**-53, the squared
        norms by d u |a|^2 and d u |b|^2, and centring moves each value by one rounding (Higham,
        Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). A base row at distance r of
        the query is no longer than |q| + r, so that far rows, however long, do not widen the bound.
        """
        bound = 2.0 * (self.base.n_features + 8) * 2.0**-53
        length = np.sqrt(self._norms(self.queries, block))
        length = length.reshape(-1, *[1] * (kth.ndim - 1))
        near = np.sqrt(2.0 * np.maximum(kth, 0.0)) + 4.0 * np.sqrt(bound) * length
        return np.asarray(kth + 2.0 * bound * (2.0 * length + near) ** 2)

    def exact(self, block: slice, query: Integers, column: Integers) -> Float64:
        """Return the distances of pairs, shape (p,), from differences of original values."""
        distance = np.empty(len(query))
        values = self.queries.take(block)
        step = max(1, _PAIR_VALUES // self.base.n_features)
        for start in range(0, len(query), step):
            pairs = slice(start, start + step)
            difference = self.base.take(column[pairs]) - values[query[pairs]]
            distance[pairs] = _length(difference)
        return distance

    def reach_without(self, squared: Float64, k: int, removals: Sequence[Sequence[int]]) -> Float64:
        """Return how far a row of each class can be and still survive some removal, shape (b, segments).

        That is the largest k-th distance over the removals that leave the class in place.
        """
        nearest = []
        for _, start, stop in self.segments:
            part = squared[:, start:stop]
            size = min(k, stop - start)
            nearest.append(np.partition(part, size - 1, axis=1)[:, :size])
        value = np.concatenate(nearest, axis=1)
        code = np.repeat([code for code, _, _ in self.segments], [n.shape[1] for n in nearest])
        order = np.argsort(value, axis=1)
        value = np.take_along_axis(value, order, axis=1)
        kth = value[:, k - 1]
        reach = np.repeat(kth[:, None], len(self.segments), axis=1)
        present = np.array([code for code, _, _ in self.segments])
        for removed, touched, rank in _ranks_without(code[order], k, removals):
            position = np.argmax(rank == k, axis=1)
            farther = np.where((rank == k).any(axis=1), value[touched, position], np.inf)
            stays = np.flatnonzero(~np.isin(present, removed))
            cells = np.ix_(touched, stays)
            reach[cells] = np.maximum(reach[cells], farther[:, None])
        return reach

    def within(self, squared: Float64, reach: Float64) -> tuple[Integers, Integers]:
        """Return the pairs (query, column) no farther than the `reach` of the column's class."""
        found = np.empty(squared.shape, dtype=bool)
        for segment, (_, start, stop) in enumerate(self.segments):
            found[:, start:stop] = squared[:, start:stop] <= reach[:, segment, None]
        if self.own is not None:
            found &= np.isfinite(squared)
        query, column = np.nonzero(found)
        return query, column

    def _norms(self, rows: Rows, block: slice) -> Float64:
        centred = rows.take(block) - self.centre
        return np.asarray(np.einsum("ij,ij->i", centred, centred))


def _length(difference: Float64) -> Float64:
    """Return the length of each row, also where its square would underflow."""
    squared = np.einsum("ij,ij->i", difference, difference)
    length: Float64 = np.sqrt(squared)
    small = np.flatnonzero(squared < 2.0**-900)
    if len(small):
        scaled = np.ldexp(difference[small], 900)
        length[small] = np.ldexp(np.sqrt(np.einsum("ij,ij->i", scaled, scaled)), -900)
    return length


def _ranks_without(
    code: Integers, k: int, removals: Sequence[Sequence[int]]
) -> Iterator[tuple[Sequence[int], Integers, Integers]]:
    """Yield (removed, rows, rank) for the removals that change the first k of some sorted lists.

    `code`, shape (b, w), holds the classes of each list in order of distance, -1 for padding. `rows`
    are the lists that change; `rank`, shape (len(rows), w), numbers what the removal leaves from 1, and
    is 0 for what it takes away and for padding.
    """
    for removed in removals:
        goes = np.isin(code[:, :k], removed).any(axis=1)
        touched = np.flatnonzero(goes)
        if not len(touched):
            continue
        stays = (code[touched] >= 0) & ~np.isin(code[touched], removed)
        yield removed, touched, np.where(stays, np.cumsum(stays, axis=1), 0)


def _trim(lists: Neighbours, k: int, removals: Sequence[Sequence[int]]) -> Neighbours:
    """Drop what is among the k nearest after no removal; pack the rest to the left."""
    kept = np.zeros(lists.code.shape, dtype=bool)
    kept[:, :k] = lists.code[:, :k] >= 0
    for _, touched, rank in _ranks_without(lists.code, k, removals):
        kept[touched] |= (rank > 0) & (rank <= k)
    query, column = np.nonzero(kept)
    ragged = (
        lists.distance[query, column],
        lists.index[query, column],
        lists.code[query, column],
    )
    return _pad(query, len(kept), ragged)


def _pad(query: Integers, n_queries: int, ragged: tuple[Float64, Integers, Integers]) -> Neighbours:
    """Lay out ragged lists, sorted by `query`, as padded arrays."""
    length = np.bincount(query, minlength=n_queries)
    start = np.cumsum(length) - length
    column = np.arange(len(query)) - start[query]
    shape = (n_queries, int(length.max(initial=0)))
    padded = Neighbours(
        np.full(shape, np.inf), np.full(shape, -1, np.intp), np.full(shape, -1, np.intp)
    )
    padded.distance[query, column] = ragged[0]
    padded.index[query, column] = ragged[1]
    padded.code[query, column] = ragged[2]
    return padded


def _runs(codes: Integers) -> Iterator[tuple[int, int, int]]:
    """Yield (code, start, stop) for each run of equal codes in a sorted array."""
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    stops = np.r_[starts[1:], len(codes)]
    yield from zip(codes[starts], starts, stops, strict=True)


N = TypeVar("N", np.float64, np.intp)


def _stack(parts: list[npt.NDArray[N]], width: int, fill: float) -> npt.NDArray[N]:
    """Stack blocks of lists of different widths."""
    rows = sum(len(part) for part in parts)
    stacked = np.full((rows, width), fill, dtype=parts[0].dtype)
    start = 0
    for part in parts:
        stacked[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return stacked
