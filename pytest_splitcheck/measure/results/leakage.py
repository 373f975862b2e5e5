"""What is known of the leakage of an evaluation set."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.results.names import class_names, named
from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["Leakage"]


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
        The rows whose neighbours were sought, among all rows, as the author numbers them: all of them in
        their order, or a sample in the order of the draws.
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
            "per_class": named(self.per_class, names),
            "slot_share": named(self.slot_share, names),
            "floor": named(self.floor, names),
            "matrix": [
                None if self.per_class[label] is None else row
                for label, row in zip(self.classes, self.matrix.tolist(), strict=True)
            ],
            "approximation": None if self.approximation is None else self.approximation.to_dict(),
        }
