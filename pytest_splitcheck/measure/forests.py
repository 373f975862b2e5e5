"""Isolation forests whose scores are scikit-learn's bit for bit, without its loop around the trees.

A tree reads 256 rows of its pool at most. Each is built from just these, by the classes of
scikit-learn that build the trees of its own forest, with the random numbers that it would draw there.
These classes are not part of its public interface, so they are used only if, in this process, some
small forests of theirs gave the very scores of ``sklearn.ensemble.IsolationForest``.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import numpy as np

from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.compiled import loops
from pytest_splitcheck.measure.float32 import ClassColumns, Float32, Mapping, cast
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.splits import Task

__all__ = ["Draws", "forest_scores"]

_TREES = 100
_SAMPLE = 256

_HELD_PART = 16
"""Bytes of the working memory for each value of which a copy as float32 may be held: of the pool and of the
rows to score, half of it at most. Of more, parts are cast again and again."""

_ROWS_WORTH_A_THREAD = 2048
"""With fewer rows to score, most of the work holds Python's lock, and threads only wait for it."""

_SAVED_PER_ROW = 5e-6
"""Seconds that compiled loops save per row and forest."""

_one_thread = threading.Lock()
"""scikit-learn's own forest changes the warning filters of the process while it works."""


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

    def __init__(self, seed: int, n: int, d: int, trees: int = _TREES) -> None:
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
    def _flat(self) -> tuple[Integers, Float32, Integers, Float64, Integers]:
        """What `kernels.add_depths` reads, of all nodes of all trees."""
        trees = [tree for tree, _ in self.trees]
        root = np.cumsum([0, *(tree.node_count for tree in trees[:-1])])
        feature = np.concatenate([tree.feature for tree in trees])
        leaf, itself = feature < 0, np.arange(len(feature))
        sides = (
            np.concatenate(
                [getattr(tree, side) + first for tree, first in zip(trees, root, strict=True)]
            )
            for side in ("children_left", "children_right")
        )
        child = np.stack([np.where(leaf, itself, side) for side in sides], axis=1)
        threshold = np.concatenate([tree.threshold for tree in trees])
        # Rounded down: a value in float32 lies beyond it if it lies beyond the threshold.
        rounded = threshold.astype(np.float32)
        below = np.nextafter(rounded, np.float32(-np.inf))
        return (
            np.where(leaf, 0, feature).astype(np.int32),
            np.where(rounded > threshold, below, rounded),
            child.astype(np.int32),
            np.concatenate([depth for _, depth in self.trees]),
            root.astype(np.int32),
        )

    def scores(self, total: Float64) -> Float64:
        """Return the scores for sums of depths."""
        return np.asarray(2 ** -(total / self.scale))


def _average_path_length(largest: int) -> Float64:
    """Return c(0), ..., c(largest) of Liu et al. (2008), equation 1; c(2) is 1."""
    average = np.zeros(largest + 1)
    average[2] = 1.0
    size = np.arange(3, largest + 1)
    average[3:] = 2.0 * (np.log(size - 1.0) + np.euler_gamma) - 2.0 * (size - 1.0) / size
    return average


