"""A way out of an ill-posed benchmark: what leaks, and what to merge or drop."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pytest_splitcheck.declare.labels import plain_text

if TYPE_CHECKING:
    from pytest_splitcheck.measure.results.report import Report

__all__ = ["Advice", "LeakingRow", "Proposal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Another split of the same data, measured by the same protocol.

    Attributes
    ----------
    kind : "merge" or "drop"
    classes : tuple
        The classes to merge, a tuple for each group, or to drop, as the author wrote them.
    report : Report
        What was measured of it. Of a rejected one, the detectors that it took to reject it: those that
        read neighbours come first, and the others are spared if these are enough.
    change : dict from str to tuple
        The keywords ``merge``, ``drop`` and ``held_out`` of its declaration, those of them that are others than
        in the declaration of the benchmark.
    call : str
        Declares it; ``X``, ``y``, ``X_train``, ``y_train`` and, for a transformer whose repr cannot be
        evaluated, ``representation`` stand for the author's own.
    """

    kind: Literal["merge", "drop"]
    classes: tuple[Hashable, ...]
    report: Report = field(repr=False)
    change: dict[str, tuple[Hashable, ...]]
    call: str

    def to_dict(self, names: Mapping[Hashable, str]) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``, with the main figures of the report.

        The `change` has labels as they are, and is None where one is neither text, as UTF-8 has it, nor a
        number.
        """
        rates, geometry = self.report.instability, self.report.geometry
        return {
            "kind": self.kind,
            "classes": [names[label] for label in self.classes],
            "n_classes": len(self.report.classes),
            "m": self.report.m,
            "k": self.report.leakage.k,
            "leakage": self.report.leakage.value,
            "leakage_ratio": self.report.leakage.ratio,
            "rho_dir": None if rates is None else rates.rho_dir,
            "rho_inv": None if rates is None else rates.rho_inv,
            "rho_rnd": None if rates is None else rates.rho_rnd,
            "mean": None if rates is None else rates.mean,
            "rho_dir_geo": None if geometry is None else geometry.rho_dir,
            "detectors": list(self.report.detectors),
            "change": _plain_change(self.change),
            "call": self.call,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakingRow:
    """A row whose neighbours belong to other classes.

    Attributes
    ----------
    row : int
        As the author numbers it.
    label : hashable
    leakage : float
        l_k of the row, in (0, 1].
    neighbours : tuple of (int, hashable)
        Its k nearest other rows and their labels, the nearest first; of rows that are equally near those
        of the lowest numbers. With a fitted representation, in that of the first split.
    """

    row: int
    label: Hashable
    leakage: float
    neighbours: tuple[tuple[int, Hashable], ...]

    def to_dict(self, names: Mapping[Hashable, str]) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``."""
        return {
            "row": self.row,
            "label": names[self.label],
            "leakage": self.leakage,
            "neighbours": [[row, names[label]] for row, label in self.neighbours],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What leaks in a benchmark, and which splits of the same data are well posed.

    Attributes
    ----------
    pairs : tuple of (class, class, float)
        (a, b, M[a, b]): the share of the neighbour slots of class a that class b fills, for the pairs of
        classes that leak most, the worst first.
    resolved : tuple
        The held-out classes that every detector is known to rank the right way (resolved as +1); empty
        without detectors.
    sought : bool
        Whether other splits were sought; they are not where the report will do as it is.
    proposals : tuple of Proposal
        Those that will do: at most one that merges and one that drops, each with as many classes as were
        found to do.
    rejected : tuple of Proposal
        Those that were measured and will not do.
    fewest : int
        The number of classes down to which they were sought.
    capped : bool
        Some numbers of classes were passed over, so that not too many splits had to be measured.
    rows : tuple of LeakingRow
        The rows that leak most, the worst first.
    names : dict from class to str
        A distinct text for each class and group that is named.
    """

    pairs: tuple[tuple[Hashable, Hashable, float], ...]
    resolved: tuple[Hashable, ...]
    sought: bool
    proposals: tuple[Proposal, ...]
    rejected: tuple[Proposal, ...]
    fewest: int
    capped: bool
    rows: tuple[LeakingRow, ...]
    names: dict[Hashable, str] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python for ``json.dumps``, in which classes go by their `names`."""
        names = self.names
        return {
            "pairs": [[names[a], names[b], share] for a, b, share in self.pairs],
            "resolved": [names[label] for label in self.resolved],
            "sought": self.sought,
            "proposals": [one.to_dict(names) for one in self.proposals],
            "rejected": [one.to_dict(names) for one in self.rejected],
            "fewest": self.fewest,
            "capped": self.capped,
            "rows": [one.to_dict(names) for one in self.rows],
        }


def _plain_change(change: Mapping[str, Hashable]) -> dict[str, Any] | None:
    try:
        return {name: _plain(value) for name, value in change.items()}
    except ValueError:
        return None


def _plain(value: Hashable) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if type(value) in (bool, int) or (type(value) is float and math.isfinite(value)):
        return value
    if type(value) is str and plain_text(value) == value:
        return value
    raise ValueError("a label that JSON has no value for")
