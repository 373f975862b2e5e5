"""Whose fault the classes are that a limit on rates names."""

from __future__ import annotations

from dataclasses import replace

from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.verdict.finding import Finding

__all__ = ["with_fault"]

_LIMITS = ("max_rho_dir", "max_rho_inv", "max_rho_rnd")


def with_fault(finding: Finding, report: Report) -> Finding:
    """Return a finding on rates of detectors with whose fault its classes are; any other as it is."""
    if finding.limit not in _LIMITS:
        return finding
    by_fault: dict[str, dict[str, None]] = {"geometry": {}}
    undecided: dict[str, None] = {}
    for detector, faults in report.attribution.items():
        for label in finding.classes:
            fault, name = faults.get(label), report.names[label]
            if fault == "geometry":
                by_fault["geometry"][name] = None
            elif fault == "detector":
                by_fault.setdefault(f"{detector} alone", {})[name] = None
            elif fault == "open":
                undecided[name] = None
    by_fault["open"] = undecided
    told = tuple((who, tuple(names)) for who, names in by_fault.items() if names)
    return replace(finding, fault=told)
