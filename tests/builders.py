"""What several tests build: data, detectors, and reports with chosen figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from pytest_splitcheck.measure.attribution import attribute
from pytest_splitcheck.measure.instability import combine, summarise
from pytest_splitcheck.measure.leakage import measure_leakage
from pytest_splitcheck.measure.results import (
    DetectorResult,
    Integrity,
    Leakage,
    Report,
)
from pytest_splitcheck.measure.results.integrity import NOTHING_FOUND
from pytest_splitcheck.measure.roc import ordered_pairs
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers


def clusters(
    centres: Sequence[Sequence[float]], n: int, *, seed: int = 0, scale: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return `n` rows around each centre, and the numbers of their centres."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(centres)), n)
    noise = rng.normal(scale=scale, size=(len(y), len(centres[0])))
    return np.array(centres, dtype=float)[y] + noise, y


def grid(n: int, d: int = 2, high: int = 4, seed: int = 0) -> np.ndarray:
    """Return rows of small whole numbers: many ties."""
    return np.random.default_rng(seed).integers(0, high, size=(n, d))


def plain(n: int, d: int = 3, seed: int = 0) -> np.ndarray:
    """Return rows without ties."""
    return np.random.default_rng(seed).normal(size=(n, d))


def labels(n: int, n_classes: int = 3, seed: int = 1) -> np.ndarray:
    """Return class numbers in random order, each about as often."""
    return np.random.default_rng(seed).permutation(np.arange(n) % n_classes)


@st.composite
def labelled_grids(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Draw (X, codes, k) of few distinct values, so that duplicates and ties are the rule."""
    m = draw(st.integers(3, 14))
    d = draw(st.integers(1, 3))
    row = st.lists(st.integers(0, 3), min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=m, max_size=m))
    n_classes = draw(st.integers(2, 3))
    codes = list(range(n_classes))  # every class has a row
    codes += draw(
        st.lists(st.integers(0, n_classes - 1), min_size=m - n_classes, max_size=m - n_classes)
    )
    return np.array(X), np.array(draw(st.permutations(codes))), draw(st.integers(1, m - 1))


def auroc(scores: np.ndarray, positive: np.ndarray) -> float:
    """Return the AUROC that the package counts for one split."""
    above, pairs = ordered_pairs(scores, positive)
    return above / pairs


class FirstColumn:
    """A detector without a fit: the score is the first value of the row."""

    def fit(self, X: np.ndarray) -> None:
        pass

    def score(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0]


class Random(BaseEstimator):
    """Scores are the seed's alone; the representation has noise of it."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: Any = None) -> Random:
        self.fitted_ = True
        return self

    def score(self, X: np.ndarray, y: Any = None) -> np.ndarray:
        return np.random.default_rng(self.random_state).normal(size=len(X))

    def transform(self, X: np.ndarray) -> np.ndarray:
        return X + np.random.default_rng(self.random_state).normal(size=X.shape[1])


def leakage(value: float = 0.1, *, classes: Sequence[Hashable] = "abc", **changes: Any) -> Leakage:
    """Return a leakage with chosen figures; every class has `value` by default."""
    n = len(classes)
    X, y = clusters([[10.0 * i] for i in range(n)], 30)
    found = measure_leakage([Rows(X)], y, tuple(classes), 10, Workers())
    figures = {
        "value": value,
        "interval": (value, value),
        "ratio": value / found.chance,
        "macro": value,
    }
    return dataclasses.replace(
        found, **{**figures, "per_class": dict.fromkeys(classes, value), **changes}
    )


def sampled(value: float, interval: tuple[float, float], **changes: Any) -> Leakage:
    """Return a leakage with chosen figures, from 64 of a million rows."""
    figures = {"alpha": 0.001, "interval": interval, "m": 1_000_000, "rows": np.arange(64)}
    return leakage(value, **{**figures, **changes})


def integrity(**changes: Any) -> Integrity:
    """Return that nothing was found, but for `changes`."""
    return dataclasses.replace(NOTHING_FOUND, **changes)


def _around(auroc: Any) -> tuple[float, float]:
    return max(0.0, float(auroc) - 0.02), min(1.0, float(auroc) + 0.02)


def report(
    aurocs: Mapping[str, Mapping[Hashable, Any]] | None = None,
    *,
    epsilon: float = 0.05,
    intervals: Mapping[str, Mapping[Hashable, tuple[float, float]]] | None = None,
    no_ranking: Mapping[str, Sequence[Hashable]] | None = None,
    hard_labels: Mapping[str, Sequence[Hashable]] | None = None,
    far_auroc: Mapping[str, float] | None = None,
    recorded: Sequence[str] = (),
    seeds: tuple[int, ...] = (),
    geometry: Mapping[Hashable, float] | None = None,
    **changes: Any,
) -> Report:
    """Return a report with chosen AUROCs by detector and held-out class, and of geometry alone.

    Lists of AUROCs are over `seeds`. Intervals are of +-0.02 around their mean unless chosen. Those of the
    detectors `recorded` are of scores from elsewhere.
    """
    aurocs = {"knn": dict.fromkeys("abc", 0.9)} if aurocs is None else aurocs
    held_out = list(next(iter(aurocs.values()), geometry or ()))
    classes = changes.pop("classes", tuple(held_out or "abc"))

    def summary(name: str, values: Mapping[Hashable, float]) -> DetectorResult:
        result = summarise(
            name,
            list(values),
            np.array([np.atleast_1d(value) for value in values.values()], dtype=float),
            epsilon=epsilon,
            intervals=[
                (intervals or {}).get(name, {}).get(label, _around(np.mean(value)))
                for label, value in values.items()
            ],
            no_ranking=(no_ranking or {}).get(name, ()),
            hard_labels=(hard_labels or {}).get(name, ()),
            far_auroc=(far_auroc or {}).get(name),
            seeds=seeds,
        )
        return dataclasses.replace(result, recorded=name in recorded)

    results = [summary(name, values) for name, values in aurocs.items()]
    alone = None if geometry is None else summary("geometry", geometry)
    figures = {
        "name": "bench",
        "representation": None,
        "metric": "euclidean",
        "m": 30 * len(classes),
        "n_features": 1,
        "n_train": None,
        "folds": 5,
        "classes": classes,
        "counts": dict.fromkeys(classes, 30),
        "positives": dict.fromkeys(held_out or classes, 30),
        "k": 10,
        "epsilon": epsilon,
        "constant": False,
        "integrity": integrity(),
        "leakage": leakage(classes=classes),
        "detectors": {result.name: result for result in results},
        "instability": combine(results),
        "geometry": alone,
        "attribution": attribute(results, alone),
        "fingerprint": "0" * 32,
    }
    return Report(**{**figures, **changes})