@functools.cache
def _same_as_scikit_learn() -> bool:
    """Tell whether some small forests built here have the scores of scikit-learn's.

    Their pools are sampled in each way there is: whole, from a permutation, by rejection.
    """
    from sklearn.ensemble import IsolationForest

    random = np.random.default_rng(0)
    for n, d in ((2, 1), (60, 3), (600, 5), (26_000, 2)):
        pool = random.normal(size=(n, d)).astype(np.float32)
        pool[n // 2 :, -1] = 0.5
        theirs = IsolationForest(n_estimators=3, random_state=n).fit(pool)
        total = np.zeros(min(n, 200))
        rows = pool[: len(total)]
        try:
            forest = Forest(Draws(n, n, d, trees=3), pool.__getitem__)
            forest.add_depths(rows, total)
        except Exception:  # what it raises depends on what another version lacks
            return False
        if forest.scores(total).tobytes() != (-theirs.score_samples(rows)).tobytes():
            return False
    return True


def forest_scores(
    task: Task, seeds: Sequence[int], draws: Callable[[int, int, int], Draws]
) -> Float64:
    """Return the scores of isolation forests of 100 trees, higher = more anomalous.

    Parameters
    ----------
    task : Task
    seeds : sequence of int
    draws : callable
        Returns the `Draws` for a seed and a shape of the normal pool.

    Returns
    -------
    ndarray of float64, shape (splits, seeds, q)
    """
    columns, plain = ClassColumns(task.pool, task.codes), _cast_once(task.pool, task.workers.memory)
    pools = [
        _NormalPool(task.pool, plain, task.normal_rows(split), columns.without(split.codes))
        for split in task.splits
    ]
    with _one_thread:
        if not _same_as_scikit_learn():
            return _by_scikit_learn(pools, task.evaluation, seeds)
    forests = len(pools) * len(seeds)
    compiled = loops(_SAVED_PER_ROW * forests * len(task.evaluation))
    evaluation = _Evaluation(task.evaluation, task.workers.memory, "F" if compiled is None else "C")
    values = np.zeros((len(pools), len(seeds), len(task.evaluation)))
    # Forests of the same draws come one after the other, so that few draws are remembered.
    todo = sorted((len(pools[i].index), j, i) for i, j in np.ndindex(values.shape[:2]))
    d = task.pool.n_features

    def score(unit: tuple[int, int, int]) -> None:
        n, j, i = unit
        _score(draws(seeds[j], n, d), pools[i], evaluation, values[i, j], compiled)

    few = len(task.evaluation) < _ROWS_WORTH_A_THREAD
    workers = dataclasses.replace(task.workers, threads=1) if few else task.workers
    workers.map("iforest", score, todo)
    return values


def _score(
    draws: Draws,
    pool: _NormalPool,
    evaluation: _Evaluation,
    out: Float64,
    compiled: ModuleType | None,
) -> None:
    """Fit one forest, and write the scores of the evaluation rows to `out`, which holds zeros."""
    forest = Forest(draws, pool.take)
    for block, plain in evaluation.blocks():
        forest.add_depths(pool.mapping(plain, evaluation.rows, block), out[block], compiled)
    out[:] = forest.scores(out)


@dataclass(frozen=True, slots=True)
class _NormalPool:
    """The rows of a pool that the detector of one split is fitted on, as float32.

    Attributes
    ----------
    pool, plain : Rows
        The whole pool, as it is and cast to float32.
    index : ndarray of int
        The rows of it.
    mapping : Mapping
    """

    pool: Rows
    plain: Rows
    index: Integers
    mapping: Mapping

    def take(self, which: Integers) -> Float32:
        """Return the rows at `which`, positions among those of the split."""
        rows = self.index[which]
        return self.mapping(cast(self.plain.original(rows), "C"), self.pool, rows)


class _Evaluation:
    """The rows to score as float32: by column ("F"), of which a tree reads few, or by row ("C")."""

    def __init__(self, rows: Rows, memory: int, order: Literal["C", "F"]) -> None:
        self.rows, self.order = rows, order
        self._held: list[tuple[slice, Float32]] = []
        if len(rows) * rows.n_features <= memory // _HELD_PART:
            self._held = list(self.blocks())

    def blocks(self) -> Iterator[tuple[slice, Float32]]:
        """Yield slices and the cast of their rows."""
        if self._held:
            yield from self._held
        else:
            for block in self.rows.blocks():
                yield block, cast(self.rows.original(block), self.order)


def _cast_once(pool: Rows, memory: int) -> Rows:
    """Return `pool` as float32, unless that is what it is or would take too much memory."""
    if pool.matrix.dtype == np.float32 or len(pool) * pool.n_features > memory // _HELD_PART:
        return pool
    plain = np.empty((len(pool), pool.n_features), dtype=np.float32)
    for block in pool.blocks():
        plain[block] = cast(pool.original(block), "C")
    return Rows(plain)


def _by_scikit_learn(
    pools: Sequence[_NormalPool], evaluation: Rows, seeds: Sequence[int]
) -> Float64:
    """Return the scores of `forest_scores` from scikit-learn's own forests, one after the other."""
    from sklearn.ensemble import IsolationForest

    values = []
    for pool in pools:
        normal = pool.take(np.arange(len(pool.index)))
        everything = slice(None)
        rows = pool.mapping(cast(evaluation.original(everything), "C"), evaluation, everything)
        forests = (IsolationForest(n_estimators=_TREES, random_state=seed) for seed in seeds)
        values.append([-forest.fit(normal).score_samples(rows) for forest in forests])
    return np.array(values)
