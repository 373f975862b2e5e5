"""What is known of a benchmark: what this session measured, and what is kept from earlier ones."""

from __future__ import annotations

import hashlib
import typing
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Memory", "Shelf", "digest"]

T = TypeVar("T")


def digest(array: npt.NDArray[Any]) -> str:
    """Return what stands for an array in a key: the same in every run."""
    whole = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()


class Shelf(typing.Protocol):
    """Keeps what was measured of a benchmark beyond the session."""

    def get(self, key: Hashable) -> Any:
        """Return what was put under `key`, equal in every bit, or None."""

    def put(self, key: Hashable, part: Any) -> None:
        """Keep `part` if that can be done, else do nothing."""


class Memory(dict[Hashable, Any]):
    """Parts of the measurement of a benchmark, by what they depend on.

    What is in the dictionary was asked for in this session, and may stand in for less: the leakage of all
    rows for that of a sample. The shelf only spares work: a part is sought there once it would be measured, under
    everything that it is measured from, so that no figure depends on whether there is a shelf.

    Parameters
    ----------
    shelf : Shelf, optional
    fingerprint : str, optional
        That of the benchmark, where it is known, as where memories are told apart by it: to take it again
        reads all data once more.
    """

    def __init__(self, shelf: Shelf | None = None, fingerprint: str | None = None) -> None:
        super().__init__()
        self._shelf = shelf
        self.fingerprint = fingerprint

    def recall(self, key: Hashable) -> Any:
        """Return what the shelf has, or None."""
        return None if self._shelf is None else self._shelf.get(key)

    def keep(self, key: Hashable, part: Any) -> None:
        """Put what was measured on the shelf."""
        if self._shelf is not None:
            self._shelf.put(key, part)

    def measured(self, key: Hashable, measure: Callable[[], T]) -> T:
        """Return what the shelf has, or else what `measure` gives."""
        part: T | None = self.recall(key)
        if part is None:
            part = measure()
            self.keep(key, part)
        return part

    def once(self, key: Hashable, measure: Callable[[], T]) -> T:
        """Return what this session has under `key`; if nothing, what `measured` gives, which it then has."""
        if key not in self:
            self[key] = self.measured(key, measure)
        return self[key]  # type: ignore[no-any-return]
