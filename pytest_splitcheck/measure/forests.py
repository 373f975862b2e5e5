"""Isolation forests whose scores are scikit-learn's bit for bit, without its loop around the trees.

A tree reads 256 rows of its pool at most. Each is built from just these, by the classes of
scikit-learn that build the trees of its own forest, with the random numbers that it would draw there.
These classes are not part of its public interface, so they are used only if, in this process, some
small forests of theirs gave the very scores of ``sklearn.ensemble.IsolationForest``.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

import numpy as np

from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.compiled import loops, saved_by_forests
from pytest_splitcheck.measure.float32 import ClassColumns, Float32, Mapping, cast
from pytest_splitcheck.measure.forest import TREES, Draws, Forest
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.splits import Task
from pytest_splitcheck.measure.workers import Workers

__all__ = ["DRAWS_KEPT", "forest_scores"]

DRAWS_KEPT = 64
"""Draws that a detector remembers."""

_HELD_PART = 16
"""Bytes of the working memory for each value of which a copy as float32 may be held: of the pool and of the
rows to score, half of it at most. Of more, parts are cast again and again."""

_ROWS_WORTH_A_THREAD = 2048
"""With fewer rows to score, most of the work holds Python's lock, and threads only wait for it."""

_one_thread = threading.Lock()
"""scikit-learn's own forest changes the warning filters of the process while it works."""


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
    columns = ClassColumns(task.pool, task.codes, task.workers)
    plain = _cast_once(task.pool, task.workers)
    pools = [
        _NormalPool(task.pool, plain, task.normal_rows(split), columns.without(split.codes))
        for split in task.splits
    ]
    with _one_thread:
        if not _same_as_scikit_learn():
            return _by_scikit_learn(pools, task.evaluation, seeds)
    compiled = loops(saved_by_forests(len(pools) * len(seeds), len(task.evaluation)))
    evaluation = _Evaluation(task.evaluation, task.workers, "F" if compiled is None else "C")
    values = np.zeros((len(pools), len(seeds), len(task.evaluation)))
    todo = _in_turn([(len(pools[i].index), j, i) for i, j in np.ndindex(values.shape[:2])])
    d = task.pool.n_features

    def score(unit: tuple[int, int, int]) -> None:
        n, j, i = unit
        _score(draws(seeds[j], n, d), pools[i], evaluation, values[i, j], compiled)

    few = len(task.evaluation) < _ROWS_WORTH_A_THREAD
    workers = dataclasses.replace(task.workers, threads=1) if few else task.workers
    workers.map("iforest", score, todo)
    return values


def _in_turn(forests: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return forests, (rows of the pool, seed, split), in the order in which they are built.

    Those of the same draws are near each other, since few draws are remembered, but not next to each other,
    where two threads would make the same draws.
    """
    together: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for forest in sorted(forests):
        together.setdefault(forest[:2], []).append(forest)
    of_draws = list(together.values())
    some = [of_draws[i : i + DRAWS_KEPT // 2] for i in range(0, len(of_draws), DRAWS_KEPT // 2)]
    return [
        forest
        for part in some
        for turn in itertools.zip_longest(*part)
        for forest in turn
        if forest is not None
    ]


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

    def __init__(self, rows: Rows, workers: Workers, order: Literal["C", "F"]) -> None:
        self.rows, self.order = rows, order
        self._held: list[tuple[slice, Float32]] = []
        if len(rows) * rows.n_features <= workers.memory // _HELD_PART:
            self._held = workers.map("preparing", self._cast, rows.blocks())

    def blocks(self) -> Iterator[tuple[slice, Float32]]:
        """Yield slices and the cast of their rows."""
        if self._held:
            yield from self._held
        else:
            yield from map(self._cast, self.rows.blocks())

    def _cast(self, block: slice) -> tuple[slice, Float32]:
        return block, cast(self.rows.original(block), self.order)


def _cast_once(pool: Rows, workers: Workers) -> Rows:
    """Return `pool` as float32, unless that is what it is or would take too much memory."""
    size = len(pool) * pool.n_features
    if pool.matrix.dtype == np.float32 or size > workers.memory // _HELD_PART:
        return pool
    plain = np.empty((len(pool), pool.n_features), dtype=np.float32)

    def copy(block: slice) -> None:
        plain[block] = cast(pool.original(block), "C")

    workers.map("preparing", copy, pool.blocks())
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
        forests = (IsolationForest(n_estimators=TREES, random_state=seed) for seed in seeds)
        values.append([-forest.fit(normal).score_samples(rows) for forest in forests])
    return np.array(values)
