"""What is known of the detectors of a benchmark: each one, and all together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.histogram import Histogram
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
    interval : dict from held-out class to (float, float)
        95 % interval of AUC(c), over other rows of the same classes and, with several seeds, over other
        seeds; never of no width.
    flips : dict from held-out class to float
        Share of the seeds whose AUC(c) lies on the other side of 1/2 than their mean; 0 for a detector
        without seeds. Where the mean is 1/2, the share of the side that has fewer.
    open_directions : dict from held-out class to tuple of int
        The directions that d(c) has somewhere in the interval: all three where the direction depends on
        the seed, or there is no ranking.
    resolved : dict from held-out class to int or None
        0 if the interval lies within epsilon of 1/2; else 1 or -1, if it excludes 1/2. None, unresolved, if
        it does not, if the direction depends on the seed (`flips` is not 0) or there is no ranking.
    no_ranking : tuple
        Held-out classes for which some fit gave every row the same score, up to rounding.
    hard_labels : tuple
        Held-out classes for which no fit gave more than two distinct scores: labels, not scores.
    far_auroc : float or None
        P(a row far outside the pool scores higher than a normal evaluation row) + P(equal) / 2, from the
        first fit; near 0 if the scores are high for normal rows. None for built-in detectors, those that are
        scikit-learn's or PyOD's own, and recorded scores, and where a detector raised an error or gave NaN on
        such rows.
    recorded : bool
        Whether the scores are from a run elsewhere, so that no further row can be scored.
    seeds : tuple of int
        The seeds that were run; empty for a detector that does not draw at random.
    approximation : Approximation or None
        None where the detector read no neighbours or exact ones.
    histogram : dict from held-out class to Histogram
        How the scores of the normal rows and of the class's own lie, from the first fit for it: of the first
        seed, and where detectors were cross-fitted of the first fold that has both. No part of comparisons.
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
    interval: dict[Hashable, tuple[float, float]]
    flips: dict[Hashable, float]
    open_directions: dict[Hashable, tuple[int, ...]]
    resolved: dict[Hashable, int | None]
    no_ranking: tuple[Hashable, ...]
    seeds: tuple[int, ...]
    hard_labels: tuple[Hashable, ...] = ()
    far_auroc: float | None = None
    recorded: bool = False
    approximation: Approximation | None = None
    histogram: dict[Hashable, Histogram] = field(default_factory=dict, repr=False, compare=False)

    @property
    def majority(self) -> int:
        """The direction of most held-out classes, 1 or -1; 1 where both are as many."""
        directions = list(self.direction.values())
        return 1 if directions.count(1) >= directions.count(-1) else -1

    @property
    def best_side(self) -> int:
        """The direction, 1 or -1, that most classes may have; the majority's where both are as many."""
        up, down = self._may_point(1), self._may_point(-1)
        return self.majority if up == down else 1 if up > down else -1

    @property
    def rho_dir_resolved(self) -> float:
        """The least rho_dir that the intervals leave open.

        1 - max(n(+1), n(-1)) / K, where n(d) is the number of held-out classes that have direction d
        somewhere in their interval: every class that may agree does.
        """
        n = len(self.auroc)
        return (n - max(self._may_point(1), self._may_point(-1))) / n

    @property
    def rho_inv_resolved(self) -> float:
        """The least rho_inv that the intervals leave open: the share of `surely_inverted` classes."""
        return sum(map(self.surely_inverted, self.auroc)) / len(self.auroc)

    def may_point(self, side: int, label: Hashable) -> bool:
        """Tell whether a held-out class has direction `side` somewhere in its interval."""
        return side in self.open_directions[label]

    def surely_inverted(self, label: Hashable) -> bool:
        """Tell whether the interval of a held-out class lies below 1/2, and its seeds agree."""
        ranked = label not in self.no_ranking and not self.flips[label]
        return ranked and self.interval[label][1] < 0.5

    def _may_point(self, side: int) -> int:
        return sum(self.may_point(side, label) for label in self.auroc)

    def to_dict(self, names: Mapping[Hashable, str] | None = None) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``."""
        names = names or class_names(self.auroc)
        return {
            "auroc": named(self.auroc, names),
            "spread": named(self.spread, names),
            "direction": named(self.direction, names),
            "interval": {names[label]: list(ends) for label, ends in self.interval.items()},
            "flips": named(self.flips, names),
            "open_directions": {names[c]: list(open_) for c, open_ in self.open_directions.items()},
            "resolved": named(self.resolved, names),
            "mean": self.mean,
            "variance": self.variance,
            "iqr": self.iqr,
            "rho_rnd": self.rho_rnd,
            "rho_inv": self.rho_inv,
            "rho_dir": self.rho_dir,
            "rho_dir_resolved": self.rho_dir_resolved,
            "rho_inv_resolved": self.rho_inv_resolved,
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
    rho_dir_resolved, rho_inv_resolved : float
        Mean over detectors of the least rates that the intervals leave open.
    mean, variance, iqr : float
        Mean over detectors of the mean, the variance and the interquartile range of AUC(c).
    worst : dict from str to (str, float)
        For each rate the detector with the largest value, and for ``"mean"`` the one with the
        smallest, with that value.
    """

    rho_rnd: float
    rho_inv: float
    rho_dir: float
    rho_dir_resolved: float
    rho_inv_resolved: float
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
            "rho_dir_resolved": self.rho_dir_resolved,
            "rho_inv_resolved": self.rho_inv_resolved,
            "mean": self.mean,
            "variance": self.variance,
            "iqr": self.iqr,
            "worst": {rate: list(entry) for rate, entry in self.worst.items()},
        }
