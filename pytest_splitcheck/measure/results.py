"""What a measurement returns: frozen, plain, serialisable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_splitcheck.declare.labels import plain_text
from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["DetectorResult", "Instability", "Leakage", "Report", "class_names"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leakage:
    """Neighbourhood leakage of a labelled evaluation set (Ascárate et al., arXiv 2606.02601).

    Compare two values only at the same `m` and `k`: L_k falls as the set grows.

    Attributes
    ----------
    value : float
        L_k, the ill-posedness index: mean of l_k(i) over all rows, in [0, 1]. From a sample of the rows,
        which `sampled` tells, it is an estimate, as are `per_class`, `macro`, `matrix`, `slot_share` and
        `ratio`: the mean of `pointwise`, or the end of `interval` next to it.
    interval : (float, float)
        Holds L_k; `value` twice if exact. From a sample, it fails to with probability `alpha` at most, with
        approximate neighbours with probability 0.001.
    alpha : float or None
        None if these are figures of all rows.
    rows : ndarray of int, shape (queries,)
        The rows whose neighbours were sought, among all rows: all of them in their order, or a sample in
        the order of the draws.
    pointwise : ndarray of float64, shape (queries,)
        l_k(i) of `rows`: share of the k nearest other rows whose label differs. Rows tied at the k-th distance
        share the slots that are left, so that the value is an expectation over random tie-breaking.
        With a fitted representation, the mean over the splits' representations.
    per_class : dict from class to float or None
        L_k(c): mean of l_k(i) over the rows of class c; None if a sample has no row of it.
    macro : float or None
        Mean of `per_class` over classes; None if one of them is.
    matrix : ndarray of shape (K, K)
        M[a, b]: share of class a's neighbour slots that hold class b, in the order of `classes`; rows
        sum to 1, and L_k(a) = 1 - M[a, a]. NaN where `per_class` is None.
    slot_share : dict from class to float
        Share of all m k neighbour slots that class c fills; sums to 1.
    chance : float
        L_k expected under a random relabelling: 1 - sum m_c (m_c - 1) / (m (m - 1)).
    ratio : float
        L_k / chance. 0: classes never mix; 1: labels carry no local information.
    floor : dict from class to float
        The least L_k(c) that a class of its size can reach: (k - m_c + 1) / k where m_c <= k, else 0.
    k, m : int
        Neighbours per row; rows.
    classes : tuple
        Labels as the author wrote them.
    approximation : Approximation or None
        None where all neighbours are exact, as those of a sample are.
    """

    value: float
    interval: tuple[float, float]
    alpha: float | None
    rows: Integers = field(repr=False)
    pointwise: Float64 = field(repr=False)
    per_class: dict[Hashable, float | None]
    macro: float | None
    matrix: Float64 = field(repr=False)
    slot_share: dict[Hashable, float]
    chance: float
    ratio: float
    floor: dict[Hashable, float]
    k: int
    m: int
    classes: tuple[Hashable, ...]
    approximation: Approximation | None = None

    @property
    def queries(self) -> int:
        """Number of rows whose neighbours were sought; m but for a sample."""
        return len(self.rows)

    @property
    def exact(self) -> bool:
        """Whether L_k is known: from all rows, and from exact neighbours."""
        return not self.sampled and self.approximation is None

    @property
    def sampled(self) -> bool:
        """Whether these are figures of a sample of the rows."""
        return self.alpha is not None

    def to_dict(self, names: Mapping[Hashable, str] | None = None) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``; `rows` and `pointwise`, which are long, stay behind.

        A row of `matrix` that is NaN becomes None.
        """
        names = names or class_names(self.classes)
        return {
            "value": self.value,
            "interval": list(self.interval),
            "alpha": self.alpha,
            "queries": self.queries,
            "k": self.k,
            "m": self.m,
            "chance": self.chance,
            "ratio": self.ratio,
            "macro": self.macro,
            "classes": [names[label] for label in self.classes],
            "per_class": _named(self.per_class, names),
            "slot_share": _named(self.slot_share, names),
            "floor": _named(self.floor, names),
            "matrix": [
                None if self.per_class[label] is None else row
                for label, row in zip(self.classes, self.matrix.tolist(), strict=True)
            ],
            "approximation": None if self.approximation is None else self.approximation.to_dict(),
        }


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
            "auroc": _named(self.auroc, names),
            "spread": _named(self.spread, names),
            "direction": _named(self.direction, names),
            "mean": self.mean,
            "variance": self.variance,
            "iqr": self.iqr,
            "rho_rnd": self.rho_rnd,
            "rho_inv": self.rho_inv,
            "rho_dir": self.rho_dir,
            "no_ranking": [names[label] for label in self.no_ranking],
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
            "counts": _named(self.counts, names),
            "positives": _named(self.positives, names),
            "k": self.k,
            "epsilon": self.epsilon,
            "constant": self.constant,
            "leakage": self.leakage.to_dict(names),
            "detectors": {name: result.to_dict(names) for name, result in self.detectors.items()},
            "instability": None if self.instability is None else self.instability.to_dict(),
            "fingerprint": self.fingerprint,
        }


def class_names(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    """Return a distinct text for each label.

    That is its ``str``, its ``repr`` where two would coincide, and a number behind that where even those
    do. Members of a group, a tuple, are joined by "+".
    """
    texts = {label: _text(label, str) for label in labels}
    count = Counter(texts.values())
    taken = {text for text in count if count[text] == 1}
    names = {}
    for label, text in texts.items():
        if count[text] > 1:
            text, number = _text(label, repr), 1
            plain = text
            while text in taken:
                number += 1
                text = f"{plain} ({number})"
            taken.add(text)
        names[label] = text
    return names


def _text(label: Hashable, one: Callable[[object], str]) -> str:
    return plain_text("+".join(map(one, label)) if isinstance(label, tuple) else one(label))


def _named(values: Mapping[Hashable, Any], names: Mapping[Hashable, str]) -> dict[str, Any]:
    return {names[label]: value for label, value in values.items()}
