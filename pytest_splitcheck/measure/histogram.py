"""How the scores of normal and of held-out rows lie, in few numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pytest_splitcheck.measure.rows import Float64

__all__ = ["Histogram", "histogram"]

_LEAST_BINS, _MOST_BINS = 10, 30
_LARGEST = float(np.finfo(np.float64).max)

_REACH = 3.0
"""Interquartile ranges beyond its quartiles that a group's scores are shown over; more are at the end."""


class Histogram(NamedTuple):
    """Rows by their scores.

    Attributes
    ----------
    edges : tuple of float
        Of the bins, one more than there are bins, ascending. Those at the ends hold the rows beyond them
        too, so that a few far scores flatten nothing.
    normal, anomalous : tuple of int
        Rows in each bin.
    """

    edges: tuple[float, ...]
    normal: tuple[int, ...]
    anomalous: tuple[int, ...]


def histogram(normal: Float64, anomalous: Float64) -> Histogram:
    """Count the rows of one fit by their scores, which come in ascending order, infinite ones too.

    Both groups have some.
    """
    groups = normal, anomalous
    # As many as Rice's rule gives the smaller group.
    bins = math.ceil(2 * min(map(len, groups)) ** (1 / 3))
    bins = min(_MOST_BINS, max(_LEAST_BINS, bins))
    edges = _edges([_reach(group) for group in groups], bins)
    # What is on an edge belongs to the bin above, if there is one.
    counts = [
        np.diff(np.searchsorted(group, edges[1:-1]), prepend=0, append=len(group)).tolist()
        for group in groups
    ]
    return Histogram(tuple(edges.tolist()), tuple(counts[0]), tuple(counts[1]))


def _reach(scores: Float64) -> tuple[float, float]:
    """Return the ends of what is shown of a group; of no finite score, 0 twice."""
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return 0.0, 0.0
    quarter, three_quarters = (_quantile(finite, share) for share in (0.25, 0.75))
    reach = _REACH * (three_quarters - quarter)
    return max(float(finite[0]), quarter - reach), min(float(finite[-1]), three_quarters + reach)


def _quantile(ascending: Float64, share: float) -> float:
    """Return a quantile, between two scores if need be; np.quantile, which sorts anew, takes ten times as long."""
    place = share * (len(ascending) - 1)
    below = int(place)
    above = min(below + 1, len(ascending) - 1)
    rest = place - below
    return (1.0 - rest) * float(ascending[below]) + rest * float(ascending[above])


def _edges(reaches: list[tuple[float, float]], bins: int) -> Float64:
    low, high = min(low for low, _ in reaches), max(high for _, high in reaches)
    edges = _evenly(low, high, bins)
    if (np.diff(edges) > 0).all():
        return edges
    around = max(0.5, abs(low) / 2)
    return _evenly(max(low - around, -_LARGEST), min(low + around, _LARGEST), bins)


def _evenly(low: float, high: float, bins: int) -> Float64:
    """Return edges of bins from half their ends, which no two scores are too far apart for."""
    return np.asarray(2.0 * np.linspace(low / 2, high / 2, bins + 1))
