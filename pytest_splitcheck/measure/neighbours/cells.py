"""Rows cut into cells of rows that are near each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.rows import Integers

__all__ = ["Cells"]

_STEPS = 8
"""Steps towards the direction of most variance: any direction would do, a long one makes the cells round."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of about one size, which hold every row once.

    Attributes
    ----------
    members : list of ndarray of int
        Rows of each cell; those of each of its parts, which are nearer to each other, one after the other.
    centres : ndarray of float, shape (cells, d)
        Their means.
    """

    members: list[Integers]
    centres: Reals

    @classmethod
    def of(cls, values: Reals, size: int, parts: int = 1) -> Cells:
        """Cut rows, shape (n, d), into cells of `size` rows at most, each of so many parts."""
        cells = _cut(values, np.arange(len(values)), -(-len(values) // size))
        members = [np.concatenate(_cut(values, rows, min(parts, len(rows)))) for rows in cells]
        return cls(members, np.stack([values[rows].mean(axis=0) for rows in members]))


def _cut(values: Reals, rows: Integers, number: int) -> list[Integers]:
    """Cut rows into pieces of about one size, ascending, each time across the longest direction."""
    waiting, pieces = [(rows, number)], []
    while waiting:
        rows, number = waiting.pop()
        if number == 1:
            pieces.append(np.sort(rows))
            continue
        some = values[rows]
        along = some @ _longest_direction(some)
        first = len(rows) * (number // 2) // number
        order = np.argpartition(along, first)
        waiting.append((rows[order[:first]], number // 2))
        waiting.append((rows[order[first:]], number - number // 2))
    return pieces


def _longest_direction(values: Reals) -> Reals:
    """Return about the direction of most variance, by the power method, shape (d,)."""
    mean = values.mean(axis=0, dtype=np.float64)
    variance = (values.T @ values).astype(np.float64) - len(values) * np.outer(mean, mean)
    direction = variance[np.diagonal(variance).argmax()]
    for _ in range(_STEPS):
        length = np.sqrt(direction @ direction)
        if not length > 0:
            break  # all rows are the same, or nearly so
        direction = variance @ (direction / length)
    return np.asarray(direction / (np.abs(direction).max() or 1.0), dtype=values.dtype)
