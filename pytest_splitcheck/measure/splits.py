"""The splits of a benchmark: which pool each detector is fitted on, and which rows it scores."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pytest_splitcheck.declare.arrays import Matrix, as_matrix, blocks, check_cosine
from pytest_splitcheck.declare.class_split import ClassSplit, HeldOut
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.equal import equal_sets
from pytest_splitcheck.measure.neighbours import Neighbours, surviving_neighbours
from pytest_splitcheck.measure.rows import Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["Task", "check_pools", "evaluation_sets", "folds", "pools", "random_states", "tasks"]

_FOLD_SEED = 0
_TRANSFORMER_SEED = 0
_SETS_PER_FOLD = 10
"""Equal rows stay together where a fold has room for as many such sets, or more."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A training pool and the evaluation rows that its detectors score.

    Attributes
    ----------
    rows : Rows of length n
    codes : ndarray of int, shape (n,)
    scored : ndarray of int, shape (q,)
        Positions in the evaluation set; none of them is in the pool.
    where : str
        How messages call it: "" or " in fold 2 of 5".
    """

    rows: Rows
    codes: Integers
    scored: Integers
    where: str


@dataclass(frozen=True)
class Task:
    """A pool in one representation, the rows to score in the same, and the splits that share both.

    Attributes
    ----------
    splits : tuple of HeldOut
        A detector of one of them is fitted on the rows of `pool` outside its classes.
    list_size : int
        Neighbours that the lists hold for every split.
    search : callable
        Finds them: `surviving_neighbours`, or what has its parameters.
    """

    pool: Rows
    codes: Integers
    evaluation: Rows
    scored: Integers
    splits: tuple[HeldOut, ...]
    list_size: int
    workers: Workers
    search: Callable[..., Neighbours]

    def normal_rows(self, split: HeldOut) -> Integers:
        """Return the positions in `pool` of the rows that the detector of `split` is fitted on."""
        return np.flatnonzero(~np.isin(self.codes, split.codes))

    def normal_pool(self, split: HeldOut) -> Rows:
        """Return the rows that the detector of `split` is fitted on."""
        return self.pool.subset(self.normal_rows(split))

    @cached_property
    def evaluation_lists(self) -> Neighbours:
        """Neighbours in the pool of each evaluation row, for every split."""
        return self._lists(self.evaluation, None)

    @cached_property
    def pool_lists(self) -> Neighbours:
        """Neighbours in the pool of each pool row, itself left out, for every split."""
        return self._lists(self.pool, np.arange(len(self.pool)))

    def _lists(self, queries: Rows, own: Integers | None) -> Neighbours:
        return self.search(
            self.pool,
            self.codes,
            queries,
            k=self.list_size,
            removals=[split.codes for split in self.splits],
            workers=self.workers,
            own=own,
        )


def folds(benchmark: ClassSplit) -> Integers | None:
    """Return the fold of each evaluation row, of a stratified cross-fit with a fixed seed.

    Equal rows share one, unless they are more than a tenth of a fold. None with a training pool.
    """
    if benchmark.train is not None:
        return None
    equal = equal_sets(lambda: (benchmark.X[rows] for rows in blocks(*benchmark.X.shape)))
    return _together(_stratified_folds(benchmark.codes, benchmark.folds), equal, benchmark.folds)


def pools(benchmark: ClassSplit, fold_of: Integers | None = None) -> Iterator[Pool]:
    """Yield the training pool, or one pool per fold of a cross-fit.

    Every evaluation row is scored once, by detectors that did not see it.

    Parameters
    ----------
    benchmark : ClassSplit
    fold_of : ndarray of int, shape (m,), optional
        The `folds`, which take the time to compare all rows, where they are known.
    """
    unit = benchmark.metric == "cosine"
    if benchmark.train is not None:
        rows = Rows(benchmark.train.X, unit=unit)
        yield Pool(rows, benchmark.train.codes, np.arange(len(benchmark.X)), "")
        return
    fold_of = folds(benchmark) if fold_of is None else fold_of
    for fold in range(benchmark.folds):
        inside = np.flatnonzero(fold_of != fold)
        yield Pool(
            Rows(benchmark.X, inside, unit=unit),
            benchmark.codes[inside],
            np.flatnonzero(fold_of == fold),
            f" in fold {fold + 1} of {benchmark.folds}",
        )


def tasks(
    benchmark: ClassSplit,
    list_size: int,
    workers: Workers,
    search: Callable[..., Neighbours] = surviving_neighbours,
    fold_of: Integers | None = None,
) -> Iterator[Task]:
    """Yield what the detectors have to do: one task per pool, or per pool and split.

    The latter where a representation is fitted, which must not see the held-out classes.
    """
    unit = benchmark.metric == "cosine"
    for pool in pools(benchmark, fold_of):
        some = None if benchmark.train is not None else pool.scored
        scored = Rows(benchmark.X, some, unit=unit)
        if benchmark.transformer is None:
            yield Task(
                pool.rows,
                pool.codes,
                scored,
                pool.scored,
                benchmark.held_out,
                list_size,
                workers,
                search,
            )
            continue
        for split in benchmark.held_out:
            normal = np.flatnonzero(~np.isin(pool.codes, split.codes))
            transform = _Fitted(benchmark, pool.rows.subset(normal), split, pool.where)
            yield Task(
                transform(pool.rows.subset(normal)),
                pool.codes[normal],
                transform(scored),
                pool.scored,
                (split,),
                list_size,
                workers,
                search,
            )


def evaluation_sets(benchmark: ClassSplit) -> Iterator[Rows]:
    """Yield the evaluation set for leakage: as declared, or as each split's representation has it.

    A representation is fitted on the whole training pool without the held-out classes; without a
    training pool, on the evaluation set without them.
    """
    unit = benchmark.metric == "cosine"
    everything = Rows(benchmark.X, unit=unit)
    if benchmark.transformer is None:
        yield everything
        return
    if benchmark.train is None:
        pool, codes = everything, benchmark.codes
    else:
        pool, codes = Rows(benchmark.train.X, unit=unit), benchmark.train.codes
    for split in benchmark.held_out:
        normal = pool.subset(np.flatnonzero(~np.isin(codes, split.codes)))
        yield _Fitted(benchmark, normal, split, "")(everything)


class _Fitted:
    """A copy of the benchmark's transformer, fitted on one normal pool."""

    def __init__(self, benchmark: ClassSplit, normal: Rows, split: HeldOut, where: str) -> None:
        self.what = f"representation without {split.label!r}{where}"
        self.unit = benchmark.metric == "cosine"
        self.transformer: Any = copy.deepcopy(benchmark.transformer)
        names = random_states(self.transformer)
        if names:
            self.transformer.set_params(**dict.fromkeys(names, _TRANSFORMER_SEED))
        self.transformer.fit(normal.copy())

    def __call__(self, rows: Rows) -> Rows:
        transformed: Matrix = as_matrix(self.transformer.transform(rows.copy()), self.what)
        if len(transformed) != len(rows):
            raise InputError(
                f"{self.what}: transform returned {len(transformed)} rows for {len(rows)}."
            )
        if self.unit:
            check_cosine(transformed, self.what)
        return Rows(transformed.copy(), unit=self.unit)  # it may use its output buffer again


