"""Findings on scores that are not what they should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.verdict.finding import Finding

__all__ = ["on_scores"]

_LEAST_FAR_AUROC: Final = 0.25
"""Below it, rows far outside the pool are ranked as normal. A score that is linear gives 1/2."""


def on_scores(report: Report) -> Iterator[Finding]:
    """Yield a finding for each detector that gives labels, or whose scores look reversed."""
    for result in report.detectors.values():
        if result.hard_labels:
            yield Finding(
                kind="hard labels",
                status="undecided",
                message=f"detector {result.name} gives two distinct scores only, as labels are, in "
                f"{len(result.hard_labels)} of {len(result.auroc)} splits; pass its scores, such as "
                "score_samples or decision_function, not predict",
                classes=result.hard_labels,
                details=tuple(report.names[label] for label in result.hard_labels),
            )
        if result.far_auroc is not None and result.far_auroc < _LEAST_FAR_AUROC:
            yield Finding(
                kind="looks reversed",
                status="undecided",
                message=f"detector {result.name} ranks rows far outside the pool as more normal than normal "
                f"rows (AUROC {result.far_auroc:.3f}); if its scores are high for normal rows, turn their "
                "sign: with HighIsNormal(...), or in its own class where that derives from a library's",
                value=result.far_auroc,
            )
