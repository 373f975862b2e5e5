"""What leakage comes to once classes are merged or dropped, from the neighbour slots of each class."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from pytest_splitcheck.measure.leakage import chance
from pytest_splitcheck.measure.results import Leakage
from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["Groups", "class_slots", "merge_closest", "regrouped_leakage"]

Groups = tuple[tuple[int, ...], ...]
"""Codes of the classes that count as one, in order; a code in none of them is dropped."""


def class_slots(leakage: Leakage, counts: Sequence[int]) -> Float64:
    """Return how many rows' neighbourhoods of class a class b fills, shape (K, K): M[a, b] m_a.

    0 in the row of a class of which a sample has no row.
    """
    return np.asarray(np.nan_to_num(leakage.matrix) * np.asarray(counts)[:, None])


def merge_closest(groups: Groups, slots: Float64, counts: Sequence[int]) -> Groups:
    """Return `groups` with two of them merged: the two of the largest mean leakage, both ways.

    That is the leakage between them over the number of pairs of rows, one of each: the average linkage
    of agglomerative clustering. By the leakage itself, or its share of a group's slots, the largest group
    would take in one class after the other, because it is large.
    """
    number = _numbers(groups, len(counts))
    between = _by_group(slots, number, len(groups))
    sizes = np.array([sum(counts[code] for code in group) for group in groups], dtype=float)
    mean = (between + between.T) / np.outer(sizes, sizes)
    mean[np.tril_indices(len(groups))] = -1.0
    first, second = divmod(int(np.argmax(mean)), len(groups))
    merged = tuple(sorted(groups[first] + groups[second]))
    rest = (group for place, group in enumerate(groups) if place not in (first, second))
    return tuple(sorted([merged, *rest]))


def regrouped_leakage(
    leakage: Leakage,
    slots: Float64,
    counts: Sequence[int],
    groups: Groups,
    classes: tuple[Hashable, ...],
) -> Leakage:
    """Return the leakage of `groups`, which go by `classes`, without a search.

    Where classes are merged only, it is that of a measurement, but for its rows, which are left out, as
    long as all rows were measured and none is transformed. The slots of dropped classes are dealt out to
    the others in proportion, which is an estimate.
    """
    number = _numbers(groups, len(counts))
    left = slots * (number >= 0)
    filled, sizes = left.sum(axis=1), np.asarray(counts, dtype=float)
    known = (number >= 0) & (filled > 0)
    left[known] *= (sizes[known] / filled[known])[:, None]
    left[~known] = 0.0
    between = _by_group(left, number, len(groups))
    filled, own = between.sum(axis=1), between.diagonal()
    with np.errstate(invalid="ignore"):
        matrix = between / filled[:, None]
    of_group = [sum(counts[code] for code in group) for group in groups]
    m, k, by_chance = sum(of_group), leakage.k, chance(of_group)
    per_class = {
        label: max(0.0, 1.0 - float(matrix[one, one])) if filled[one] else None
        for one, label in enumerate(classes)
    }
    told = [one for one in per_class.values() if one is not None]
    total = float(filled.sum())
    value = max(0.0, 1.0 - float(own.sum()) / total) if total else 1.0
    return Leakage(
        value=value,
        interval=(value, value),
        alpha=None,
        rows=np.empty(0, dtype=np.intp),
        pointwise=np.empty(0),
        per_class=per_class,
        macro=sum(told) / len(told) if len(told) == len(groups) else None,
        matrix=matrix,
        slot_share={
            label: float(share)
            for label, share in zip(classes, between.sum(axis=0) / (total or 1.0), strict=True)
        },
        chance=by_chance,
        ratio=value / by_chance,
        floor={
            label: max(0.0, (k - size + 1) / k)
            for label, size in zip(classes, of_group, strict=True)
        },
        k=k,
        m=m,
        classes=classes,
    )


def _numbers(groups: Groups, n_classes: int) -> Integers:
    """Return the position in `groups` of each code; -1 for one that is dropped."""
    number = np.full(n_classes, -1, dtype=np.intp)
    for place, group in enumerate(groups):
        number[list(group)] = place
    return number


def _by_group(slots: Float64, number: Integers, n_groups: int) -> Float64:
    """Return the sums of `slots` by group, shape (groups, groups); rounded the same way each time."""
    kept = np.flatnonzero(number >= 0)
    cell = number[kept][:, None] * n_groups + number[kept]
    total = np.bincount(
        cell.ravel(), weights=slots[np.ix_(kept, kept)].ravel(), minlength=n_groups**2
    )
    return np.asarray(total, dtype=np.float64).reshape(n_groups, n_groups)