def random_states(estimator: Any) -> list[str]:
    """Return the names of the parameters that leave an estimator's random state to chance.

    That is every ``random_state`` of None among its parameters, those of nested steps included.
    """
    if not callable(getattr(estimator, "get_params", None)):
        return []
    return sorted(
        name
        for name, value in estimator.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )


def _stratified_folds(codes: Integers, folds: int) -> Integers:
    """Deal the rows of each class out to the folds in random order, going on where the last stopped.

    Classes come in the order in which they appear, so that their names play no part.
    """
    rng = np.random.default_rng(_FOLD_SEED)
    classes, first = np.unique(codes, return_index=True)
    in_turn = classes[np.argsort(first)]
    by_class = [rng.permutation(np.flatnonzero(codes == code)) for code in in_turn]
    fold_of = np.empty(len(codes), dtype=np.intp)
    fold_of[np.concatenate(by_class)] = np.arange(len(codes)) % folds
    return fold_of


def _together(fold_of: Integers, equal: Integers, folds: int) -> Integers:
    """Put equal rows in the fold of the first of them, but for sets of more than a tenth of a fold.

    With those in one piece, folds would differ in size, and lack classes.
    """
    _, first, size = np.unique(equal, return_index=True, return_counts=True)
    small = _SETS_PER_FOLD * folds * size <= len(equal)
    return np.where(small[equal], fold_of[first[equal]], fold_of)


def check_pools(
    benchmark: ClassSplit, needs: Sequence[tuple[str, int]], fold_of: Integers | None = None
) -> None:
    """Refuse a benchmark in which some normal pool is too small for a detector.

    Parameters
    ----------
    needs : sequence of (str, int)
        What each detector is called, and the rows that it needs.
    fold_of
        As for `pools`.

    Raises
    ------
    InputError
    """
    for pool in pools(benchmark, fold_of) if needs else ():
        for split in benchmark.held_out:
            rows = int((~np.isin(pool.codes, split.codes)).sum())
            for name, least in needs:
                if rows < least:
                    raise InputError(
                        f"detector {name!r} needs {least} rows to fit, but the normal pool without "
                        f"{split.label!r}{pool.where} has {rows}; add rows, lower k, or leave "
                        f"{name!r} out of the detectors."
                    )
