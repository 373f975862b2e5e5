"""usearch's approximate search, as it comes."""

from __future__ import annotations

import numpy as np
from usearch.index import Index

from benchmarks.data import Arrays
from benchmarks.peers.self_lists import without_self
from benchmarks.stopwatch import ALL, Stopwatch


def self_neighbours(arrays: Arrays, watch: Stopwatch, *, k: int) -> Arrays:
    """Find about the k nearest other rows of each row; see `without_self` for what is returned."""
    X = np.ascontiguousarray(arrays["X"], dtype=np.float32)
    with watch.part(ALL):
        graph = Index(ndim=X.shape[1], metric="l2sq", dtype="f32")
        graph.add(np.arange(len(X)), X)
        matches = graph.search(X, k + 1)
    return without_self(matches.distances, matches.keys.astype(np.intp))
