"""Findings on the rates of direction instability, and on what takes their force from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Final

from pytest_splitcheck.measure.results import DetectorResult, Report
from pytest_splitcheck.verdict.finding import Finding, Status, exceeds, over
from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["all_alike", "few_positives", "no_ranking", "on_rates"]


def on_rates(report: Report, limits: Thresholds, status: Status) -> Iterator[Finding]:
    """Yield each limit on rates that is exceeded, as a reason for `status`.

    With ``limits.confident``, a limit that what is resolved of its rate keeps is undecided.
    """
    rates = report.instability
    if rates is None:
        return
    for limit, symbol, value, innocent in (
        (
            "max_rho_dir",
            "rho_dir",
            rates.rho_dir,
            lambda one, c: one.direction[c] == one.majority,
        ),
        ("max_rho_inv", "rho_inv", rates.rho_inv, lambda one, c: one.auroc[c] >= 0.5),
        ("max_rho_rnd", "rho_rnd", rates.rho_rnd, lambda one, c: one.direction[c] != 0),
    ):
        bound = getattr(limits, limit)
        if bound is None or not exceeds(value, bound):
            continue
        if limits.confident and limit in _RESOLVED:
            least, certain = _RESOLVED[limit]
            resolved = float(getattr(rates, least))
            if not exceeds(resolved, bound):
                yield _unresolved(report, limits, limit, symbol, value, resolved, certain)
                continue
        figure = "AUROC"
        down = [one.name for one in report.detectors.values() if one.majority < 0]
        if limit == "max_rho_dir" and down:
            figure += f" of those that do not point the way of most; by {' and '.join(down)} most are below 1/2"
        guilty = _guilty(report, innocent)
        yield over(limits, limit, symbol, value, guilty, report.names, figure=figure, status=status)
    least_mean = limits.min_auroc
    if least_mean is not None and exceeds(least_mean, rates.mean):
        below = _guilty(report, lambda one, c: not exceeds(least_mean, one.auroc[c]))
        yield over(
            limits,
            "min_auroc",
            "mean AUROC",
            rates.mean,
            below,
            report.names,
            figure="AUROC",
            status=status,
        )


_Judgement = Callable[[DetectorResult, Hashable], bool]

_RESOLVED: Final[dict[str, tuple[str, _Judgement]]] = {
    "max_rho_dir": (
        "rho_dir_resolved",
        lambda one, c: one.direction[c] == one.best_side or not one.may_point(one.best_side, c),
    ),
    "max_rho_inv": (
        "rho_inv_resolved",
        lambda one, c: one.auroc[c] >= 0.5 or one.surely_inverted(c),
    ),
}
"""For a limit on a rate, the least of that rate, and which classes count in both alike."""


def _unresolved(
    report: Report,
    limits: Thresholds,
    limit: str,
    symbol: str,
    value: float,
    resolved: float,
    certain: _Judgement,
) -> Finding:
    """Return the finding that a limit is exceeded by classes only that are not `certain`."""
    found = over(
        limits,
        limit,
        symbol,
        value,
        _guilty(report, certain, _interval),
        report.names,
        figure="95 % interval of AUROC",
        status="undecided",
        note=f" (resolved: {resolved:.3f})",
    )
    remedy = (
        f"As confident asks, only classes count whose direction is known: {symbol} is {resolved:.3f} by "
        "these. More rows of the others would tell."
    )
    return replace(found, kind="unresolved", resolved=resolved, remedy=remedy)


def few_positives(report: Report, limits: Thresholds) -> Iterator[Finding]:
    """Yield a finding where a held-out class has too few rows."""
    least, positives = limits.min_positives, report.positives
    if least is None:
        return
    few = sorted((c for c in positives if positives[c] < least), key=lambda c: positives[c])
    if few:
        yield Finding(
            kind="few positives",
            status="undecided",
            message=f"{len(few)} of {len(positives)} held-out classes have fewer than {least} rows",
            limit="min_positives",
            bound=float(least),
            source=limits.source("min_positives"),
            value=float(positives[few[0]]),
            classes=tuple(few),
            details=tuple(f"{report.names[label]} ({positives[label]})" for label in few),
            figure="rows",
        )


def no_ranking(report: Report) -> Iterator[Finding]:
    """Yield a finding for each detector that scores all rows of some split alike."""
    for result in report.detectors.values():
        if result.no_ranking:
            yield all_alike(report, result, f"detector {result.name}")


def all_alike(report: Report, result: DetectorResult, who: str) -> Finding:
    """Return the finding that `who`, whose result this is, gives no ranking."""
    return Finding(
        kind="no ranking",
        status="undecided",
        message=f"{who} gives all rows the same score in "
        f"{len(result.no_ranking)} of {len(result.auroc)} splits",
        classes=result.no_ranking,
        details=tuple(report.names[label] for label in result.no_ranking),
    )


def _guilty(
    report: Report,
    innocent: _Judgement,
    figure: Callable[[DetectorResult, Hashable], str] = lambda one, c: f"{one.auroc[c]:.3f}",
) -> dict[Hashable, str]:
    """Tell of each class that is not `innocent` for some detector its AUROC, or `figure`, by those."""
    told: dict[Hashable, list[str]] = {}
    for result in report.detectors.values():
        for label in result.auroc:
            if not innocent(result, label):
                told.setdefault(label, []).append(f"{result.name} {figure(result, label)}")
    worst_first = sorted(told, key=lambda label: -len(told[label]))
    return {label: ", ".join(told[label]) for label in worst_first}


def _interval(result: DetectorResult, label: Hashable) -> str:
    low, high = result.interval[label]
    return f"{low:.3f}-{high:.3f}{', seeds differ' if result.flips[label] else ''}"
