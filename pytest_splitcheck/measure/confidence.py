"""How far the mean of a finite population is known from rows drawn at random, at any time.

A population of N values in [0, 1] is drawn without replacement in a random order. After t draws with the
sum S, a population of mean m has (N m - S) / (N - t) as the mean of what is left: the fair price of the
next draw. `_Bets` plays against "the mean is m or less": it begins with a wealth of 1 and stakes the share
g of it on the next value x, which multiplies it by 1 - g + g x / price. Where the mean is m or less, no
price is below the expectation of what is left, so that no stake wins on average: the wealth is a
non-negative supermartingale whatever g is, as long as g and the price are known before the draw. So is
the mean of the wealths of several fixed stakes, which needs no knowledge of the best. By Ville's
inequality the wealth ever reaches 1 / a with probability a at most; when it does, "the mean exceeds m" is
proven at the level a. Bets on 1 - x prove in the same way that the mean is less.

One statement holds for all m together. The price rises with m, so the wealth falls: bets that prove an
m at or above the true mean have also proven the true mean. Hence, with a = alpha / 2 on each side, whatever
is said of any number of limits and at any time is all true with probability 1 - alpha at least. The
probability is over the order of the draws; nothing is assumed of the values.

What is certain needs no bet: the mean exceeds m as soon as S > N m, since no value is negative.

Rounding. A step is a sum, a division and a product in float64, in the order of the draws, so that the
numbers do not depend on how the draws are dealt out to batches. The sum S is off by t ulps of N at most,
which `_MARGIN` exceeds for N up to 9e7; the wealth by a factor of 1 + 1e-9 for as many draws.

References
----------
Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
Statistical Society B 86 (2024), section 5, for sampling without replacement. Ville, Étude critique de la
notion de collectif (1939).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytest_splitcheck.measure.rows import Float64

__all__ = ["ConfidenceSequence"]

_STAKES = 0.9 * 0.5 ** np.arange(10.0)[:, None]
"""Shares of the wealth that are staked: the large ones decide in tens of draws, the small ones see small
differences. A stake of 1 would lose everything at the first value of 0."""

_MARGIN = 1e-8
"""A mean this close to a limit is not told from it before everything is drawn."""

_CHUNK = 4096
"""Draws that are computed at once; the numbers do not depend on it."""


class ConfidenceSequence:
    """What is known of the mean of `size` values in [0, 1], drawn without replacement in random order.

    Parameters
    ----------
    size : int
        N, 1 or more.
    alpha : float
        In (0, 1): the probability at most, over the order of the draws, that anything is said of the mean
        that is not true; see the module.
    limits : sequence of float, each in [0, 1]
        The draws end as soon as the mean is known to lie on one side of every one.

    Attributes
    ----------
    drawn : int
        Number of values taken so far.
    """

    def __init__(self, size: int, alpha: float, limits: Sequence[float]) -> None:
        self.size = size
        self.drawn = 0
        self._level = alpha / 2
        self._values: list[Float64] = []
        self._races = [
            (
                _Bets(size, limit + _MARGIN, self._level),
                _Bets(size, 1.0 - limit + _MARGIN, self._level),
            )
            for limit in limits
        ]
        self._above, self._below = 0.0, 1.0

    @property
    def decided(self) -> bool:
        """Whether the mean is known to lie on one side of every limit, or everything is drawn."""
        return not self._races or self.drawn == self.size

    def update(self, values: Float64) -> int:
        """Take the next values, in the order of the draws, up to the one that decides.

        Parameters
        ----------
        values : ndarray of float64, shape (b,)
            In [0, 1].

        Returns
        -------
        int
            How many were taken: b, or fewer if the last limit was decided before.
        """
        taken, open_races = 0, []
        for above, below in self._races:
            exceeds, falls_short = above.first_proof(values), below.first_proof(1.0 - values)
            proofs = [after for after in (exceeds, falls_short) if after is not None]
            if not proofs:
                open_races.append((above, below))
                taken = len(values)
                continue
            taken = max(taken, min(proofs))
            if exceeds == min(proofs):
                self._above = max(self._above, above.mean)
            else:
                self._below = min(self._below, 1.0 - below.mean)
        self._races = open_races
        self._values.append(values[:taken])
        self.drawn += taken
        return taken

    def interval(self, tolerance: float = 1e-6) -> tuple[float, float]:
        """Return bounds that hold the mean: all that is not excluded at any time so far.

        Parameters
        ----------
        tolerance : float, default 1e-6
            How much wider than necessary either end may be.

        Returns
        -------
        low, high : float
            In [0, 1]. The mean itself, twice, when everything is drawn. Every limit that is decided lies
            outside.
        """
        values = np.concatenate([*self._values, np.empty(0)])
        if self.drawn == self.size:
            mean = math.fsum(values) / self.size
            return mean, mean
        low = self._least(values, self._above, tolerance)
        high = 1.0 - self._least(1.0 - values, 1.0 - self._below, tolerance)
        # Ends that cross contradict each other, which has probability alpha at most: claim neither.
        return min(low, high), max(low, high)

    def _least(self, values: Float64, proven: float, tolerance: float) -> float:
        """Return the largest number that the mean of the population of `values` is proven to exceed."""
        possible = 1.0
        while possible - proven > tolerance:
            middle = (proven + possible) / 2
            if _Bets(self.size, middle, self._level).first_proof(values) is None:
                possible = middle
            else:
                proven = middle
        return proven


class _Bets:
    """Bets that the mean of a population exceeds `mean`; see the module.

    Parameters
    ----------
    size : int
        Of the population.
    mean : float
    level : float
        The probability at most that a mean of `mean` or less is ever said to exceed it.
    """

    def __init__(self, size: int, mean: float, level: float) -> None:
        self.size = size
        self.mean = mean
        self.enough = len(_STAKES) / level
        self.drawn = 0
        self.sum = 0.0
        self.wealth = np.ones_like(_STAKES)

    def first_proof(self, values: Float64) -> int | None:
        """Bet on the next values; return how many of them make the proof, or None if all do not."""
        for start in range(0, len(values), _CHUNK):
            chunk = values[start : start + _CHUNK]
            proof = self._bet(chunk)
            if proof.any():
                return start + int(proof.argmax()) + 1
        return None

    def _bet(self, values: Float64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Bet on the next values; tell after each whether the proof is made."""
        sums = np.add.accumulate(np.concatenate([[self.sum], values]))
        left = self.size - self.drawn - np.arange(len(values))
        price = np.maximum(self.size * self.mean - sums[:-1], 0.0) / left
        # At a price of 0 nothing but zeros is left if the mean is `mean`: any other value is a proof.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            gain = np.where(values > 0.0, values / price, 0.0)
            factors = (1.0 - _STAKES) + _STAKES * gain
            wealth = np.multiply.accumulate(np.concatenate([self.wealth, factors], axis=1), axis=1)
            # Row by row: numpy's own sum takes another order for other shapes.
            total = sum(wealth[:, 1:])
        self.drawn += len(values)
        self.sum = float(sums[-1])
        self.wealth = wealth[:, -1:]
        return np.asarray((total >= self.enough) | (sums[1:] > self.size * self.mean))
