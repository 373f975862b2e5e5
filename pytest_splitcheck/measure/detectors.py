"""What the measurement asks of a detector, and the built-in ones.

Scores are high for anomalies throughout, and no detector is told a label.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytest_splitcheck.declare.class_split import HeldOut
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.forests import Draws, forest_scores
from pytest_splitcheck.measure.rows import Float64
from pytest_splitcheck.measure.splits import Task

__all__ = ["Detector", "Scores", "as_numbers", "built_in"]


@dataclass(frozen=True, slots=True)
class Scores:
    """What a detector gave the rows of a task.

    Attributes
    ----------
    values : ndarray of float64, shape (splits, seeds, q)
        Higher = more anomalous.
    resolution : float
        Relative spacing of the floating-point type that they came in.
    far : ndarray of float64, shape (r,), or None
        Scores that the fit for the first split and seed gave to rows far outside all data; None where it was
        not asked, or gave no answer.
    """

    values: Float64
    resolution: float = float(np.finfo(np.float64).eps)
    far: Float64 | None = None


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
            return lists.mean_without(split.codes, k)

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


def built_in(name: str, k: int, seeds: Sequence[int]) -> Detector:
    """Return the built-in detector of that name."""
    by_name: dict[str, Detector] = {"knn": NearestNeighbours(k), "lof": LocalOutlierFactor()}
    return by_name.get(name) or IsolationForest(seeds)


def as_numbers(given: Any, what: str) -> tuple[Float64, float]:
    """Return scores as a new float64 array with the resolution of the type that they came in.

    Raises
    ------
    InputError
        If they are not real numbers; the message begins with `what`.
    """
    if hasattr(given, "detach"):
        given = given.detach()
    try:
        scores = np.asarray(given)
        if scores.dtype.kind not in "biufO":
            raise TypeError(f"they are of type {scores.dtype}")
        resolution = float(np.finfo(scores.dtype if scores.dtype.kind == "f" else float).eps)
        return scores.astype(np.float64), resolution
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{what} cannot be read as numbers: {error}") from None
