"""What is known of the detectors of a benchmark: each one, and all together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.results.names import class_names, named

__all__ = ["DetectorResult", "Instability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorResult:
    """One detector on every split.

    Attributes
    ----------
    name : str
    auroc : dict from held-out class to float
        AUC(c) = P(score of an anomaly > score of a normal) + P(equal) / 2, higher score = more
        anomalous; mean over seeds. Cross-fitted detectors are compared within each fold only.
    spread : dict from held-out class to float
        Standard deviation (ddof = 0) of AUC(c) over seeds; 0 for a detector without seeds.
    mean, variance, iqr : float
        Over held-out classes; the variance with ddof = 0.
    rho_rnd : float
        Share of held-out classes with abs(AUC - 1/2) <= epsilon.
    rho_inv : float
        Share of held-out classes with AUC < 1/2.
    rho_dir : float
        1 - max(#{d = +1}, #{d = -1}) / K; neutral classes count against, so it can exceed 1/2.
    direction : dict from held-out class to int
        d(c): 1 or -1, the sign of AUC - 1/2; 0 within epsilon of 1/2.
    no_ranking : tuple
        Held-out classes for which some fit gave every row the same score, up to rounding.
    hard_labels : tuple
        Held-out classes for which no fit gave more than two distinct scores: labels, not scores.
    far_auroc : float or None
        P(a row far outside the pool scores higher than a normal evaluation row) + P(equal) / 2, from the
        first fit; near 0 if the scores are high for normal rows. None for built-in detectors and recorded
        scores, and where a detector raised an error or gave NaN on such rows.
    seeds : tuple of int
        The seeds that were run; empty for a detector that does not draw at random.
    approximation : Approximation or None
        None where the detector read no neighbours or exact ones.
    """

    name: str
    auroc: dict[Hashable, float]
    spread: dict[Hashable, float]
    mean: float
    variance: float
    iqr: float
    rho_rnd: float
    rho_inv: float
    rho_dir: float
    direction: dict[Hashable, int]
    no_ranking: tuple[Hashable, ...]
    seeds: tuple[int, ...]
    hard_labels: tuple[Hashable, ...] = ()
    far_auroc: float | None = None
    approximation: Approximation | None = None

    @property
    def majority(self) -> int:
        """The direction of most held-out classes, 1 or -1; 1 where both are as many."""
        directions = list(self.direction.values())
        return 1 if directions.count(1) >= directions.count(-1) else -1

    def to_dict(self, names: Mapping[Hashable, str] | None = None) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``."""
        names = names or class_names(self.auroc)
        return {
            "auroc": named(self.auroc, names),
            "spread": named(self.spread, names),
            "direction": named(self.direction, names),
            "mean": self.mean,
            "variance": self.variance,
            "iqr": self.iqr,
            "rho_rnd": self.rho_rnd,
            "rho_inv": self.rho_inv,
            "rho_dir": self.rho_dir,
            "no_ranking": [names[label] for label in self.no_ranking],
            "hard_labels": [names[label] for label in self.hard_labels],
            "far_auroc": self.far_auroc,
            "seeds": list(self.seeds),
            "approximation": None if self.approximation is None else self.approximation.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Instability:
    """The rates of all detectors together, as in the paper's Table 1.

    Attributes
    ----------
    rho_rnd, rho_inv, rho_dir : float
        Mean over detectors of each rate, in [0, 1].
    mean, variance, iqr : float
        Mean over detectors of the mean, the variance and the interquartile range of AUC(c).
    worst : dict from str to (str, float)
        For each rate the detector with the largest value, and for ``"mean"`` the one with the
        smallest, with that value.
    """

    rho_rnd: float
    rho_inv: float
    rho_dir: float
    mean: float
    variance: float
    iqr: float
    worst: dict[str, tuple[str, float]]

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``."""
        return {
            "rho_rnd": self.rho_rnd,
            "rho_inv": self.rho_inv,
            "rho_dir": self.rho_dir,
            "mean": self.mean,
            "variance": self.variance,
            "iqr": self.iqr,
            "worst": {rate: list(entry) for rate, entry in self.worst.items()},
        }
