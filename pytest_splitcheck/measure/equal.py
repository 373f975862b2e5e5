"""Which rows are equal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.arrays import Matrix

__all__ = ["equal_sets"]

_SEED = 0
_WORD = 8


def equal_sets(read: Callable[[], Iterable[Matrix]]) -> npt.NDArray[np.intp]:
    """Return a number below that of the rows for each row of some blocks, the same for equal rows.

    Rows are told apart by a sum of their words, which hardly any others share; those that do, by 128 bits of a
    cryptographic hash, so that only those are kept.

    Parameters
    ----------
    read : callable
        Returns the blocks, all of one type; called twice where some rows may be equal.
    """
    sums = np.concatenate([_sums(_bytes(block)) for block in read()])
    _, number, count = np.unique(sums, return_inverse=True, return_counts=True)
    number = number.reshape(-1)
    alike = np.flatnonzero(count[number] > 1)
    if not len(alike):
        return number
    digests, first = [], 0
    for block in read():
        inside = alike[(alike >= first) & (alike < first + len(block))] - first
        digests += [hashlib.sha256(row).digest()[:16] for row in _bytes(block[inside])]
        first += len(block)
    of_digest = np.unique(np.array(digests, dtype="S16"), return_inverse=True)[1]
    number[alike] = len(count) + of_digest.reshape(-1)
    return np.unique(number, return_inverse=True)[1].reshape(-1)


def _bytes(block: Matrix) -> npt.NDArray[np.uint8]:
    """Return the bytes of each row, shape (n, bytes); those of equal rows are equal."""
    if block.dtype.kind == "f":
        block = block + block.dtype.type(0)  # -0.0 equals 0.0
    return np.ascontiguousarray(block).view(np.uint8)


def _sums(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Return a weighted sum of the words of each row, modulo 2**64."""
    if rows.shape[1] % _WORD:
        rows = np.pad(rows, ((0, 0), (0, -rows.shape[1] % _WORD)))
    words = rows.view(np.uint64)
    weights = np.random.default_rng(_SEED).integers(
        0, np.iinfo(np.uint64).max, words.shape[1], dtype=np.uint64
    )
    # The low half of whole numbers as float64 is nothing, and a product would lose the high one.
    mixed = words >> np.uint64(32)
    mixed ^= words
    return np.asarray(np.einsum("ij,j->i", mixed, weights | np.uint64(1)))
