"""What is known of a benchmark that has nothing to do with its geometry."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from pytest_splitcheck.declare.labels import plain_text
from pytest_splitcheck.measure.results.leakage import Leakage
from pytest_splitcheck.measure.results.names import class_names
from pytest_splitcheck.measure.rows import Integers

__all__ = ["NOTHING_FOUND", "Conflicts", "Dominance", "Integrity", "Piles", "SharedRows"]

_FIRST: Final = 5
"""Rows that plain data names, of those found."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedRows:
    """Evaluation rows that are in a pool by which they are scored; none where there is no pool and no detector.

    Attributes
    ----------
    rows : ndarray of int, shape (s,)
        Positions in the evaluation set, ascending.
    partners : ndarray of int, shape (s,)
        A pool row that each is equal or near to: a position in the training pool; where detectors are
        cross-fitted, in the evaluation set, in another fold.
    exact : int
        How many are equal to a row of the pool, by value, whatever the types.
    near : int or None
        How many more are no farther than `scale` from one. None where that was not looked for: no detector
        read neighbours, or a representation is fitted.
    scale : float or None
        A thousandth of the median distance from an evaluation row to its nearest other one, copies left out
        (a thousand times nearer than the fifth), from 256 rows at most that are drawn with a fixed seed.
    drop : ndarray of int
        Evaluation rows without which none is shared: `rows`; where detectors are cross-fitted, all but
        the first of rows that are equal, or near to each other in different folds. Near rows in one fold are
        not looked for, and can be in different ones once others are dropped.
    """

    rows: Integers = field(repr=False)
    partners: Integers = field(repr=False)
    exact: int
    near: int | None
    scale: float | None
    drop: Integers = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Conflicts:
    """Equal evaluation rows with different labels.

    Attributes
    ----------
    groups : int
        Sets of equal rows that have more than one label.
    rows : ndarray of int
        All rows of them, ascending.
    floor : float or None
        L_k cannot be lower, whatever the other rows. None where rows that differ can be at distance 0: with
        the cosine metric, or a representation that is fitted.
    """

    groups: int
    rows: Integers = field(repr=False)
    floor: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piles:
    """More equal rows in a normal pool than LOF has neighbours, where its densities have no bound.

    Attributes
    ----------
    largest : int
        Rows of the largest pile; 0 if there is none.
    beside : ndarray of int
        Evaluation rows beside a pile, ascending: some of their neighbours are in it, they are not. Their LOF
        explodes, however near they are.
    """

    largest: int
    beside: Integers = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dominance:
    """The feature with the largest variance.

    Attributes
    ----------
    column : int
    share : float
        Its share of the sum of the variances of all features, in (0, 1].
    standardised : Leakage or None
        Leakage with each feature divided by its standard deviation; None where `share` is below 0.9.
    feature : str or None
        The name of the column, where `X` was declared with names.
    """

    column: int
    share: float
    standardised: Leakage | None
    feature: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Integrity:
    """What can spoil a benchmark whatever its geometry.

    Attributes
    ----------
    shared : SharedRows
    contaminated : dict from held-out class to ndarray of int
        Its evaluation rows that are equal or near to a row of their normal pool, where the other row has
        another label; classes without such rows are left out.
    absent : tuple
        Held-out classes without a row in the training pool, where other classes have some.
    conflicts : Conflicts
    piles : Piles or None
        None where LOF was not run.
    dominance : Dominance or None
        None for a single feature, rows that are all equal, or a representation that is fitted.
    pool_spread : float or None
        Spread of a class in the training pool (median distance of its rows from their median) over that in the
        evaluation set, the median over classes; far from 1 where they are not on one scale. None without a training pool, with the cosine
        metric, and where no class has rows enough in both.
    """

    shared: SharedRows
    contaminated: dict[Hashable, Integers] = field(repr=False)
    absent: tuple[Hashable, ...]
    conflicts: Conflicts
    piles: Piles | None
    dominance: Dominance | None
    pool_spread: float | None

    def to_dict(self, names: Mapping[Hashable, str] | None = None) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``: of rows, their number and the first five."""
        names = names or class_names([*self.contaminated, *self.absent])
        shared, piles, dominance = self.shared, self.piles, self.dominance
        return {
            "shared": {
                "exact": shared.exact,
                "near": shared.near,
                "scale": shared.scale,
                "drop": len(shared.drop),
                **_rows(shared.rows),
            },
            "contaminated": {names[c]: _rows(rows) for c, rows in self.contaminated.items()},
            "absent": [names[label] for label in self.absent],
            "conflicts": {
                "groups": self.conflicts.groups,
                "floor": self.conflicts.floor,
                **_rows(self.conflicts.rows),
            },
            "piles": piles and {"largest": piles.largest, **_rows(piles.beside)},
            "dominance": dominance
            and {
                "column": dominance.column,
                "feature": dominance.feature and plain_text(dominance.feature),
                "share": dominance.share,
                "standardised": dominance.standardised and dominance.standardised.value,
            },
            "pool_spread": self.pool_spread,
        }


_NONE: Final = np.zeros(0, dtype=np.intp)

NOTHING_FOUND: Final = Integrity(
    shared=SharedRows(rows=_NONE, partners=_NONE, exact=0, near=None, scale=None, drop=_NONE),
    contaminated={},
    absent=(),
    conflicts=Conflicts(groups=0, rows=_NONE, floor=None),
    piles=None,
    dominance=None,
    pool_spread=None,
)
"""What is known of a benchmark without faults, as far as it was looked for any."""


def _rows(rows: Integers) -> dict[str, Any]:
    return {"rows": len(rows), "first": rows[:_FIRST].tolist()}
