"""Detectors: the built-in ones, and the author's own behind the same small interface.

Scores are high for anomalies throughout, and no detector is told a label.
"""

from __future__ import annotations

import copy
import functools
import itertools
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytest_splitcheck.declare.class_split import HeldOut
from pytest_splitcheck.declare.labels import plain_text
from pytest_splitcheck.errors import AUTHORS, InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.forests import Draws, forest_scores
from pytest_splitcheck.measure.rows import Float64
from pytest_splitcheck.measure.splits import Task, random_states

__all__ = ["Detector", "Scores", "named_detectors", "resolve_detector"]


@dataclass(frozen=True, slots=True)
class Scores:
    """What a detector gave the rows of a task.

    Attributes
    ----------
    values : ndarray of float64, shape (splits, seeds, q)
        Higher = more anomalous.
    resolution : float
        Relative spacing of the floating-point type that they came in.
    """

    values: Float64
    resolution: float = float(np.finfo(np.float64).eps)


class Detector(typing.Protocol):
    """What the measurement asks of a detector.

    Attributes
    ----------
    list_size : int
        Neighbours that it reads from the lists of a task; 0 if none.
    least_rows : int
        Rows of the normal pool without which it cannot be fitted.
    seeds : tuple of int
        Empty for a detector that does not draw at random.
    """

    list_size: int
    least_rows: int
    seeds: tuple[int, ...]

    def score(self, task: Task) -> Scores:
        """Fit on the normal pool of each split, for each seed, and score the rows of the task."""


class NearestNeighbours:
    """Mean distance to the k nearest rows of the normal pool."""

    seeds: tuple[int, ...] = ()

    def __init__(self, k: int) -> None:
        self.list_size = self.least_rows = k

    def score(self, task: Task) -> Scores:
        k = self.list_size
        lists = task.evaluation_lists

        def mean(split: HeldOut) -> Float64:
            return np.asarray(lists.without(split.codes, k)[0].mean(axis=1))

        return Scores(np.array(task.workers.map("knn", mean, task.splits))[:, None])


class LocalOutlierFactor:
    """Local outlier factor in novelty mode (Breunig et al. 2000), by scikit-learn's definition.

    The local reachability density of a row is the inverse of its mean reachability distance to
    exactly `list_size` neighbours, plus 1e-10. Among rows tied at the last of them the one with the
    lowest index is taken.
    """

    seeds: tuple[int, ...] = ()
    list_size = 20
    least_rows = 21

    def score(self, task: Task) -> Scores:
        pool, evaluation = task.pool_lists, task.evaluation_lists

        def score(split: HeldOut) -> Float64:
            distance, index = pool.without(split.codes, self.list_size)
            reach = distance[:, -1].copy()
            density = _density(distance, reach[index])
            distance, index = evaluation.without(split.codes, self.list_size)
            return np.asarray(density[index].mean(axis=1) / _density(distance, reach[index]))

        return Scores(np.array(task.workers.map("lof", score, task.splits))[:, None])


def _density(distance: Float64, reach: Float64) -> Float64:
    return np.asarray(1.0 / (np.maximum(distance, reach).mean(axis=1) + 1e-10))


class IsolationForest:
    """scikit-learn's isolation forest with 100 trees (Liu et al. 2008), once per seed.

    The forest works in float32. A column of the normal pool that lies far from the origin against its
    spread, or whose values are tiny or beyond float32, is shifted or scaled by a power of two before; else
    the scores are scikit-learn's bit for bit.
    """

    list_size = 0
    least_rows = 2

    def __init__(self, seeds: Sequence[int]) -> None:
        self.seeds = tuple(seeds)
        self._draws = functools.lru_cache(maxsize=64)(Draws)

    def score(self, task: Task) -> Scores:
        return Scores(forest_scores(task, self.seeds, self._draws))


