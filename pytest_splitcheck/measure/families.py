"""Classes that are searched apart, so that what is left after taking some away is there in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["families", "needed"]

_FEW: Final = 10
"""Up to so many, one search for each set is no more work than two for each binary digit."""


def families(classes: Sequence[int], removals: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return sets of classes such that those which a removal does not touch hold all that it leaves.

    Classes that no removal parts from each other stay together. Where those are many, and no class is in
    two removals, they are numbered, and there is a set for each value of each binary digit: any other number
    differs from that of the removed ones in some digit.
    """
    taken = Removals(removals, max(classes) + 1, 1)
    kinds: dict[int, list[int]] = {}
    for code in classes:
        kinds.setdefault(int(taken.kind[code]), []).append(code)
    together = list(kinds.values())
    if len(together) <= _FEW or (taken.takes[:, list(kinds)].sum(axis=0) > 1).any():
        return together
    return [
        [c for number, codes in enumerate(together) if number >> place & 1 == digit for c in codes]
        for place in range((len(together) - 1).bit_length())
        for digit in (0, 1)
    ]


def needed(
    index: Integers,
    distance: Float64,
    codes: Integers,
    k: int,
    removals: Sequence[Sequence[int]],
) -> Integers:
    """Return those of some base rows, (q, w), that are among the k nearest after some removal or none.

    A row may be there twice, with distances that differ by rounding; -1 is none. Shape (q, w'), w' <= w.
    """
    order = np.lexsort((distance, index), axis=1)
    index = np.take_along_axis(index, order, axis=1)
    distance = np.take_along_axis(distance, order, axis=1)
    index[:, 1:][index[:, 1:] == index[:, :-1]] = -1
    order = np.argsort(np.where(index < 0, np.inf, distance), axis=1, kind="stable")
    index = np.take_along_axis(index, order, axis=1)
    taken = Removals(removals, int(codes.max()) + 1, k)
    kept = taken.survivors(np.where(index >= 0, taken.kind[codes[index]], -1))
    first = np.argsort(~kept, axis=1, kind="stable")[:, : kept.sum(axis=1).max()]
    return np.take_along_axis(np.where(kept, index, -1), first, axis=1)
