"""Memory that is used again."""

from __future__ import annotations

import math
import threading

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.columns import Reals

__all__ = ["Scratch"]


class Scratch(threading.local):
    """Room of each thread for one array at a time: fresh pages take longer than what is done to them."""

    _room: Reals = np.empty(0)

    def array(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Reals:
        """Return an array of any content, which the next one of the same thread takes the place of."""
        size = math.prod(shape)
        if self._room.size < size or self._room.dtype != dtype:
            self._room = np.empty(size, dtype)
        return self._room[:size].reshape(shape)

    def taken(self, values: Reals, rows: npt.NDArray[np.intp]) -> Reals:
        """Return some rows of an array, shape (n, d), in this room."""
        out = self.array((len(rows), values.shape[1]), values.dtype)
        np.take(values, rows, axis=0, out=out, mode="clip")  # any other mode takes a copy
        return out
