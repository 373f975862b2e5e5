"""Lists of neighbours from which any of several removals leaves the k nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pytest_splitcheck.measure.neighbours.reach import layout
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.search import Candidates, Search
from pytest_splitcheck.measure.neighbours.ties import with_whole_ties
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, row_means
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Neighbours", "joined", "surviving_neighbours", "survivors"]

_SAFE_EXPONENT = 900
"""Up to the power of two with it, the distances of a list can be added."""

_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, slots=True)
class Neighbours:
    """For each query, the base rows that are among its k nearest once some held-out group is gone.

    A row is kept whenever it is among the k nearest without some removal, so that taking one away never
    makes a list fall short; where single classes are removed, 2k rows are enough.

    Attributes
    ----------
    distance : ndarray of float64, shape (q, w)
        Ascending; padded with infinity.
    index : ndarray of int, shape (q, w)
        Row of the base; padded with -1. Distances equal up to rounding are the same, and in order of the
        index.
    code : ndarray of int, shape (q, w)
        Class of that row; padded with -1.
    clear : bool
        Whether what is equal up to rounding is so in any part of the base.
    """

    distance: Float64
    index: Integers
    code: Integers
    clear: bool = True
    _firsts: dict[int, _First] = field(default_factory=dict, init=False, repr=False)

    def some(self, queries: Integers) -> Neighbours:
        """Return the lists of some of the queries."""
        return replace(
            self,
            distance=self.distance[queries],
            index=self.index[queries],
            code=self.code[queries],
        )

    def among(self, place: Integers) -> Neighbours:
        """Return the lists of the rows that have a place, by which they are numbered anew.

        Parameters
        ----------
        place : ndarray of int, shape (n,)
            Ascending; -1 for base rows that are left out.
        """
        stays = (self.index >= 0) & (place[self.index] >= 0)
        query, column = np.nonzero(stays)
        counts = stays.sum(axis=1)
        lists = _empty(len(stays), int(counts.max(initial=0)), self.clear)
        to = query, np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
        lists.distance[to] = self.distance[query, column]
        lists.index[to] = place[self.index[query, column]]
        lists.code[to] = self.code[query, column]
        return lists

    def replaced(self, queries: Integers, others: Neighbours, codes: Integers) -> Neighbours:
        """Return lists in which those of some queries are others, whose classes are those of `codes`."""
        width = max(self.index.shape[1], others.index.shape[1])
        lists = _empty(len(self.index), width, self.clear and others.clear)
        for to, part in ((slice(None), self), (queries, others)):
            used = part.index.shape[1]
            lists.distance[to], lists.index[to], lists.code[to] = np.inf, -1, -1
            lists.distance[to, :used], lists.index[to, :used] = part.distance, part.index
            lists.code[to, :used] = np.where(part.index >= 0, codes[part.index], -1)
        return lists

    def without(self, removed: Sequence[int], k: int) -> tuple[Float64, Integers]:
        """Return distances and indices, both (q, k), of the k nearest rows of no class in `removed`."""
        distance, index = self.distance[:, :k].copy(), self.index[:, :k].copy()
        changed, *left = self._changed(removed, k)
        distance[changed], index[changed] = left
        return distance, index

    def mean_without(self, removed: Sequence[int], k: int) -> Float64:
        """Return the mean distance to the k nearest rows of no class in `removed`, shape (q,)."""
        mean = self._first(k).mean.copy()
        changed, distance, _ = self._changed(removed, k)
        mean[changed] = _means(distance)
        return mean

    def _changed(self, removed: Sequence[int], k: int) -> tuple[Integers, Float64, Integers]:
        """Return the lists that have rows of `removed` among their first k, and what they have without."""
        changed = self._first(k).lists_with(removed)
        codes = self.code[changed]
        left = codes >= 0
        for code in removed:
            left &= codes != code
        left &= np.cumsum(left, axis=1, dtype=np.int32) <= k
        column = np.nonzero(left)[1].reshape(len(changed), k)
        place = changed[:, None], column
        return changed, self.distance[place], self.index[place]

    def _first(self, k: int) -> _First:
        """Return what is known of the first k of each list; found once, as splits come by the hundred."""
        if k not in self._firsts:
            self._firsts[k] = _First.of(self, k)
        return self._firsts[k]


@dataclass(frozen=True, slots=True)
class _First:
    """The first of each list.

    Attributes
    ----------
    mean : ndarray of float64, shape (q,)
        Of their distances.
    holders : ndarray of int
        Lists that have a class among their first, class by class.
    starts : ndarray of int, shape (classes + 1,)
        Where those of each class begin.
    """

    mean: Float64
    holders: Integers
    starts: Integers

    @classmethod
    def of(cls, lists: Neighbours, k: int) -> _First:
        """Look at the first k."""
        width = min(k, lists.code.shape[1])
        codes = lists.code[:, :width].reshape(-1)
        # numpy sorts short integers in a fraction of the time.
        short = np.int16 if codes.max(initial=0) <= np.iinfo(np.int16).max else np.intp
        order = np.argsort(codes.astype(short), kind="stable")
        code, holders = codes[order], order // width
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(code) > 0) | (np.diff(holders) > 0)
        code, holders = code[new], holders[new]
        starts = np.searchsorted(code, np.arange(codes.max(initial=-1) + 2))
        return cls(_means(lists.distance[:, :k]), holders, starts)

    def lists_with(self, classes: Sequence[int]) -> Integers:
        """Return the lists that have some class among their first, ascending."""
        known = [code for code in classes if code + 1 < len(self.starts)]
        found = [self.holders[self.starts[code] : self.starts[code + 1]] for code in known]
        return np.unique(np.concatenate([self.holders[:0], *found]))


def surviving_neighbours(
    base: Rows,
    codes: Integers,
    queries: Rows,
    *,
    k: int,
    removals: Sequence[Sequence[int]],
    workers: Workers,
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
    taken = Removals(removals, int(codes.max()) + 1, k)
    kind = taken.kind[codes]
    search = Search(base, codes, queries, own, taken, workers)
    found = search.run(
        "neighbours",
        lambda found: survivors(found, base, taken, kind),
        np.arange(len(queries)),
    )
    exponent = search.exponent
    del search  # what it keeps of the base is as large as the lists
    return joined([part for _, part in found], codes, len(queries), exponent)


def _means(distance: Float64) -> Float64:
    """Return the mean of each row, ascending, also of the largest numbers, whose sum would be infinite."""
    large = np.flatnonzero(distance[:, -1] > 2.0**_SAFE_EXPONENT)
    with np.errstate(over="ignore"):
        mean = row_means(distance)
    mean[large] = np.ldexp(row_means(np.ldexp(distance[large], -_SAFE_EXPONENT)), _SAFE_EXPONENT)
    return mean


def survivors(found: Candidates, rows: Rows, taken: Removals, kind: Integers) -> Candidates:
    """Return those of some candidates that are among the k nearest after a removal or none.

    Parameters
    ----------
    found : Candidates
        All of those, or more.
    rows : Rows
        What the candidates are rows of.
    taken : Removals
    kind : ndarray of int, shape (n,)
        Kind of each base row.
    """
    found = with_whole_ties(found, rows, taken, kind)
    column, shape = layout(found.query, len(found.queries))
    kinds = np.full(shape, -1, dtype=np.intp)
    kinds[found.query, column] = kind[found.row]
    kept = taken.survivors(kinds)[found.query, column]
    return found.some(kept)


def joined(parts: list[Candidates], codes: Integers, n_queries: int, exponent: int) -> Neighbours:
    """Return the lists that `parts` come to, which are used up; distances times ``2**exponent``."""
    width = max(layout(part.query, len(part.queries))[1][1] for part in parts)
    lists = _empty(n_queries, width, all(part.clear for part in parts))
    while parts:
        part = parts.pop()
        place = part.queries[part.query], layout(part.query, len(part.queries))[0]
        with np.errstate(over="ignore"):  # as far as the largest number, if beyond
            lists.distance[place] = np.minimum(np.ldexp(part.distance, exponent), _LARGEST)
        lists.index[place] = part.row
        lists.code[place] = codes[part.row]
    return lists


def _empty(n_queries: int, width: int, clear: bool) -> Neighbours:
    shape = n_queries, width
    return Neighbours(
        np.full(shape, np.inf), np.full(shape, -1, np.intp), np.full(shape, -1, np.intp), clear
    )
