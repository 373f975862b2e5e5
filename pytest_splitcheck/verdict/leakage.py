"""Findings on leakage."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_splitcheck.measure.results import Leakage, Report
from pytest_splitcheck.verdict.finding import Finding, exceeds, over, plain
from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["on_leakage"]


def on_leakage(report: Report, limits: Thresholds) -> Iterator[Finding]:
    """Yield each limit on leakage that is exceeded, or of which that is not known."""
    leakage = report.leakage
    for limit, symbol, value, unit in (
        ("max_leakage", f"L_{leakage.k}", leakage.value, 1.0),
        ("max_leakage_ratio", f"L_{leakage.k}/chance", leakage.ratio, leakage.chance),
    ):
        bound = getattr(limits, limit)
        low = high = value
        if not leakage.exact:
            low, high = (end / unit for end in leakage.interval)
        if bound is None or not exceeds(high, bound):
            continue
        if not exceeds(low, bound):
            between = f"{symbol} is between {low:.3f} and {high:.3f}"
            yield Finding(
                kind="open limit",
                status="undecided",
                message=f"{between}, on either side of {plain(float(bound))}{_basis(leakage)}",
                limit=limit,
                bound=float(bound),
                source=limits.source(limit),
                value=value,
            )
            continue
        each = {c: one / unit for c, one in leakage.per_class.items() if one is not None}
        guilty = sorted(
            (label for label, one in each.items() if exceeds(one, bound)),
            key=lambda label: -each[label],
        )
        yield over(
            limits,
            limit,
            symbol,
            value,
            {label: f"{each[label]:.3f}" for label in guilty},
            report.names,
            figure=f"{symbol} of the rows sampled" if leakage.sampled else symbol,
            note=_basis(leakage),
        )


def _basis(leakage: Leakage) -> str:
    """Tell in parentheses what the leakage rests on, unless it is exact."""
    if leakage.exact:
        return ""
    if not leakage.sampled:
        return " (approximate neighbours)"
    return f" (sampled: {leakage.queries:,} of {leakage.m:,} rows, alpha {leakage.alpha:g})"
