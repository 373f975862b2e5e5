"""The verdict: every finding on a report, and what they come to."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.verdict.finding import Finding, Status, Verdict
from pytest_splitcheck.verdict.leakage import on_leakage
from pytest_splitcheck.verdict.rates import few_positives, no_ranking, on_rates
from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["judge"]


def judge(report: Report, thresholds: Thresholds | None = None) -> Verdict:
    """Hold a report against limits.

    Parameters
    ----------
    report : Report
    thresholds : Thresholds, optional
        The defaults if left out.

    Returns
    -------
    Verdict
        ``"ill posed"`` if a limit is exceeded (strictly) or the representation is constant;
        ``"undecided"`` if a held-out class has too few rows for its rates to mean anything, or a
        detector gives no ranking, or if it is not known on which side of a limit leakage lies: it was measured
        on a sample that was drawn for other limits, or with approximate neighbours; or, with
        ``confident``, if only unresolved classes break a limit; ``"well posed"`` otherwise. The former two
        take the force from the limits on rates, not from those on leakage.
    """
    limits = thresholds or Thresholds()
    findings = [*_constant(report), *on_leakage(report, limits)]
    if report.instability is not None:
        doubts = [*few_positives(report, limits), *no_ranking(report)]
        findings += on_rates(report, limits, "undecided" if doubts else "ill posed")
        findings += doubts
    statuses = {finding.status for finding in findings}
    status: Status = "well posed"
    if statuses:
        status = "ill posed" if "ill posed" in statuses else "undecided"
    return Verdict(status=status, findings=tuple(findings))


def _constant(report: Report) -> Iterator[Finding]:
    if report.constant:
        yield Finding(
            kind="constant representation",
            status="ill posed",
            message=f"all {report.m} rows are equal",
        )