class AuthorsDetector:
    """Any object with ``fit(X)`` and ``score(X)``; a fresh copy of it is fitted on each pool.

    Parameters that are called ``random_state`` and left at None are set to each seed in turn.
    """

    list_size = 0
    least_rows = 1

    def __init__(self, name: str, detector: Any, seeds: Sequence[int]) -> None:
        self.name = name
        self.detector = detector
        self.random_states = random_states(detector)
        self.seeds = tuple(seeds) if self.random_states else ()

    def score(self, task: Task) -> Scores:
        values, resolution = [], 0.0
        fits = list(itertools.product(task.splits, self.seeds or (None,)))
        for number, (split, seed) in enumerate(fits, start=1):
            where = f"detector {self.name!r}, held-out class {split.label!r}"
            try:
                detector = copy.deepcopy(self.detector)
                if seed is not None:
                    detector.set_params(**dict.fromkeys(self.random_states, seed))
                detector.fit(task.normal_pool(split).copy())
                returned = detector.score(task.evaluation.copy())
            except Exception as error:
                error.add_note(f"{AUTHORS} {where}, while it was fitted or while it scored")
                raise
            scores, step = _as_scores(returned, len(task.evaluation), where)
            values.append(scores)
            resolution = max(resolution, step)
            task.workers.progress(self.name, number, len(fits))
        shape = (len(task.splits), len(self.seeds or (None,)), len(task.evaluation))
        return Scores(np.array(values).reshape(shape), resolution)


def _as_scores(returned: Any, n_rows: int, where: str) -> tuple[Float64, float]:
    """Check what an author's detector returned; give it as float64 with its resolution."""
    if hasattr(returned, "detach"):
        returned = returned.detach()
    try:
        scores = np.asarray(returned)
        if scores.dtype.kind not in "biufO":
            raise TypeError(f"they are of type {scores.dtype}")
        resolution = float(np.finfo(scores.dtype if scores.dtype.kind == "f" else float).eps)
        values = scores.astype(np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{where}: the scores cannot be read as numbers: {error}") from None
    if values.shape not in ((n_rows,), (n_rows, 1)):
        raise InputError(
            f"{where}: score(X) must return one score per row, shape ({n_rows},); it returned "
            + ("a single number." if values.ndim == 0 else f"shape {values.shape}.")
        )
    undefined = int(np.isnan(values).sum())
    if undefined:
        raise InputError(f"{where}: {undefined} of {n_rows} scores are NaN.")
    return values.reshape(n_rows), resolution


def named_detectors(detectors: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return detectors by name: a dictionary as it is, a list by built-in names and types.

    Raises
    ------
    InputError
        If a name is not a string, or taken twice.
    """
    if isinstance(detectors, Mapping):
        pairs = list(detectors.items())
    else:
        pairs = [(one if isinstance(one, str) else type(one).__name__, one) for one in detectors]
    named: dict[str, Any] = {}
    for name, detector in pairs:
        if not isinstance(name, str):
            raise InputError(f"a detector's name must be a string; got {name!r}.")
        if name in named:
            raise InputError(
                f"two detectors are called {name!r}; name them in a dictionary, such as "
                f"{{'first': ..., 'second': ...}}."
            )
        named[plain_text(name)] = detector
    return named


def resolve_detector(name: str, detector: Any, k: int, seeds: Sequence[int]) -> Detector:
    """Return the detector that an author's entry stands for.

    Raises
    ------
    InputError
        If an object lacks ``fit`` or ``score``.
    """
    if isinstance(detector, str):
        built_in: dict[str, Detector] = {"knn": NearestNeighbours(k), "lof": LocalOutlierFactor()}
        return built_in.get(detector) or IsolationForest(seeds)
    if isinstance(detector, type):
        raise InputError(f"detector {name!r} is a class; pass an instance of it.")
    for method in ("fit", "score"):
        if not callable(getattr(detector, method, None)):
            raise InputError(
                f"detector {name!r} ({type(detector).__name__}) has no method {method}(X); a detector "
                "needs fit(X) and score(X), higher = more anomalous"
                + (
                    "; for scikit-learn's outlier detectors that is -score_samples(X)."
                    if hasattr(detector, "score_samples")
                    else "."
                )
            )
    return AuthorsDetector(name, detector, seeds)
