"""One isolation forest, built by the classes of scikit-learn that build its own, with the same random numbers.

A tree reads 256 rows of its pool at most, and is built from just these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.float32 import Float32
from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["TREES", "Draws", "Forest"]

Unsigned = npt.NDArray[np.uint32]

TREES = 100
_SAMPLE = 256


class Draws:
    """What a forest draws at random: it depends on these parameters, and on no value of the pool.

    Parameters
    ----------
    seed : int
    n, d : int
        Rows and columns of the normal pool.
    trees : int, default 100

    Attributes
    ----------
    seeds : list of int
        One for each tree.
    samples : list of ndarray of int, shape (min(n, 256),)
        The rows that each tree is built from, ascending.
    targets : list of ndarray of float64, shape (min(n, 256), 1)
        What each tree is told to predict for them.
    """

    def __init__(self, seed: int, n: int, d: int, trees: int = TREES) -> None:
        from sklearn.utils.random import sample_without_replacement

        random = np.random.RandomState(seed)
        target = random.uniform(size=n)
        random.seed(seed)
        most = np.iinfo(np.int32).max
        self.size = min(n, _SAMPLE)
        self.seeds, self.samples, self.targets = [], [], []
        sample_rows = _sampler(n, self.size)
        for of_tree in random.randint(most, size=trees):
            random.seed(of_tree)
            self.seeds.append(random.randint(most))
            random.seed(of_tree)
            # The columns, all of them, are drawn before the rows.
            sample_without_replacement(d, d, random_state=random)
            sample = sample_rows(random)
            self.samples.append(sample)
            self.targets.append(target[sample, None])


def _sampler(n: int, size: int) -> Callable[[np.random.RandomState], Integers]:
    """Return what draws `size` of `n` rows as scikit-learn does, and sorts them.

    Of many rows it draws one at a time, in a Python loop, until enough of them are different. Where
    that is found to be so, the same numbers are drawn at once.
    """
    from sklearn.utils.random import sample_without_replacement

    def one_by_one(random: np.random.RandomState) -> Integers:
        drawn: Integers = sample_without_replacement(n, size, random_state=random)
        return np.sort(drawn)

    def at_once(random: np.random.RandomState) -> Integers:
        drawn, first = np.unique(random.randint(n, size=2 * size), return_index=True)
        sample: Integers = drawn[first <= np.partition(first, size - 1)[size - 1]]
        return sample

    if n > 100 * size:
        found, expected = (draw(np.random.RandomState(0)) for draw in (at_once, one_by_one))
        if np.array_equal(found, expected):
            return at_once
    return one_by_one


class Forest:
    """Trees, each with the depths of its leaves.

    Parameters
    ----------
    draws : Draws
    rows_at : callable
        Returns the rows of the normal pool at some positions, shape (p, d).
    """

    def __init__(self, draws: Draws, rows_at: Callable[[Integers], Float32]) -> None:
        from sklearn.tree import _criterion, _splitter, _tree

        random = np.random.RandomState(0)
        criterion = _criterion.MSE(1, draws.size)
        splitter = _splitter.RandomSplitter(criterion, 1, 1, 0.0, random, None)
        max_depth = int(np.ceil(np.log2(draws.size)))
        builder = _tree.DepthFirstTreeBuilder(splitter, 2, 1, 0.0, max_depth, 0.0)
        one = np.array([1], dtype=np.intp)
        beyond = _average_path_length(draws.size)
        self.scale = len(draws.seeds) * beyond[-1]
        self.levels = max_depth
        self.trees: list[tuple[Any, Float64]] = []
        for seed, sample, target in zip(draws.seeds, draws.samples, draws.targets, strict=True):
            rows = rows_at(sample)
            tree = _tree.Tree(rows.shape[1], one, 1)
            random.seed(seed)
            builder.build(tree, rows, target)
            depth = tree.compute_node_depths() + beyond[tree.n_node_samples] - 1.0
            self.trees.append((tree, depth))

    def add_depths(self, rows: Float32, total: Float64, loops: ModuleType | None = None) -> None:
        """Add to `total`, shape (q,), the depths of `rows`, shape (q, d), tree by tree."""
        if loops is not None:
            loops.add_depths(np.ascontiguousarray(rows), *self._flat, self.levels, total)
            return
        for tree, depth in self.trees:
            total += depth[tree.apply(rows)]

    @functools.cached_property
    def _flat(self) -> tuple[Unsigned, Float32, Unsigned, Float64, Unsigned]:
        """What `kernels.add_depths` reads, of all nodes of all trees."""
        trees = [tree for tree, _ in self.trees]
        size = np.array([tree.node_count for tree in trees])
        tree_of, root = np.repeat(np.arange(len(trees)), size), np.cumsum(size) - size
        feature = np.concatenate([tree.feature for tree in trees])
        inner = np.flatnonzero(feature >= 0)
        # After the root of each tree, which has one node more, come two nodes for each inner one.
        below = 2 * np.arange(len(inner)) + tree_of[inner] + 1
        place = np.empty(len(feature), dtype=np.intp)
        place[root] = root
        for nodes, side in ((below, "children_left"), (below + 1, "children_right")):
            child = np.concatenate([getattr(tree, side) for tree in trees])[inner]
            place[child + root[tree_of[inner]]] = nodes
        left = np.arange(len(feature), dtype=np.uint32)
        left[place[inner]] = below
        asked = np.zeros(len(feature), dtype=np.uint32)
        asked[place[inner]] = feature[inner]
        threshold = np.full(len(feature), np.inf, dtype=np.float32)
        threshold[place[inner]] = _rounded_down(
            np.concatenate([tree.threshold for tree in trees])[inner]
        )
        depth = np.empty(len(feature))
        depth[place] = np.concatenate([depth for _, depth in self.trees])
        return asked, threshold, left, depth, root.astype(np.uint32)

    def scores(self, total: Float64) -> Float64:
        """Return the scores for sums of depths."""
        return np.asarray(2 ** -(total / self.scale))


def _rounded_down(threshold: Float64) -> Float32:
    """Return thresholds as float32: a value of that type lies beyond one if it lies beyond the other."""
    rounded = threshold.astype(np.float32)
    below = np.nextafter(rounded, np.float32(-np.inf))
    return np.where(rounded > threshold, below, rounded)


def _average_path_length(largest: int) -> Float64:
    """Return c(0), ..., c(largest) of Liu et al. (2008), equation 1; c(2) is 1."""
    average = np.zeros(largest + 1)
    average[2] = 1.0
    size = np.arange(3, largest + 1)
    average[3:] = 2.0 * (np.log(size - 1.0) + np.euler_gamma) - 2.0 * (size - 1.0) / size
    return average
