"""Distances of pairs of rows from differences of the original values."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.equal import equal_sets
from pytest_splitcheck.measure.neighbours.scratch import Scratch
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, squared_lengths
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Pixels", "exact_distances", "pixels_of"]

Pixels = npt.NDArray[np.uint8]

_rooms = Scratch(), Scratch()

_PAIR_VALUES = 1 << 17
"""Values of the differences that are held at once: 1 MB, few enough for a core's cache and enough for threads not to
wait for each other."""

_UNDERFLOWS = 2.0**-900
"""A squared length below which those of single values may have been lost."""

_CROWD = 256
"""Pairs per query above which many of the rows must be equal, or nearly so."""


_MOST_PIXELS = (2**31 - 1) // 255**2
"""Values per row whose squared differences can be added in 32 bits."""

_HELD_PART = 16
"""Bytes of the working memory for each that a copy of rows as bytes may take."""


def pixels_of(base: Rows, queries: Rows, workers: Workers) -> Pixels | None:
    """Return the base as bytes, shape (n, d), if both it and its queries are pixels; None otherwise.

    Those are whole numbers from 0 to 255, in whatever type, as they are. None too where there is no room for a
    copy.
    """
    if base.n_features > _MOST_PIXELS:
        return None
    copied = sum(len(rows) for rows in {base, queries} if not _are_bytes(rows))
    if copied * base.n_features > workers.memory // _HELD_PART:
        return None
    found = [_pixels(rows, workers) for rows in (queries, base)]
    return None if found[0] is None else found[1]


def _are_bytes(rows: Rows) -> bool:
    # Rows of a matrix that is not contiguous could not be taken without a copy of it all.
    is_plain = rows.index is None and rows.matrix.flags.c_contiguous
    return rows.matrix.dtype == np.uint8 and is_plain


def _pixels(rows: Rows, workers: Workers) -> Pixels | None:
    if rows.unit or rows.exponent or rows.weights is not None:
        return None
    if _are_bytes(rows):
        return np.asarray(rows.matrix)
    if "pixels" not in rows.prepared:
        pixels = np.empty((len(rows), rows.n_features), dtype=np.uint8)

        def copy(block: slice) -> bool:
            values = rows.original(block)
            with np.errstate(invalid="ignore"):  # what is no byte becomes one that it is not
                pixels[block] = values
            return bool((pixels[block] == values).all())

        first, *others = rows.blocks()  # which tells most data
        same = copy(first) and all(workers.map("preparing", copy, others))
        rows.prepared["pixels"] = pixels if same else None
    found: Pixels | None = rows.prepared["pixels"]
    return found


def exact_distances(
    queries: Rows,
    query: Integers,
    base: Rows,
    row: Integers,
    *,
    loops: ModuleType | None = None,
    pixels: Pixels | None = None,
) -> Float64:
    """Return the distance of each pair, shape (p,), computed in float64.

    Parameters
    ----------
    queries : Rows of length q
    query : ndarray of int, shape (p,)
        Positions in `queries`.
    base : Rows of length n
    row : ndarray of int, shape (p,)
        Positions in `base`.
    loops : module, optional
        Compiled `kernels`.
    pixels : ndarray of uint8, shape (n, d), optional
        The base, where all values of the queries are bytes too. Their distances are those of whole numbers, and
        the same in every bit.
    """
    if len(query) > _CROWD * len(queries):
        query, row, of_pair = _first_of_equals(queries, query, base, row)
        return np.asarray(_distances(queries, query, base, row, loops, pixels)[of_pair])
    return _distances(queries, query, base, row, loops, pixels)


def _distances(
    queries: Rows,
    query: Integers,
    base: Rows,
    row: Integers,
    loops: ModuleType | None,
    pixels: Pixels | None,
) -> Float64:
    if pixels is not None:
        return _of_pixels(
            queries.original(slice(None)).astype(np.int16, order="C"), query, pixels, row
        )
    values = np.ascontiguousarray(queries.take(slice(None)))
    if loops is None or not base.as_they_are:
        return _by_differences(values, query, base, row)
    squared = np.empty(len(query))
    loops.squared_distances(values, query, *base.places(row), squared)
    distance: Float64 = np.sqrt(squared)
    small = np.flatnonzero(squared < _UNDERFLOWS)
    if len(small):
        distance[small] = _by_differences(values, query[small], base, row[small])
    return distance


def _by_differences(values: Float64, query: Integers, base: Rows, row: Integers) -> Float64:
    """Return the distance of each pair, of some queries' `values`, shape (q, d)."""
    distance = np.empty(len(query))
    step = max(1, _PAIR_VALUES // base.n_features)
    for start in range(0, len(query), step):
        pairs = slice(start, start + step)
        difference = _rooms[0].taken(values, query[pairs])
        taken = _rooms[1].array(difference.shape, np.float64)
        base.take_into(row[pairs], taken)
        difference -= taken
        distance[pairs] = _length(difference)
    return distance


def _of_pixels(
    values: npt.NDArray[np.int16], query: Integers, pixels: Pixels, row: Integers
) -> Float64:
    """Return the distance of each pair, of some queries' `values`, shape (q, d)."""
    squared = np.empty(len(query), dtype=np.int32)
    step = max(1, _PAIR_VALUES // pixels.shape[1])
    for start in range(0, len(query), step):
        pairs = slice(start, start + step)
        difference = _rooms[0].taken(values, query[pairs])
        difference -= _rooms[1].taken(pixels, row[pairs])
        np.einsum("ij,ij->i", difference, difference, dtype=np.int32, out=squared[pairs])
    return np.asarray(np.sqrt(squared, dtype=np.float64))


def _first_of_equals(
    queries: Rows, query: Integers, base: Rows, row: Integers
) -> tuple[Integers, Integers, Integers]:
    """Return pairs without those of equal rows, and which of them each pair is equal to."""
    rows, position = np.unique(row, return_inverse=True)
    same_query, same_row = _equal(queries), _equal(base.subset(rows))
    cell = same_query[query] * len(rows) + same_row[position]
    _, first, of_pair = np.unique(cell, return_index=True, return_inverse=True)
    return query[first], row[first], of_pair


def _equal(rows: Rows) -> Integers:
    """Return a number for each row, the same for equal rows."""
    return equal_sets(lambda: map(rows.take, rows.blocks()))


def _length(difference: Float64) -> Float64:
    """Return the length of each row, also where its square would underflow."""
    squared = squared_lengths(difference)
    length: Float64 = np.sqrt(squared)
    small = np.flatnonzero(squared < _UNDERFLOWS)
    if len(small):
        scaled = np.ldexp(difference[small], 900)
        length[small] = np.ldexp(np.sqrt(squared_lengths(scaled)), -900)
    return length
