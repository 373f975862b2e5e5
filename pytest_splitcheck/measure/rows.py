"""Rows of a matrix as float64, a block at a time, so that nothing is ever copied whole."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.arrays import Matrix, blocks

__all__ = ["Float64", "Integers", "Rows", "common_exponent", "row_means", "squared_lengths"]

Float64 = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]

_SAFE_EXPONENT = 300
"""Values within 2**+-300 can be squared and summed in float64 without overflow or underflow."""


_MACHINE_TYPES = ("f8", "f4", "u1")
"""Types of values that compiled loops read: what data and images come in."""

_CENTRE_ROWS, _CENTRE_VALUES = 255, 1 << 22
"""Rows that a centre is taken from, and their values."""


class Rows:
    """A selection of the rows of a matrix, read as float64.

    Parameters
    ----------
    matrix : ndarray of shape (n, d)
        Boolean, integer or real.
    index : ndarray of int, optional
        The selected rows; all of them by default.
    unit : bool, default False
        Scale each row to unit length (cosine distance).
    exponent : int, default 0
        Divide by ``2**exponent``, which is exact: see `common_exponent`.
    weights : ndarray of float64, shape (d,), optional
        Multiply each column before anything else.

    Attributes
    ----------
    prepared : dict
        What searches that have these rows as their base have in common, by what it depends on.
    """

    def __init__(
        self,
        matrix: Matrix,
        index: Integers | None = None,
        *,
        unit: bool = False,
        exponent: int = 0,
        weights: Float64 | None = None,
    ) -> None:
        self.matrix = matrix
        self.index = index
        self.unit = unit
        self.exponent = exponent
        self.weights = weights
        self.prepared: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.matrix) if self.index is None else len(self.index)

    @property
    def n_features(self) -> int:
        """Values per row."""
        return int(self.matrix.shape[1])

    def scaled(self, exponent: int) -> Rows:
        """Return the same rows divided by ``2**exponent``."""
        if exponent == self.exponent:
            return self
        return self._like(self.index, exponent)

    def subset(self, index: Integers) -> Rows:
        """Return the rows at `index` of this selection."""
        chosen = index if self.index is None else self.index[index]
        return self._like(chosen, self.exponent)

    def _like(self, index: Integers | None, exponent: int) -> Rows:
        return Rows(self.matrix, index, unit=self.unit, exponent=exponent, weights=self.weights)

    def original(self, which: slice | Integers) -> Matrix:
        """Return the rows at `which` as they are, in the type of the matrix; do not write to it."""
        chosen: Any = which if self.index is None else self.index[which]
        # Not by ndarray.take, which first copies all of a matrix that is not contiguous.
        block: Matrix = self.matrix[chosen]
        return block

    def take(self, which: slice | Integers) -> Float64:
        """Return the rows at `which` as float64, shape (len(which), d); do not write to it."""
        block: Float64 = self.original(which).astype(np.float64, copy=False)
        if self.weights is not None:
            block = block * self.weights
        if self.unit:
            block = block / np.abs(block).max(axis=1, keepdims=True)
            block /= np.sqrt(squared_lengths(block))[:, None]
        elif self.exponent:
            block = np.ldexp(block, -self.exponent)
        return block

    @property
    def as_they_are(self) -> bool:
        """Whether `take` returns the values of the matrix unchanged, and these lie row by row."""
        unchanged = not (self.unit or self.exponent or self.weights is not None)
        machine = self.matrix.dtype.isnative and self.matrix.dtype.str[1:] in _MACHINE_TYPES
        return unchanged and machine and bool(self.matrix.flags.c_contiguous)

    def take_into(self, which: Integers, out: Float64) -> None:
        """Write the rows at `which` to `out`, shape (len(which), d)."""
        if self.as_they_are and self.matrix.dtype == np.float64:
            matrix, places = self.places(which)
            np.take(matrix, places, axis=0, out=out, mode="clip")  # which else takes a copy
        else:
            out[:] = self.take(which)

    def places(self, which: Integers) -> tuple[Matrix, Integers]:
        """Return the matrix, as a plain array, and the positions in it of the rows at `which`."""
        return np.asarray(self.matrix), which if self.index is None else self.index[which]

    def copy(self) -> Matrix:
        """Return a copy for a detector, shape (n, d): real types as they are, others as float64."""
        chosen = self.matrix if self.index is None else self.matrix[self.index]
        kept = chosen.dtype.kind == "f" and chosen.dtype.itemsize >= 4
        return chosen.astype(chosen.dtype if kept else np.float64)

    @functools.cached_property
    def largest(self) -> float:
        """The largest absolute value."""
        parts = (self.take(rows) for rows in self.blocks())
        return max(float(max(part.max(), -part.min())) for part in parts)

    @functools.cached_property
    def centre(self) -> Float64:
        """A point amid the rows, shape (d,), that no far row moves: the median of some of them."""
        some = max(1, min(_CENTRE_ROWS, _CENTRE_VALUES // self.n_features, len(self)))
        chosen = np.linspace(0, len(self) - 1, some).astype(np.intp)
        return np.asarray(np.median(self.take(chosen), axis=0))

    def blocks(self) -> list[slice]:
        """Return slices that cover the rows in order."""
        return list(blocks(len(self), self.n_features))


def common_exponent(*parts: Rows) -> int:
    """Return the power of two to divide by so that squared distances stay in range; mostly 0."""
    largest = max((part.largest for part in parts if not part.unit), default=0.0)
    exponent = int(np.frexp(largest)[1]) if largest > 0 else 0
    if exponent > _SAFE_EXPONENT:
        return exponent - _SAFE_EXPONENT  # no more than it takes, as small values keep their digits
    return exponent if exponent < -_SAFE_EXPONENT else 0


def squared_lengths(values: Float64) -> Float64:
    """Return the squared length of each row, shape (n,), summed in an order that is not that of memory."""
    values = np.ascontiguousarray(values)
    return np.asarray(np.einsum("ij,ij->i", values, values))


def row_means(values: Float64) -> Float64:
    """Return the mean of each row, shape (n,): of short rows, in a third of the time that ndarray.mean takes."""
    return np.asarray(np.einsum("ij->i", values) / values.shape[1])
