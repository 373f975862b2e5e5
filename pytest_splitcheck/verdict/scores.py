"""Findings on scores that are not what they should be."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from pytest_splitcheck.measure.results import DetectorResult, Report
from pytest_splitcheck.verdict.finding import Finding

__all__ = ["on_scores"]

_LEAST_FAR_AUROC: Final = 0.25
"""Below it, rows far outside the pool are ranked as normal. A score that is linear gives 1/2."""

_LEAST_REVERSED: Final = 2
"""Classes that recorded scores have to turn around: one alone may be what the detector fails at."""


def on_scores(report: Report) -> Iterator[Finding]:
    """Yield a finding for each detector that gives labels, or whose scores look reversed."""
    for result in report.detectors.values():
        if result.hard_labels:
            yield Finding(
                kind="hard labels",
                status="undecided",
                message=f"detector {result.name} gives two distinct scores only, as labels are, in "
                f"{len(result.hard_labels)} of {len(result.auroc)} splits",
                classes=result.hard_labels,
                details=tuple(report.names[label] for label in result.hard_labels),
                remedy=f"Pass the scores of {result.name}, such as score_samples or decision_function, not "
                "predict.",
            )
        if _far_rows_are_normal(result):
            yield Finding(
                kind="looks reversed",
                status="undecided",
                message=f"detector {result.name} ranks far-away rows as normal (AUROC {result.far_auroc:.3f})",
                value=result.far_auroc,
                remedy=f"{result.name} gives rows far outside the pool lower scores than normal rows. If its "
                "scores are high for normal rows, turn their sign: with HighIsNormal(...), or in its own class "
                "where that derives from a library's.",
            )
        if result.recorded:
            yield from _reversed_record(report, result)


def _far_rows_are_normal(result: DetectorResult) -> bool:
    return result.far_auroc is not None and result.far_auroc < _LEAST_FAR_AUROC


def _reversed_record(report: Report, result: DetectorResult) -> Iterator[Finding]:
    """Yield a finding where recorded scores, which far-away rows cannot be put to, turn around what others see.

    Each class that is known to point up must be below 1/2, and at least two of them, and half of all held-out
    classes, surely. Which classes point up is known from geometry alone, or else from detectors that were
    fitted here.
    """
    seers, upward = _upward(report)
    down = [c for c in upward if result.auroc[c] < 0.5]
    sure = [c for c in down if result.resolved[c] == -1]
    if len(down) < len(upward) or len(sure) < max(_LEAST_REVERSED, len(result.auroc) / 2):
        return
    figures = {one.name: one.auroc for one in (result, *seers)}
    who = " and ".join(one.name for one in seers)
    if report.geometry is None:
        seen = f"{who}, as geometry alone was not measured"
        rank = f"{who} {'rank' if len(seers) > 1 else 'ranks'}"
    else:
        seen = (
            "the geometry of the evaluation set, in which these classes lie apart from the others"
        )
        rank = "geometry alone ranks"
    down.sort(key=lambda c: result.auroc[c])
    yield Finding(
        kind="looks reversed",
        status="undecided",
        message=f"detector {result.name} is below 1/2 in the {len(down)} classes that {rank} the right way",
        classes=tuple(down),
        details=tuple(
            f"{report.names[c]} ({', '.join(f'{n} {aurocs[c]:.3f}' for n, aurocs in figures.items())})"
            for c in down
        ),
        figure="AUROC",
        remedy=f"Seen from {seen}; recorded scores cannot be tried on far-away rows. If those of "
        f"{result.name} are high for normal rows, declare it: HighIsNormal(RecordedScores(...)), or "
        "high_is_normal = true in a TOML file.",
    )


def _upward(report: Report) -> tuple[list[DetectorResult], list[Hashable]]:
    """Return who knows which held-out classes point up, and those that all of them resolve so."""
    seers = [report.geometry] if report.geometry is not None else []
    seers = seers or [
        one
        for one in report.detectors.values()
        if not one.recorded and not _far_rows_are_normal(one)
    ]
    if not seers:
        return [], []
    return seers, [c for c in report.positives if all(one.resolved[c] == 1 for one in seers)]
