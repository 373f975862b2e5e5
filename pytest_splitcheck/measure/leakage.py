"""Neighbourhood leakage: how far the classes of an evaluation set lie inside each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable

import numpy as np

from pytest_splitcheck.measure.neighbours import neighbour_shares
from pytest_splitcheck.measure.results import Leakage
from pytest_splitcheck.measure.rows import Float64, Integers, Rows

__all__ = ["measure_leakage"]


def measure_leakage(
    representations: Iterable[Rows],
    codes: Integers,
    classes: tuple[Hashable, ...],
    k: int,
    threads: int,
    search: Callable[[Rows, Integers, int, int, int], Float64] = neighbour_shares,
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
        shares += search(rows, codes, n_classes, k, threads)
        number += 1
    shares /= number
    pointwise = np.maximum(0.0, 1.0 - shares[np.arange(m), codes] / k)
    counts = np.bincount(codes, minlength=n_classes)
    slots = np.zeros((n_classes, n_classes))
    np.add.at(slots, codes, shares)
    per_class = [math.fsum(pointwise[codes == code]) / counts[code] for code in range(n_classes)]
    value = math.fsum(pointwise) / m
    chance = 1.0 - float((counts * (counts - 1)).sum() / (m * (m - 1)))
    return Leakage(
        value=value,
        pointwise=pointwise,
        per_class=_by_class(classes, per_class),
        macro=math.fsum(per_class) / n_classes,
        matrix=slots / (counts * k)[:, None],
        slot_share=_by_class(classes, slots.sum(axis=0) / (m * k)),
        chance=chance,
        ratio=value / chance,
        floor=_by_class(classes, np.maximum(0.0, (k - counts + 1) / k)),
        k=k,
        m=m,
        classes=classes,
    )


def _by_class(classes: tuple[Hashable, ...], values: Iterable[float]) -> dict[Hashable, float]:
    return {label: float(value) for label, value in zip(classes, values, strict=True)}
