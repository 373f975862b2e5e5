"""Equal rows: of the evaluation set and the pools, and of the evaluation set itself."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_splitcheck.declare.arrays import Matrix, blocks
from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.measure.equal import equal_sets
from pytest_splitcheck.measure.results import Conflicts
from pytest_splitcheck.measure.rows import Integers
from pytest_splitcheck.measure.splits import pools

__all__ = ["Duplicates", "conflicts", "find_duplicates"]


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The equal rows of a benchmark.

    Attributes
    ----------
    equal : ndarray of int, shape (m,)
        Number of the set of equal rows that each evaluation row belongs to.
    partner : ndarray of int, shape (m,)
        The first pool row that each evaluation row is equal to, or -1; a position in the training pool
        or, where detectors are cross-fitted, in the evaluation set.
    contaminated : dict from held-out class to ndarray of int
        Its evaluation rows that are equal to a row of their own normal pool, ascending.
    """

    equal: Integers
    partner: Integers
    contaminated: dict[Hashable, Integers]


def find_duplicates(benchmark: ClassSplit, fold_of: Integers | None = None) -> Duplicates:
    """Find the evaluation rows that are in a pool too, by their values, whatever the types.

    `fold_of` is as for `pools`.
    """
    train, m = benchmark.train, len(benchmark.X)
    number = equal_sets(lambda: _alike([benchmark.X] if train is None else [benchmark.X, train.X]))
    equal, in_pool = number[:m], number[:m] if train is None else number[m:]
    partner = np.full(m, -1, dtype=np.intp)
    first = np.empty(len(number), dtype=np.intp)
    kept: dict[Hashable, list[Integers]] = {split.label: [] for split in benchmark.held_out}
    for pool in pools(benchmark, fold_of):
        rows = np.arange(len(pool.rows)) if pool.rows.index is None else pool.rows.index
        first.fill(-1)
        first[in_pool[rows][::-1]] = rows[::-1]
        partner[pool.scored] = first[equal[pool.scored]]
        found = pool.scored[partner[pool.scored] >= 0]
        twin = np.isin(in_pool[rows], equal[found])
        for split in benchmark.held_out if len(found) else ():
            normal = in_pool[rows][twin & ~np.isin(pool.codes, split.codes)]
            own = found[np.isin(benchmark.codes[found], split.codes)]
            kept[split.label].append(own[np.isin(equal[own], normal)])
    contaminated = {label: np.sort(np.concatenate(rows)) for label, rows in kept.items() if rows}
    return Duplicates(equal, partner, {c: rows for c, rows in contaminated.items() if len(rows)})


def conflicts(equal: Integers, codes: Integers, k: int, *, bounds: bool) -> Conflicts:
    """Return the equal rows with different labels, and what they make of L_k at least.

    Of g equal rows, g_a have label a. The g - 1 others are at distance 0 from each and nothing is closer: if
    they are k or more, they share its slots equally, else each fills one. Either way
    l_k >= (g - g_a) / max(k, g - 1).

    Parameters
    ----------
    equal, codes : ndarray of int, shape (m,)
        Set of equal rows, and class, of each row.
    k : int
    bounds : bool
        Whether only equal rows are at distance 0 from each other, without which the bound does not hold.
    """
    size = np.bincount(equal)[equal]
    repeated = np.flatnonzero(size > 1)
    cell = equal[repeated] * (int(codes.max()) + 1) + codes[repeated]
    _, of_cell, count = np.unique(cell, return_inverse=True, return_counts=True)
    other = size[repeated] - count[of_cell.reshape(-1)]
    rows = repeated[other > 0]
    least = other[other > 0] / np.maximum(k, size[rows] - 1)
    return Conflicts(
        groups=len(np.unique(equal[rows])),
        rows=rows,
        floor=math.fsum(least) / len(codes) if bounds else None,
    )


def _alike(matrices: Sequence[Matrix]) -> Iterator[Matrix]:
    """Yield the rows of all matrices in the one type that holds the values of each exactly."""
    kind = np.result_type(*(matrix.dtype for matrix in matrices))
    for matrix in matrices:
        for rows in blocks(*matrix.shape):
            yield matrix[rows].astype(kind, copy=False)
