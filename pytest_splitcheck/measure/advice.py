"""The search for a way out: which classes leak, and which split of the same data is well posed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

import numpy as np

from pytest_splitcheck.declare.call import changed, written
from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.measure.adapters import named_detectors
from pytest_splitcheck.measure.geometry import GEOMETRY
from pytest_splitcheck.measure.instability import combine, summarise
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.regroup import (
    Groups,
    class_slots,
    merge_closest,
    regrouped_leakage,
)
from pytest_splitcheck.measure.results import DetectorResult, Report, class_names
from pytest_splitcheck.measure.results.advice import Advice, Proposal
from pytest_splitcheck.measure.results.integrity import NOTHING_FOUND
from pytest_splitcheck.measure.results.source import Source

__all__ = ["MEASUREMENTS", "Accepts", "advise", "glance", "is_quick", "will_do"]

Accepts = Callable[[Report], bool]

MEASUREMENTS: Final = 3
"""Splits that are measured at most, of those that merge and of those that drop."""

_SCOUTS: Final = 8
"""Splits that are measured by one detector at most, to see which class to drop next."""

_PAIRS: Final = 10
_READ_NEIGHBOURS: Final = ("knn", "lof")
"""Detectors that take one pass over the pool for all splits; others are fitted one by one."""

_QUICK_ROWS: Final = 2000
_QUICK_SPLITS: Final = 30
_QUICK_VALUES: Final = 3_000_000
_FEW_SPLITS: Final = 10
_QUICK_VALUES_OF_MANY: Final = 1_000_000
"""Rows of the evaluation set and the pool, held-out classes, and values of the rows (with more than few held-out
classes, the latter) up to which other splits take moments: nine seconds of a core at most. Time goes up with rows,
values and splits."""

_LEAKAGE, _RHO_DIR, _ROUNDING = 0.5, 0.2, 1e-9


def will_do(report: Report) -> bool:
    """Tell whether L_k is 0.5 at most and rho_dir, where there are detectors, 0.2 at most."""
    rates = report.instability
    return report.leakage.value <= _LEAKAGE + _ROUNDING and (
        rates is None or rates.rho_dir <= _RHO_DIR + _ROUNDING
    )


def is_quick(benchmark: ClassSplit, protocol: Protocol) -> bool:
    """Tell whether other splits are measured in moments: few rows and splits, no fits but of neighbours."""
    rows = len(benchmark.X) + (0 if benchmark.train is None else len(benchmark.train.X))
    splits = len(benchmark.held_out)
    few = (
        rows <= _QUICK_ROWS
        and splits <= _QUICK_SPLITS
        and rows * benchmark.X.shape[1]
        <= (_QUICK_VALUES if splits <= _FEW_SPLITS else _QUICK_VALUES_OF_MANY)
    )
    entries = named_detectors(protocol.detectors).values()
    return few and benchmark.transformer is None and all(map(_reads_neighbours, entries))


def glance(report: Report) -> Advice:
    """Return what the report itself tells: nothing is measured."""
    return Advice(
        pairs=_pairs(report),
        resolved=_resolved(report),
        sought=False,
        proposals=(),
        rejected=(),
        fewest=_fewest(report),
        capped=False,
        rows=(),
        names=class_names([*report.classes, *report.positives]),
    )


def advise(report: Report, source: Source, accepts: Accepts) -> Advice:
    """Seek other splits that `accepts` will do with.

    Two ways are gone, one class fewer at each step: classes are merged, or dropped. A step at which not
    even the leakage to be expected will do is passed over; else the split is measured, until one will do,
    and `MEASUREMENTS` times at most.
    """
    advice = glance(report)
    if accepts(report):
        return advice
    search = _Search(report, source, accepts)
    proposals = [found for found in (search.go("merge"), search.go("drop")) if found is not None]
    named = [label for one in [*proposals, *search.rejected] for label in one.classes]
    return replace(
        advice,
        sought=True,
        proposals=tuple(proposals),
        rejected=tuple(search.rejected),
        capped=search.capped,
        names=class_names(dict.fromkeys([*advice.names, *named])),
    )


class _Search:
    """Goes down the numbers of classes."""

    def __init__(self, report: Report, source: Source, accepts: Accepts) -> None:
        self.report, self.source, self.accepts = report, source, accepts
        self.counts = [report.counts[label] for label in report.classes]
        self.slots = class_slots(report.leakage, self.counts)
        self.detectors = named_detectors(source.protocol.detectors)
        self.rejected: list[Proposal] = []
        self.capped = False

    def go(self, kind: Literal["merge", "drop"]) -> Proposal | None:
        """Return the proposal with the most classes, or None."""
        fewest, tries, latest = _fewest(self.report), MEASUREMENTS, self.report
        scouts = _SCOUTS if kind == "drop" else 0
        groups: Groups = tuple((code,) for code in range(len(self.counts)))
        aim = len(groups)
        while len(groups) > fewest and tries:
            if kind == "merge":
                groups = merge_closest(groups, self.slots, self.counts)
            else:
                worst = self._worst(groups, latest)
                groups = tuple(group for group in groups if group != worst)
            if not self._promises(groups):
                if scouts:
                    latest, scouts = self._scouted(groups) or latest, scouts - 1
                continue
            if len(groups) > aim:
                self.capped = True
                continue
            found = self._measured(kind, groups, self._stages())
            if found is None:
                continue
            proposal, will_do = found
            if will_do:
                return proposal
            self.rejected.append(proposal)
            tries, latest = tries - 1, proposal.report
            # So that the tries that are left reach down to the fewest.
            aim = round(len(groups) * (fewest / len(groups)) ** (1 / tries)) if tries else 0
        return None

    def _worst(self, groups: Groups, latest: Report) -> tuple[int, ...]:
        """Return the class that most detectors fail to rank the right way; of several, the leakiest.

        What counts is what it leaks and what leaks into it.
        """
        left = [code for (code,) in groups]
        wrong = {
            code: sum(
                direction != 1
                for result in latest.detectors.values()
                for label, direction in result.direction.items()
                if self._is_in(self.report.classes[code], label)
            )
            for code in left
        }
        among = self.slots[np.ix_(left, left)]
        leaks = dict(
            zip(left, among.sum(axis=0) + among.sum(axis=1) - 2 * among.diagonal(), strict=True)
        )
        return (max(left, key=lambda code: (wrong[code], leaks[code], -code)),)

    def _is_in(self, label: Hashable, held_out: Hashable) -> bool:
        if held_out in self.report.counts:
            return label == held_out
        return isinstance(held_out, tuple) and label in held_out

    def _promises(self, groups: Groups) -> bool:
        """Tell whether a split will do if its leakage is as expected and every detector is perfect."""
        names = self.report.classes
        classes = tuple(
            names[group[0]] if len(group) == 1 else tuple(names[code] for code in group)
            for group in groups
        )
        leakage = regrouped_leakage(self.report.leakage, self.slots, self.counts, groups, classes)
        sizes = [sum(self.counts[code] for code in group) for group in groups]
        counts = dict(zip(classes, sizes, strict=True))
        expected = replace(
            self.report,
            m=sum(sizes),
            classes=classes,
            counts=counts,
            positives=counts,
            leakage=leakage,
            integrity=NOTHING_FOUND,
            detectors={},
            geometry=None,
            attribution={},
            other_k={},
            source=None,
        )
        return self.accepts(self._at_best(expected))

    def _at_best(self, report: Report) -> Report:
        """Return `report` with perfect figures for the detectors that it lacks."""
        labels = list(report.positives)

        def perfect(name: str) -> DetectorResult:
            return summarise(
                name,
                labels,
                np.ones((len(labels), 1)),
                epsilon=report.epsilon,
                intervals=[(1.0, 1.0)] * len(labels),
                no_ranking=(),
                seeds=(),
            )

        results = {name: report.detectors.get(name) or perfect(name) for name in self.detectors}
        geometry = report.geometry or (perfect(GEOMETRY) if self.report.geometry else None)
        return replace(
            report,
            detectors=results,
            instability=combine(list(results.values())),
            geometry=geometry,
        )

    def _scouted(self, groups: Groups) -> Report | None:
        """Return a split by one detector that reads neighbours, which tells what to drop next."""
        scout = dict(list(self._quick().items())[:1])
        found = self._measured("drop", groups, [scout]) if scout else None
        return None if found is None else found[0].report

    def _measured(
        self,
        kind: Literal["merge", "drop"],
        groups: Groups,
        stages: Sequence[Mapping[str, Any]],
    ) -> tuple[Proposal, bool] | None:
        """Return a split and whether it will do; None if it cannot be measured.

        Detectors that are fitted one by one are spared where the others are enough to reject it.
        """
        try:
            split = self.source.benchmark.regrouped(groups)
            for detectors in stages:
                protocol = replace(self.source.protocol, detectors=detectors)
                report = self.source.measure(split, protocol)
                will_do = self.accepts(self._at_best(report))
                if not will_do:
                    break
        except Exception:  # whatever a detector or a representation raises on fewer rows
            return None
        classes = split.merge if kind == "merge" else split.drop
        report = replace(report, source=None)  # it would keep the rows of every split
        change, call = changed(split, self.source.benchmark), written(split)
        return Proposal(
            kind=kind, classes=classes, report=report, change=change, call=call
        ), will_do

    def _stages(self) -> list[dict[str, Any]]:
        quick = self._quick()
        return [quick, self.detectors] if len(quick) < len(self.detectors) else [quick]

    def _quick(self) -> dict[str, Any]:
        return {name: one for name, one in self.detectors.items() if _reads_neighbours(one)}


def _reads_neighbours(entry: Any) -> bool:
    return isinstance(entry, str) and entry in _READ_NEIGHBOURS


def _fewest(report: Report) -> int:
    return min(3, max(2, len(report.classes) - 1))


def _pairs(report: Report) -> tuple[tuple[Hashable, Hashable, float], ...]:
    leakage = report.leakage
    found = [
        (a, b, float(share))
        for a, row in zip(leakage.classes, leakage.matrix, strict=True)
        for b, share in zip(leakage.classes, row, strict=True)
        if a != b and share > 0  # not NaN
    ]
    return tuple(sorted(found, key=lambda pair: -pair[2])[:_PAIRS])


def _resolved(report: Report) -> tuple[Hashable, ...]:
    results = report.detectors.values()
    return tuple(
        label
        for label in report.positives
        if results and all(one.resolved[label] == 1 for one in results)
    )
