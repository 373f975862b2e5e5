"""What an author may pass as a detector, and how the scores of each are read.

Which way a score points is known from the library that it comes from, or declared by the author; it is
never guessed from labels.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.declare.labels import plain_text
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.authors import AuthorsDetector
from pytest_splitcheck.measure.detectors import Detector, built_in
from pytest_splitcheck.measure.libraries import (
    Reading,
    by_library,
    has_their_scores,
    is_module,
    last_step,
    score_is_one_number,
)
from pytest_splitcheck.measure.recorded import Recorded, RecordedScores

__all__ = ["HighIsNormal", "named_detectors", "resolve_detector"]

_NO_DIRECTION = ("decision_function", "score_samples", "predict_proba")
"""Methods that score rows, in a direction that is up to their library."""

_DECLARE = (
    "pass a function (pool, rows) that fits it on the first and returns one score for each of the second, "
    "higher = more anomalous, or HighIsNormal(function) if they are high for normal rows"
)


@dataclass(frozen=True, slots=True)
class HighIsNormal:
    """Declares that the scores of a detector are high for normal rows, so that their sign is turned.

    Parameters
    ----------
    detector : object with fit(X) and score(X), function (pool, rows) -> scores, or RecordedScores
        Not a detector of scikit-learn or PyOD, nor a built-in one: their direction is known.

    Raises
    ------
    InputError
        If the direction is known already.

    Examples
    --------
    >>> import numpy as np
    >>> from pytest_splitcheck import HighIsNormal
    >>> def likelihood(pool, rows):
    ...     return -np.linalg.norm(rows - pool.mean(axis=0), axis=1)
    >>> detectors = {"mine": HighIsNormal(likelihood), "knn": "knn"}
    """

    detector: Any

    def __post_init__(self) -> None:
        known = by_library(self.detector)
        if isinstance(self.detector, str):
            told = f"the built-in detector {self.detector!r}"
        elif isinstance(self.detector, HighIsNormal):
            told = "what HighIsNormal wraps already"
        elif known is not None:
            told = f"{type(self.detector).__name__}, a detector of {known.origin},"
        else:
            return
        raise InputError(f"the direction of {told} is known; pass it without HighIsNormal.")


def named_detectors(detectors: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return detectors by name: a dictionary as it is, a list by built-in names, types and functions.

    Raises
    ------
    InputError
        If a name is not a string, or taken twice.
    """
    if isinstance(detectors, Mapping):
        pairs = list(detectors.items())
    else:
        pairs = [(_own_name(one), one) for one in detectors]
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


def _own_name(detector: Any) -> str:
    if isinstance(detector, str):
        return detector
    if isinstance(detector, HighIsNormal):
        return _own_name(detector.detector)
    if isinstance(detector, partial):
        return _own_name(detector.func)
    return detector.__name__ if inspect.isroutine(detector) else type(detector).__name__


def resolve_detector(
    name: str, entry: Any, k: int, seeds: Sequence[int], benchmark: ClassSplit
) -> Detector | Recorded:
    """Return the detector that an author's entry stands for.

    Raises
    ------
    InputError
        If it cannot be fitted and scored, if it is not known which way its scores point, or if recorded
        scores are not those of `benchmark`.
    """
    if isinstance(entry, str):
        return built_in(entry, k, seeds)
    sign, detector = (-1, entry.detector) if isinstance(entry, HighIsNormal) else (1, entry)
    if isinstance(detector, RecordedScores):
        return Recorded(name, detector, sign, benchmark)
    if isinstance(detector, type):
        raise InputError(f"detector {name!r} is a class; pass an instance of it.")
    what = f"detector {name!r} ({type(detector).__name__})"
    known = by_library(detector)
    if known is not None:
        _check_known(detector, known, what)
        sure = has_their_scores(detector, known)
        return AuthorsDetector(name, detector, known.method, known.sign, seeds, sign_is_known=sure)
    fits, scores = (callable(getattr(detector, method, None)) for method in ("fit", "score"))
    if fits and scores:
        if score_is_one_number(detector):
            raise InputError(
                f"{what}: its score(X) is scikit-learn's, a single number for all rows, and it is no "
                f"outlier detector; {_DECLARE}."
            )
        return AuthorsDetector(name, detector, "score", sign, seeds)
    methods = [one for one in _NO_DIRECTION if callable(getattr(detector, one, None))]
    if methods:
        raise InputError(
            f"{what} has {methods[0]}(X), of which it is not known whether it is high for anomalies; "
            f"{_DECLARE}."
        )
    if is_module(detector) and not fits:
        raise InputError(
            f"{what} is a module of torch, and no detector; wrap it in a class with fit(X) and score(X), or in "
            "a function (pool, rows) -> scores, higher = more anomalous."
        )
    if callable(detector) and not fits:
        _check_arguments(detector, what)
        return AuthorsDetector(name, detector, None, sign, seeds)
    raise InputError(
        f"{what} has no method {'score' if fits else 'fit'}(X); a detector needs fit(X) and score(X), "
        "higher = more anomalous, or is a function (pool, rows) -> scores."
    )


def _check_known(detector: Any, known: Reading, what: str) -> None:
    if callable(getattr(detector, known.method, None)):
        return
    if getattr(last_step(detector), "novelty", None) is False:
        raise InputError(f"{what} scores no new rows as it is; pass it with novelty=True.")
    if getattr(detector, "refit", None) is False:
        raise InputError(f"{what} keeps no estimator to score rows; pass it with refit=True.")
    raise InputError(
        f"{what} has no {known.method}(X), by which the detectors of {known.origin} score new rows; "
        f"{_DECLARE}."
    )


def _check_arguments(function: Any, what: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # not every one is known
        return
    try:
        signature.bind(None, None)
    except TypeError:
        raise InputError(
            f"{what} must take two arguments, (pool, rows), and return the scores of the rows; its "
            f"arguments are {signature}."
        ) from None
