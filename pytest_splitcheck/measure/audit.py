"""What an approximate search missed, from queries that are searched exactly too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["Approximation", "Audit", "sample"]

_SEED: Final = 0
_SAMPLE: Final = 1000
_DOUBT: Final = 0.001
"""The probability at most, over the choice of the sample, that L_k is off by more than is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approximation:
    """How far approximate neighbours are off, from queries drawn at random that were searched exactly too.

    Attributes
    ----------
    recall : float
        Share of the k nearest rows that were found, in [0, 1]; a row as near as the k-th counts. Of several
        searches (folds, representations) the least.
    sample : int
        Queries that were searched exactly too, in each search.
    error : float or None
        L_k is within this of its exact value, with a probability of 99.9 % over the choice of the sample;
        None for a detector.
    repaired : int
        Queries whose list was not sound (too short, repeats, the row itself) and was replaced by an exact
        one.
    """

    recall: float
    sample: int
    error: float | None
    repaired: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``."""
        return {
            "recall": self.recall,
            "sample": self.sample,
            "error": self.error,
            "repaired": self.repaired,
        }


class Audit:
    """Collects what several searches missed."""

    def __init__(self) -> None:
        self._recalls: list[float] = []
        self._differences: list[Float64] = []
        self._sampled: list[int] = []
        self._repaired = 0

    def add(self, recall: float, sampled: int, repaired: int) -> None:
        """Enter a search: its recall in so many sampled queries, and how many queries were repaired."""
        self._recalls.append(recall)
        self._sampled.append(sampled)
        self._repaired += repaired

    def compare(self, differences: Float64) -> None:
        """Enter l_k as found minus l_k as it is, shape (s,), of the sampled rows of one search."""
        self._differences.append(differences)

    def result(self) -> Approximation | None:
        """Return the account of all searches; None where none was approximate."""
        if not self._recalls:
            return None
        error = None
        if self._differences:
            error = _possible_error(np.mean(self._differences, axis=0))
        return Approximation(
            recall=min(self._recalls),
            sample=min(self._sampled),
            repaired=self._repaired,
            error=error,
        )


def sample(n_rows: int) -> Integers:
    """Return the rows that are searched exactly too, in order."""
    size = min(n_rows, _SAMPLE)
    return np.sort(np.random.default_rng(_SEED).choice(n_rows, size, replace=False))


def _possible_error(differences: Float64) -> float:
    """Return a bound on the size of the mean of a population in [-1, 1], from a random sample of it.

    Both the positive and the negative parts are in [0, 1], and a mean p of such a population gives a sample
    of s values a mean of x < p with probability exp(-s kl(x, p)) at most, kl the relative entropy of two
    coins; drawing without replacement does no harm (Hoeffding, "Probability inequalities for sums of bounded
    random variables", JASA 58 (1963), theorem 1 and section 6).
    """
    worst = 0.0
    for part in (np.maximum(differences, 0.0), np.maximum(-differences, 0.0)):
        mean = math.fsum(part) / len(part)
        low, high = mean, 1.0
        while high - low > 1e-7:
            middle = (low + high) / 2
            if len(part) * _relative_entropy(mean, middle) < math.log(2.0 / _DOUBT):
                low = middle
            else:
                high = middle
        worst = max(worst, high)
    return worst


def _relative_entropy(x: float, p: float) -> float:
    def term(a: float, b: float) -> float:
        return a * math.log(a / b) if a > 0.0 else 0.0

    return term(x, p) + term(1.0 - x, 1.0 - p)
