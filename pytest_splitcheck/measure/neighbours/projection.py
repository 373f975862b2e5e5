"""Coordinates that bring no two rows further apart: some directions and the length of the rest.

For an orthonormal basis V of a few directions, the map ``z(x) = (V'x, |x - VV'x|)`` is 1-Lipschitz:
``|z(a) - z(b)| <= |a - b|``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.products import Coordinates
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, squared_lengths

__all__ = ["Projection", "principal_directions", "projected"]


@dataclass(frozen=True, slots=True)
class Projection:
    """Rows by their coordinates in some directions and the length of the rest.

    Attributes
    ----------
    frame : Coordinates
    directions : ndarray of float64, shape (d, p)
        Orthonormal columns.
    """

    frame: Coordinates
    directions: Float64

    @property
    def n_features(self) -> int:
        """Values per row."""
        return int(self.directions.shape[1]) + 1

    @property
    def loss(self) -> float:
        """Bound on what rounding adds to a squared distance, relative to (|a| + |b|)^2.

        The length of the rest is the root of a difference that is off by some (d + 8) u |x|^2, and so
        by the root of that where nearly nothing is left.
        """
        return float(32.0 * np.sqrt((len(self.directions) + 8) * 2.0**-53))

    def values(self, rows: Rows, which: Integers) -> Float64:
        """Return projected rows, shape (len(which), p + 1)."""
        values = self.frame.values(rows, which)
        return projected(values, self.directions, [self.directions.shape[1]])[0]


def projected(values: Float64, directions: Float64, numbers: Sequence[int]) -> list[Float64]:
    """Return projections by several numbers p of the first directions, shapes (n, p + 1).

    Parameters
    ----------
    values : ndarray of float64, shape (n, d)
    directions : ndarray of float64, shape (d, P)
    numbers : sequence of int
    """
    along = values @ directions
    squared = squared_lengths(values)
    found = []
    for number in numbers:
        one = np.empty((len(values), number + 1))
        one[:, :-1] = along[:, :number]
        rest = squared - squared_lengths(one[:, :-1])
        one[:, -1] = np.sqrt(np.maximum(rest, 0.0))
        found.append(one)
    return found


def principal_directions(values: Reals, number: int, rng: np.random.Generator) -> Float64:
    """Return orthonormal directions near the principal ones of some values, float64, shape (d, p).

    By the range of a few random combinations, twice sharpened (Halko, Martinsson and Tropp 2011). Only the last
    step makes them orthonormal in float64: any such directions keep a bound a bound.

    Parameters
    ----------
    values : ndarray of float32, shape (n, d)
        Around the origin.
    number : int
        Directions; fewer if there are fewer rows or values.
    rng : Generator
    """
    n, n_features = values.shape
    shape = n_features, min(number, n_features, n)
    span = rng.standard_normal(shape, dtype=np.float32)
    for _ in range(2):
        span = np.linalg.qr(values.T @ (values @ span))[0]
    inside = values @ span
    turned = np.linalg.eigh(inside.T @ inside)[1][:, ::-1]
    nearly = (span @ turned).astype(np.float64)
    # Cholesky's factor of a matrix that is nearly the unit one: as orthonormal as a QR, in a tenth of the time.
    factor = np.linalg.cholesky(nearly.T @ nearly)
    return np.ascontiguousarray(np.linalg.solve(factor, nearly.T).T)
