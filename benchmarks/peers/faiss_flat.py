"""FAISS's exact search in float32."""

from __future__ import annotations

import faiss
import numpy as np

from benchmarks.data import Arrays
from benchmarks.peers.self_lists import without_self
from benchmarks.stopwatch import ALL, Stopwatch


def self_neighbours(arrays: Arrays, watch: Stopwatch, *, k: int) -> Arrays:
    """Find the k nearest other rows of each row; see `without_self` for what is returned."""
    X = np.ascontiguousarray(arrays["X"], dtype=np.float32)
    with watch.part(ALL):
        searched = faiss.IndexFlatL2(X.shape[1])
        searched.add(X)
        squared, index = searched.search(X, k + 1)
    return without_self(squared, index)
