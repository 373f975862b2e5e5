"""Coordinates that bring no two rows further apart: some directions and the length of the rest.

For an orthonormal basis V of a few directions, the map ``z(x) = (V'x, |x - VV'x|)`` is 1-Lipschitz:
``|z(a) - z(b)| <= |a - b|``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_splitcheck.measure.neighbours.products import Coordinates
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, squared_lengths

__all__ = ["Projection", "principal_directions"]

_LARGEST_EIGH = 1024
"""Features above which the directions come from a randomised method."""


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
        projected = np.empty((len(values), self.n_features))
        np.matmul(values, self.directions, out=projected[:, :-1])
        rest = squared_lengths(values) - squared_lengths(projected[:, :-1])
        projected[:, -1] = np.sqrt(np.maximum(rest, 0.0))
        return projected


def principal_directions(values: Float64, number: int, rng: np.random.Generator) -> Float64:
    """Return orthonormal directions near the principal ones of some values, shape (d, p).

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Around the origin.
    number : int
        Directions; fewer if there are fewer rows or values.
    rng : Generator
    """
    n, n_features = values.shape
    number = min(number, n_features, n)
    if n_features <= _LARGEST_EIGH:
        return np.ascontiguousarray(np.linalg.eigh(values.T @ values)[1][:, : -number - 1 : -1])
    # Halko, Martinsson and Tropp 2011: the range of a few random combinations, twice sharpened.
    span = rng.standard_normal((n_features, number))
    for _ in range(2):
        span = np.linalg.qr(values.T @ (values @ span))[0]
    turned = np.linalg.svd(values @ span, full_matrices=False)[2]
    return np.ascontiguousarray(np.linalg.qr(span @ turned.T)[0])
