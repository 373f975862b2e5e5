"""Geometry alone: which way the evaluation set points by itself, without a pool and without a fit."""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_splitcheck.declare.class_split import ClassSplit, HeldOut
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.detectors import NearestNeighbours, tied
from pytest_splitcheck.measure.neighbours import shares_and_lists
from pytest_splitcheck.measure.rows import Float64, Integers, Rows
from pytest_splitcheck.measure.tally import Tally
from pytest_splitcheck.measure.workers import Workers

__all__ = ["GEOMETRY", "GeometrySearch", "check_geometry", "has_geometry"]

GEOMETRY: Final = "geometry"
"""What the result is called among those of detectors."""


class GeometrySearch:
    """A search for leakage from whose neighbours AUC_geo(c) comes too.

    The score of a row is its mean distance to its k nearest rows outside the held-out classes, itself left
    out. Every row of the evaluation set is scored, and those of the held-out classes are positive. Where a
    representation is fitted, each split is scored in its own.

    Parameters
    ----------
    benchmark : ClassSplit
    k : int

    Attributes
    ----------
    tally : Tally
        The counts, once all of `evaluation_sets` have been searched in their order.
    """

    def __init__(self, benchmark: ClassSplit, k: int) -> None:
        self.tally = Tally(benchmark, NearestNeighbours(k))
        together = benchmark.transformer is None
        splits = benchmark.held_out
        self._splits = iter([splits] if together else [(split,) for split in splits])

    def neighbour_shares(
        self, rows: Rows, codes: Integers, n_classes: int, k: int, workers: Workers
    ) -> Float64:
        """Return the `neighbour_shares`, bit for bit, and count."""
        splits = next(self._splits)
        removals = [split.codes for split in splits]
        shares, lists = shares_and_lists(rows, codes, n_classes, k, removals, workers)

        def count(split: HeldOut) -> None:
            score = tied(lists.mean_without(split.codes, k), rows)
            self.tally.count(split, codes, score[None], float(np.finfo(score.dtype).eps))

        workers.map(GEOMETRY, count, splits)
        return shares


def has_geometry(benchmark: ClassSplit, k: int) -> bool:
    """Tell whether every row has k other rows outside each held-out class."""
    return not any(_left(benchmark, split) <= k for split in benchmark.held_out)


def check_geometry(benchmark: ClassSplit, k: int) -> None:
    """Refuse a benchmark without enough rows outside some held-out class.

    Raises
    ------
    InputError
    """
    for split in benchmark.held_out:
        left = _left(benchmark, split)
        if left <= k:
            raise InputError(
                f"geometry needs k + 1 = {k + 1} rows outside each held-out class, but without "
                f"{split.label!r} the evaluation set has {left}; add rows, lower k, or do without a limit "
                "on geometry."
            )


def _left(benchmark: ClassSplit, split: HeldOut) -> int:
    return len(benchmark.X) - sum(benchmark.counts[code] for code in split.codes)
