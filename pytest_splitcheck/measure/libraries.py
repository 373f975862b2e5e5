"""Detectors of known libraries, and how their scores are read.

They are recognised by their classes, without an import: whoever has such an object has the library.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = [
    "Reading",
    "by_library",
    "has_their_scores",
    "is_module",
    "last_step",
    "score_is_one_number",
]


class Reading(NamedTuple):
    """How the scores of a library's detectors are read."""

    origin: str
    method: str
    sign: int


_SCIKIT_LEARN = Reading("scikit-learn", "score_samples", -1)
_PYOD = Reading("PyOD", "decision_function", 1)


def by_library(detector: Any) -> Reading | None:
    """Return how the scores of a known library's detector are read; None for any other object.

    Classes that derive from a library's keep its convention, unless they bring a ``score`` of their own.
    """
    last = last_step(detector)
    if _home(last, "pyod"):
        known = _PYOD
    elif _is_scikit_learn(last):
        known = _SCIKIT_LEARN
    else:
        return None
    order = type(last).__mro__.index
    own = order(_defining(last, "score")) < order(_defining(last, known.method))
    return None if own else known


def has_their_scores(detector: Any, known: Reading) -> bool:
    """Tell whether the method that scores rows is the library's own, and not of a class derived from it.

    Parameters
    ----------
    detector : object
    known : Reading
        What `by_library` returned for it.
    """
    packages = {_SCIKIT_LEARN: "sklearn", _PYOD: "pyod"}
    return _of(_defining(last_step(detector), known.method), packages[known])


def is_module(detector: Any) -> bool:
    """Tell whether an object is a module of torch, which can be called, but with one batch of rows."""
    return _home(detector, "torch")


def last_step(detector: Any) -> Any:
    """Return what scores the rows in a pipeline or a search of scikit-learn; else the detector."""
    while _home(detector, "sklearn"):
        if isinstance(steps := getattr(detector, "steps", None), list) and steps:
            detector = steps[-1][1]
        elif hasattr(detector, "refit") and hasattr(detector, "estimator"):
            detector = detector.estimator
        else:
            break
    return detector


def _is_scikit_learn(detector: Any) -> bool:
    """Tell whether scikit-learn's convention holds: the lower score_samples(X), the more abnormal."""
    if isinstance(detector, type):
        return False
    mixed_in = {one.__name__ for one in type(detector).__mro__ if _of(one, "sklearn")}
    if mixed_in & {"OutlierMixin", "DensityMixin"} or _estimator_type(detector) in (
        "outlier_detector",
        "density_estimator",
        "DensityEstimator",  # until 1.5
    ):
        return True
    return _of(_defining(detector, "score_samples"), "sklearn")


def _estimator_type(detector: Any) -> Any:
    """Return what an object says to scikit-learn of its type, from 1.6 on by its tags."""
    try:
        return detector.__sklearn_tags__().estimator_type
    except AttributeError:
        return getattr(detector, "_estimator_type", None)


def _home(detector: Any, package: str) -> bool:
    return any(_of(one, package) for one in type(detector).__mro__)


def _of(one: type, package: str) -> bool:
    return one.__module__.partition(".")[0] == package


def _defining(detector: Any, method: str) -> type:
    """Return the class that a method comes from; ``object``, the last of all, if there is none."""
    return next((one for one in type(detector).__mro__ if method in vars(one)), object)


def score_is_one_number(detector: Any) -> bool:
    """Tell whether the ``score`` of a detector is scikit-learn's: one number for all rows."""
    return _of(_defining(last_step(detector), "score"), "sklearn")
