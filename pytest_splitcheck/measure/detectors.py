"""What the measurement asks of a detector, and the built-in ones.

Scores are high for anomalies throughout, and no detector is told a label.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pytest_splitcheck.declare.class_split import HeldOut
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.forest import Draws
from pytest_splitcheck.measure.forests import DRAWS_KEPT, forest_scores
from pytest_splitcheck.measure.neighbours import Neighbours
from pytest_splitcheck.measure.neighbours.reach import tie_margin
from pytest_splitcheck.measure.roc import merge_ties
from pytest_splitcheck.measure.rows import Float64, Rows, row_means
from pytest_splitcheck.measure.splits import Task

__all__ = ["Detector", "IsolationForest", "Scores", "as_numbers", "built_in", "tied"]

_NARROW = 2.0**-12
"""Taken for the spacing of float16, a fourth of it: results of that type were computed in a wider one and
rounded once, so that more than two steps apart they differ."""

_ORDINARY = 2.0**-10, 2.0**100
"""Usual distances between neighbours that LOF takes as they are."""

_FARTHEST = 2.0**900
"""Rows that are this many times farther than usual are no farther for LOF: sums stay finite."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What a detector gave the rows of a task.

    Attributes
    ----------
    values : ndarray of float64, shape (splits, seeds, q)
        Higher = more anomalous.
    resolution : float
        Distance from 1 to the next number of the floating-point type that they came in; less for float16.
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


def tied(scores: Float64, rows: Rows) -> Float64:
    """Return scores made of distances between `rows`, with one value for those equal up to rounding.

    Units and a translation of the rows change the last digits, which must not break a tie. The margin is
    that of distances in the search for neighbours.

    Parameters
    ----------
    scores : ndarray of shape (q,)
    rows : Rows
    """
    return merge_ties(scores, tie_margin(scores, rows))


class NearestNeighbours:
    """Mean distance to the k nearest rows of the normal pool; equal up to rounding is equal."""

    seeds: tuple[int, ...] = ()

    def __init__(self, k: int) -> None:
        self.list_size = self.least_rows = k

    def score(self, task: Task) -> Scores:
        k = self.list_size
        lists = task.evaluation_lists

        def mean(split: HeldOut) -> Float64:
            return tied(lists.mean_without(split.codes, k), task.evaluation)

        return Scores(np.array(task.workers.map("knn", mean, task.splits))[:, None])


class LocalOutlierFactor:
    """Local outlier factor in novelty mode (Breunig et al. 2000), by scikit-learn's definition.

    The local reachability density of a row is the inverse of its mean reachability distance to
    exactly `list_size` neighbours, plus 1e-10. Among rows tied at the last of them the one with the
    lowest index is taken. Scores that are equal up to rounding are equal.

    That 1e-10 takes distances for numbers around 1. Where the usual one is not, below 1e-3 or so or beyond
    1e30, all distances are divided by a power of two before, so that units play no part; else they are taken
    as they are, as scikit-learn does.
    """

    seeds: tuple[int, ...] = ()
    list_size = 20
    least_rows = 21

    def score(self, task: Task) -> Scores:
        exponent = _exponent(task.pool_lists.distance[:, self.list_size - 1])
        pool, evaluation = (
            _scaled(lists, exponent) for lists in (task.pool_lists, task.evaluation_lists)
        )

        def score(split: HeldOut) -> Float64:
            distance, index = pool.without(split.codes, self.list_size)
            reach = distance[:, -1].copy()
            density = _density(distance, reach.take(index))
            distance, index = evaluation.without(split.codes, self.list_size)
            own = _density(distance, reach.take(index))
            return tied(row_means(density.take(index)) / own, task.evaluation)

        return Scores(np.array(task.workers.map("lof", score, task.splits))[:, None])


def _density(distance: Float64, reach: Float64) -> Float64:
    return np.asarray(1.0 / (row_means(np.maximum(distance, reach)) + 1e-10))


def _exponent(reach: Float64) -> int:
    """Return the power of two that LOF divides by, from how far the neighbours of each row reach."""
    apart = np.sort(reach[reach > 0])
    usual = float(apart[len(apart) // 2]) if len(apart) else 1.0
    least, most = _ORDINARY
    return 0 if least <= usual <= most else int(np.frexp(usual)[1])


def _scaled(lists: Neighbours, exponent: int) -> Neighbours:
    """Return lists with distances divided by ``2**exponent``; those that this leaves as they are."""
    if exponent == 0 and lists.distance.max(where=lists.index >= 0, initial=0.0) <= _FARTHEST:
        return lists
    with np.errstate(over="ignore"):
        scaled = np.minimum(np.ldexp(lists.distance, -exponent), _FARTHEST)
    return replace(lists, distance=scaled)


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
        self._draws = functools.lru_cache(maxsize=DRAWS_KEPT)(Draws)

    def score(self, task: Task) -> Scores:
        """Return the scores of `forest_scores`."""
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
        If they are not real numbers, or some are masked; the message begins with `what`.
    """
    masked = int(np.ma.getmaskarray(given).sum()) if isinstance(given, np.ma.MaskedArray) else 0
    if masked:
        raise InputError(
            f"{what} cannot be read as numbers: {masked} of {given.size} are masked; fill them in, or leave "
            "such rows out of the benchmark."
        )
    if hasattr(given, "detach"):
        given = given.detach()
    try:
        scores = np.asarray(given)
        if scores.dtype.kind not in "biufO":
            raise TypeError(f"they are of type {scores.dtype}")
        kind = np.finfo(scores.dtype if scores.dtype.kind == "f" else float)
        return scores.astype(np.float64), min(float(kind.eps), _NARROW)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{what} cannot be read as numbers: {error}") from None
