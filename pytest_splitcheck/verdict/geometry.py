"""Findings on geometry alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.verdict.finding import Finding, exceeds, over
from pytest_splitcheck.verdict.rates import all_alike, few_positives
from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["on_geometry"]


def on_geometry(report: Report, limits: Thresholds) -> Iterator[Finding]:
    """Yield that the limit on rho_dir_geo is exceeded, or what takes the force from it.

    The limit is max_rho_dir_geo or, where that is off and there are no detectors, max_rho_dir.
    """
    limit = "max_rho_dir_geo"
    if limits.max_rho_dir_geo is None and not report.detectors:
        limit = "max_rho_dir"
    bound, geometry = getattr(limits, limit), report.geometry
    if bound is None or not exceeds(1.0, bound):
        return
    if geometry is None:
        if limit == "max_rho_dir_geo":
            yield Finding(
                kind="open limit",
                status="undecided",
                message="rho_dir_geo was not measured; evaluate(..., geometry=True) does",
                limit=limit,
                bound=float(bound),
                source=limits.source(limit),
            )
        return
    doubts = list(few_positives(report, limits))
    if geometry.no_ranking:
        doubts.append(all_alike(report, geometry, "geometry alone"))
    if exceeds(geometry.rho_dir, bound):
        resolved = geometry.rho_dir_resolved
        is_open = limits.confident and not exceeds(resolved, bound)
        guilty = {
            label: f"{geometry.auroc[label]:.3f}"
            for label, way in geometry.direction.items()
            if way != geometry.majority
        }
        inverted = geometry.majority < 0
        whose = (
            ", of those that do not point the way of most; most are below 1/2" if inverted else ""
        )
        finding = over(
            limits,
            limit,
            "rho_dir_geo",
            geometry.rho_dir,
            guilty,
            report.names,
            figure=f"AUROC of geometry alone{whose}",
            status="undecided" if doubts or is_open else "ill posed",
            note=f" (resolved: {resolved:.3f})" if is_open else "",
        )
        yield replace(finding, kind="unresolved", resolved=resolved) if is_open else finding
    # With detectors, few positives are told already.
    yield from (one for one in doubts if not (report.detectors and one.kind == "few positives"))
