"""hnswlib's approximate search."""

from __future__ import annotations

import hnswlib
import numpy as np

from benchmarks.data import Arrays
from benchmarks.peers.self_lists import without_self
from benchmarks.stopwatch import ALL, Stopwatch


def self_neighbours(arrays: Arrays, watch: Stopwatch, *, k: int) -> Arrays:
    """Find about the k nearest other rows of each row; see `without_self` for what is returned."""
    X = np.ascontiguousarray(arrays["X"], dtype=np.float32)
    with watch.part(ALL):
        graph = hnswlib.Index(space="l2", dim=X.shape[1])
        graph.init_index(max_elements=len(X), M=16, ef_construction=200, random_seed=0)
        graph.add_items(X)
        graph.set_ef(50)
        index, squared = graph.knn_query(X, k=k + 1)
    return without_self(squared, index.astype(np.intp))
