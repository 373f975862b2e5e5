"""Which rows are equal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.arrays import Matrix

__all__ = ["equal_sets"]


def equal_sets(blocks: Iterable[Matrix]) -> npt.NDArray[np.intp]:
    """Return a number for each row of some blocks of one type, the same for equal rows.

    Rows are told apart by 128 bits of a cryptographic hash, so that only those are kept.
    """
    digests = np.concatenate([_digests(block) for block in blocks])
    return np.unique(digests, return_inverse=True)[1].reshape(-1)


def _digests(block: Matrix) -> npt.NDArray[np.bytes_]:
    values = np.ascontiguousarray(
        block + block.dtype.type(0) if block.dtype.kind == "f" else block
    )  # -0.0 equals 0.0
    size = values.shape[1] * values.itemsize
    data = values.reshape(-1).view(np.uint8).data
    each: Iterator[bytes] = (
        hashlib.sha256(data[start : start + size]).digest()[:16]
        for start in range(0, len(data), size)
    )
    return np.frombuffer(b"".join(each), dtype="S16")
