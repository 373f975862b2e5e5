"""Whose fault it is that detectors invert classes or put them near random."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

from pytest_splitcheck.measure.results import DetectorResult, Report
from pytest_splitcheck.verdict.finding import Finding

__all__ = ["detectors_alone", "with_fault"]

_CONCERNS: dict[str | None, Callable[[DetectorResult, Hashable], bool]] = {
    "max_rho_dir": lambda one, c: True,
    "max_rho_inv": lambda one, c: one.auroc[c] < 0.5,
    "max_rho_rnd": lambda one, c: one.direction[c] == 0,
}
"""Which of the classes that are attributed a limit on rates is about."""


_ALONE = " alone"


def with_fault(finding: Finding, report: Report) -> Finding:
    """Return a finding on rates of detectors with whose fault they are; any other as it is.

    Where the majority points down, the classes that are attributed are not those that the finding names.
    """
    concerns = _CONCERNS.get(finding.limit)
    if concerns is None:
        return finding
    everyone = dict.fromkeys([*finding.classes, *report.positives])  # the worst first
    told: dict[str, dict[str, None]] = {"geometry": {}}
    for label in everyone:
        for detector, faults in report.attribution.items():
            if label in faults and concerns(report.detectors[detector], label):
                fault = faults[label]
                who = f"{detector}{_ALONE}" if fault == "detector" else fault
                told.setdefault(who, {})[report.names[label]] = None
    told["open"] = told.pop("open", {})  # comes last
    return replace(
        finding, fault=tuple((who, tuple(names)) for who, names in told.items() if names)
    )


def detectors_alone(faults: Iterable[Sequence[tuple[str, Sequence[str]]]]) -> tuple[str, ...]:
    """Return the detectors whose fault it all is; empty where anything is that of geometry, or open.

    Parameters
    ----------
    faults : iterable
        The `fault` of each finding that fails a benchmark.
    """
    guilty: dict[str, None] = {}
    for fault in faults:
        names = [who.removesuffix(_ALONE) for who, _ in fault if who.endswith(_ALONE)]
        if not names or len(names) < len(fault):
            return ()
        guilty.update(dict.fromkeys(names))
    return tuple(guilty)
