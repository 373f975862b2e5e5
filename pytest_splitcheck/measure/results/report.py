"""Everything that was measured of a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.results.advice import Advice
from pytest_splitcheck.measure.results.detectors import DetectorResult, Instability
from pytest_splitcheck.measure.results.integrity import Integrity
from pytest_splitcheck.measure.results.leakage import Leakage
from pytest_splitcheck.measure.results.names import class_names, named
from pytest_splitcheck.measure.results.source import Source

__all__ = ["Fault", "Report"]

Fault = Literal["geometry", "detector", "open"]
"""Whose fault it is that a detector inverts a class or puts it near random."""


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
    geometry : DetectorResult or None
        Geometry alone: AUC_geo(c) and its rates, with the mean distance to the k nearest rows of the
        evaluation set outside class c, itself left out, as the score of each of its rows. None where leakage
        was sampled or is of approximate neighbours, unless it was asked for, and where some held-out class
        leaves fewer than k + 1 rows.
    attribution : dict from detector to dict from class to "geometry", "detector" or "open"
        Whose fault each class is that a detector inverts or puts near random: the geometry's, where
        geometry alone does so too, the detector's, where geometry alone separates the class, or neither
        is known. Empty without `geometry`.
    fingerprint : str
        Digest of the data and the declaration.
    other_k : dict from int to Report
        Where several k were asked for, the report at each but the first, in their order.
    source : Source or None
        What `advice` measures again; no part of the report's data, its pickles or its comparisons.
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
    geometry: DetectorResult | None
    attribution: dict[str, dict[Hashable, Fault]]
    fingerprint: str
    other_k: dict[int, Report] = field(default_factory=dict)
    source: Source | None = field(default=None, repr=False, compare=False)

    def advice(self, accepts: Callable[[Report], bool] | None = None) -> Advice:
        """Seek a way out: which classes and rows leak, and what to merge or drop.

        Each split that is proposed was measured by the protocol of this report. That takes several times
        as long as the report did, where it has detectors that are fitted one by one.

        Parameters
        ----------
        accepts : callable, optional
            Tells whether a report will do, such as
            ``lambda report: judge(report, thresholds).status == "well posed"``; it is asked of reports
            with assumed figures too, to rule splits out before they are measured. By default L_k is to be
            0.5 at most, and rho_dir 0.2.

        Returns
        -------
        Advice

        Raises
        ------
        InputError
            If the report is not fresh from `evaluate` or the fixture: unpickled, or a proposal's.
        """
        from pytest_splitcheck.measure.advice import advise, leaking_rows, will_do

        if self.source is None:
            raise InputError(
                "this report has lost its benchmark, of which advice would have to measure other splits: "
                "it was unpickled, copied or made by hand. Call evaluate(benchmark).advice()."
            )
        found = advise(self, self.source, accepts or will_do)
        return replace(found, rows=tuple(leaking_rows(self, self.source)))

    @property
    def names(self) -> dict[Hashable, str]:
        """A distinct text for each class and each held-out group."""
        return class_names([*self.classes, *self.positives])

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``, in which classes go by their `names`.

        Under each of `other_k`, as text, are the entries that differ from those here, and of the detectors
        those that differ.
        """
        names = self.names
        said = {
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
            "geometry": None if self.geometry is None else self.geometry.to_dict(names),
            "attribution": {name: named(one, names) for name, one in self.attribution.items()},
            "fingerprint": self.fingerprint,
        }
        further = {str(k): _differing(one.to_dict(), said) for k, one in self.other_k.items()}
        return {**said, "other_k": further}


def _differing(other: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    different = {name: one for name, one in other.items() if name in first and one != first[name]}
    if "detectors" in different:
        different["detectors"] = _differing(different["detectors"], first["detectors"])
    return different
