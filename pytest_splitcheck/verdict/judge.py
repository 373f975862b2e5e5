"""The verdict: every finding on a report, and what they come to."""

from __future__ import annotations

from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.verdict.alone import hidden_by_the_mean
from pytest_splitcheck.verdict.faults import with_fault
from pytest_splitcheck.verdict.finding import Status, Verdict
from pytest_splitcheck.verdict.geometry import on_geometry
from pytest_splitcheck.verdict.integrity import on_integrity, on_piles
from pytest_splitcheck.verdict.leakage import on_leakage
from pytest_splitcheck.verdict.rates import few_positives, no_ranking, on_rates
from pytest_splitcheck.verdict.scores import on_scores
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
        ``"ill posed"``: a limit is exceeded (strictly), or the representation is constant. Where shared or
        contaminated rows, conflicting labels or one dominating feature are beyond their limit, or the pool is
        on another scale, these are told alone: leakage and rates are then no sign of the geometry.

        ``"undecided"``: the rates mean nothing, since a held-out class has too few rows, a detector gives no
        ranking, labels or scores that look reversed, or LOF reads piles of equal rows; or it is not known on
        which side of a limit leakage lies, measured on a sample that was drawn for other limits or with
        approximate neighbours; or, with ``confident``, only unresolved classes break a limit. Limits on
        leakage keep their force beside the former.

        ``"well posed"`` otherwise. Of several k the first decides; `by_k` has the status at each. Without
        detectors, max_rho_dir is held against geometry alone, where that was measured.
    """
    limits = thresholds or Thresholds()
    findings = list(on_integrity(report, limits))
    broken = bool(findings)  # leakage and rates are then no sign of the geometry
    if not broken:
        findings += on_leakage(report, limits)
    if report.instability is not None:
        doubts = [
            *few_positives(report, limits),
            *no_ranking(report),
            *on_scores(report),
            *on_piles(report, limits),
        ]
        if not broken:
            findings += on_rates(report, limits, "undecided" if doubts else "ill posed")
        findings += doubts
    if not broken:
        findings += on_geometry(report, limits)
    findings = [with_fault(finding, report) for finding in findings]
    statuses = {finding.status for finding in findings}
    status: Status = "well posed"
    if statuses:
        status = "ill posed" if "ill posed" in statuses else "undecided"
    others = {k: judge(one, limits).status for k, one in report.other_k.items()}
    by_k = {report.k: status, **others} if others else {}
    notes = () if broken else hidden_by_the_mean(report, limits)
    return Verdict(status=status, findings=tuple(findings), by_k=by_k, notes=notes)
