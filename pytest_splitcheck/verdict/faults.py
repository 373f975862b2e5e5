"""Whose fault it is that detectors invert classes, put them near random, or rank them too weakly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

from pytest_splitcheck.measure.results import DetectorResult, Report
from pytest_splitcheck.verdict.finding import Finding, exceeds

__all__ = ["detectors_alone", "with_fault"]

_CONCERNS: dict[str | None, Callable[[DetectorResult, Hashable], bool]] = {
    "max_rho_dir": lambda one, c: True,
    "max_rho_inv": lambda one, c: one.auroc[c] < 0.5,
    "max_rho_rnd": lambda one, c: one.direction[c] == 0,
}
"""Which of the classes that are attributed a limit on rates is about."""


_ALONE = " alone"


def with_fault(finding: Finding, report: Report) -> Finding:
    """Return a finding on rates or the mean AUROC of detectors with whose fault they are; any other as it is.

    Where the majority points down, the classes that are attributed are not those that the finding names.
    """
    if finding.limit == "min_auroc":
        return replace(finding, fault=_too_weak(finding, report))
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


def _too_weak(finding: Finding, report: Report) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the detectors whose mean AUROC is below its limit, each with the classes that it has below.

    Only where geometry alone ranks every class the right way, surely, and its own mean keeps the limit: else it
    is not known that another detector could.
    """
    geometry, bound = report.geometry, finding.bound
    if geometry is None or bound is None or exceeds(bound, geometry.mean):
        return ()
    if any(way != 1 for way in geometry.resolved.values()):
        return ()
    return tuple(
        (
            f"{name}{_ALONE}",
            tuple(report.names[c] for c in finding.classes if exceeds(bound, result.auroc[c])),
        )
        for name, result in report.detectors.items()
        if exceeds(bound, result.mean)
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
