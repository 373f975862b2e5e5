"""Everything that was measured of a benchmark."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from pytest_splitcheck.measure.results.detectors import DetectorResult, Instability
from pytest_splitcheck.measure.results.integrity import Integrity
from pytest_splitcheck.measure.results.leakage import Leakage
from pytest_splitcheck.measure.results.names import class_names, named

__all__ = ["Report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that was measured of one benchmark.

    Attributes
    ----------
    name, representation, metric : str
        As declared; the first two may be None.
    m, n_features : int
        Rows and values per row of the evaluation set, before a representation is fitted.
    n_train : int or None
        Rows of the training pool; None where detectors were cross-fitted over `folds`.
    folds : int or None
        Number of folds of the cross-fit; None with a training pool.
    classes : tuple
        Labels as the author wrote them.
    counts : dict from class to int
        Rows of each class in the evaluation set.
    positives : dict from held-out class to int
        Rows that are positive in each split.
    k : int
    epsilon : float
    constant : bool
        All evaluation rows are equal.
    integrity : Integrity
        What can spoil a benchmark whatever its geometry: shared and contaminated rows, and others.
    leakage : Leakage
    detectors : dict from name to DetectorResult
        Empty if none was asked for.
    instability : Instability or None
        None without detectors.
    fingerprint : str
        Digest of the data and the declaration.
    """

    name: str | None
    representation: str | None
    metric: str
    m: int
    n_features: int
    n_train: int | None
    folds: int | None
    classes: tuple[Hashable, ...]
    counts: dict[Hashable, int]
    positives: dict[Hashable, int]
    k: int
    epsilon: float
    constant: bool
    integrity: Integrity
    leakage: Leakage
    detectors: dict[str, DetectorResult]
    instability: Instability | None
    fingerprint: str

    @property
    def names(self) -> dict[Hashable, str]:
        """A distinct text for each class and each held-out group."""
        return class_names([*self.classes, *self.positives])

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``, in which classes go by their `names`."""
        names = self.names
        return {
            "name": self.name,
            "representation": self.representation,
            "metric": self.metric,
            "m": self.m,
            "n_features": self.n_features,
            "n_train": self.n_train,
            "folds": self.folds,
            "classes": [names[label] for label in self.classes],
            "counts": named(self.counts, names),
            "positives": named(self.positives, names),
            "k": self.k,
            "epsilon": self.epsilon,
            "constant": self.constant,
            "integrity": self.integrity.to_dict(names),
            "leakage": self.leakage.to_dict(names),
            "detectors": {name: result.to_dict(names) for name, result in self.detectors.items()},
            "instability": None if self.instability is None else self.instability.to_dict(),
            "fingerprint": self.fingerprint,
        }
