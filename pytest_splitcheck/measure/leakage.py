"""Neighbourhood leakage: how far the classes of an evaluation set lie inside each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from pytest_splitcheck.measure.confidence import ConfidenceSequence
from pytest_splitcheck.measure.neighbours import neighbour_shares, neighbour_shares_in_turn
from pytest_splitcheck.measure.results import Leakage
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.workers import Workers

__all__ = ["chance", "measure_leakage", "sample_leakage"]

_ORDER_SEED: Final = 0
_FIRST_BATCH: Final = 32
_LARGEST_BATCH: Final = 1024


def chance(counts: Sequence[int]) -> float:
    """Return L_k expected under a random relabelling: 1 - sum m_c (m_c - 1) / (m (m - 1)).

    Parameters
    ----------
    counts : sequence of int
        m_c, the rows of each class; two or more in all.
    """
    m = sum(counts)
    return 1.0 - sum(count * (count - 1) for count in counts) / (m * (m - 1))


def measure_leakage(
    representations: Iterable[Rows],
    codes: Integers,
    classes: tuple[Hashable, ...],
    k: int,
    workers: Workers,
    search: Callable[[Rows, Integers, int, int, Workers], Float64] = neighbour_shares,
) -> Leakage:
    """Measure L_k and everything that comes from the same neighbour slots.

    Parameters
    ----------
    representations : iterable of Rows, each of length m
        The evaluation set; once, or once per split where a representation is fitted on each split's
        normal pool, in which case the slots are averaged.
    codes : ndarray of int, shape (m,)
        Class of each row as a position in `classes`; every class has a row.
    k : int
        From 1 to m - 1.
    search : callable
        Finds the neighbours: `neighbour_shares`, or what has its parameters.

    Returns
    -------
    Leakage
    """
    m, n_classes = len(codes), len(classes)
    shares, number = np.zeros((m, n_classes)), 0
    for rows in representations:
        shares += search(rows, codes, n_classes, k, workers)
        number += 1
    shares /= number
    return _leakage(shares, np.arange(m), codes, classes, k)


def sample_leakage(
    representations: Iterable[Rows],
    codes: Integers,
    classes: tuple[Hashable, ...],
    k: int,
    workers: Workers,
    limits: Sequence[float],
    alpha: float,
) -> Leakage:
    """Measure the rows in a random order until L_k is known to lie on one side of every limit.

    Their neighbours are sought among all rows. The order comes from a fixed seed, so that the same rows
    give the same result, whatever the classes are called and whatever the number of threads.

    Parameters
    ----------
    representations : iterable of Rows, each of length m
        All of them are held at once.
    codes, classes, k, workers
        As for `measure_leakage`.
    limits : sequence of float, each in [0, 1]
        One or more values of L_k.
    alpha : float
        The probability at most, over the order, that L_k is not within the interval; in (0, 1).

    Returns
    -------
    Leakage
        That of `measure_leakage` if nothing less than all rows will do.
    """
    m = len(codes)
    order = np.random.default_rng(_ORDER_SEED).permutation(m)
    in_turn = [
        neighbour_shares_in_turn(rows, codes, len(classes), k, workers, _batches(order))
        for rows in representations
    ]
    sequence = ConfidenceSequence(m, alpha, limits)
    drawn = []
    for batch, found in zip(_batches(order), zip(*in_turn, strict=True), strict=True):
        shares = sum(found, np.zeros_like(found[0])) / len(found)
        taken = sequence.update(_pointwise(shares, codes[batch], k))
        drawn.append(shares[:taken])
        if sequence.decided:
            break
    rows, shares = order[: sequence.drawn], np.concatenate(drawn)
    if len(rows) == m:
        shares[rows] = shares.copy()
        return _leakage(shares, np.arange(m), codes, classes, k)
    return _leakage(shares, rows, codes, classes, k, sequence.interval(), alpha)


def _batches(order: Integers) -> Iterator[Integers]:
    """Yield parts of `order`: small at first, then as large as all before, so that few are for nothing."""
    start = 0
    while start < len(order):
        size = min(max(_FIRST_BATCH, start), _LARGEST_BATCH)
        yield order[start : start + size]
        start += size


def _pointwise(shares: Float64, codes: Integers, k: int) -> Float64:
    """Return l_k of rows of the classes `codes`."""
    return np.maximum(0.0, 1.0 - shares[np.arange(len(codes)), codes] / k)


def _leakage(
    shares: Float64,
    rows: Integers,
    codes: Integers,
    classes: tuple[Hashable, ...],
    k: int,
    interval: tuple[float, float] | None = None,
    alpha: float | None = None,
) -> Leakage:
    """Put together what the neighbour slots `shares` of `rows` come to; without interval, of all rows."""
    m, n_classes = len(codes), len(classes)
    pointwise = _pointwise(shares, codes[rows], k)
    counts = np.bincount(codes[rows], minlength=n_classes)
    slots = np.zeros((n_classes, n_classes))
    np.add.at(slots, codes[rows], shares)
    with np.errstate(invalid="ignore"):
        matrix = slots / (counts * k)[:, None]
    per_class = {
        label: math.fsum(pointwise[codes[rows] == code]) / int(counts[code])
        if counts[code]
        else None
        for code, label in enumerate(classes)
    }
    known = [one for one in per_class.values() if one is not None]
    value = math.fsum(pointwise) / len(rows)
    low, high = (value, value) if interval is None else interval
    value = min(max(value, low), high)
    of_all = np.bincount(codes, minlength=n_classes)
    by_chance = chance(of_all.tolist())
    return Leakage(
        value=value,
        interval=(low, high),
        alpha=alpha,
        pointwise=pointwise,
        rows=rows,
        per_class=per_class,
        macro=math.fsum(known) / n_classes if len(known) == n_classes else None,
        matrix=matrix,
        slot_share=_by_class(classes, slots.sum(axis=0) / (len(rows) * k)),
        chance=by_chance,
        ratio=value / by_chance,
        floor=_by_class(classes, np.maximum(0.0, (k - of_all + 1) / k)),
        k=k,
        m=m,
        classes=classes,
    )


def _by_class(classes: tuple[Hashable, ...], values: Iterable[float]) -> dict[Hashable, float]:
    return {label: float(value) for label, value in zip(classes, values, strict=True)}
