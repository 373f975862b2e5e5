"""Findings on what spoils a benchmark whatever its geometry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_splitcheck.declare.labels import plain_text
from pytest_splitcheck.measure.results import Report
from pytest_splitcheck.measure.rows import Integers
from pytest_splitcheck.text import column
from pytest_splitcheck.verdict.finding import Finding, exceeds, over
from pytest_splitcheck.verdict.leakage import on_leakage
from pytest_splitcheck.verdict.thresholds import Thresholds

__all__ = ["on_integrity", "on_piles"]

_FIRST = 5
"""Rows that a finding names."""

_SAME_SCALE = 3.0
"""Times that a class may be wider in one set than in the other: two samples of one class differ less, a forgotten
division by 255, or by the standard deviation, makes more."""

_AT = "evaluate(benchmark).integrity"
_AFTERWARDS = "leakage and rates are judged after that."


def on_integrity(report: Report, limits: Thresholds) -> Iterator[Finding]:
    """Yield what makes a benchmark ill posed before its geometry is looked at."""
    if report.constant:
        yield Finding(
            kind="constant representation",
            status="ill posed",
            message=f"all {report.m} rows are equal",
        )
        return
    yield from _other_scale(report)
    yield from _contaminated(report, limits)
    yield from _shared(report, limits)
    yield from _conflicting(report, limits)
    yield from _dominated(report, limits)


def on_piles(report: Report, limits: Thresholds) -> Iterator[Finding]:
    """Yield a finding where LOF explodes beside piles of equal rows."""
    piles, bound = report.integrity.piles, limits.max_duplicates
    if piles is None or bound is None or not exceeds(len(piles.beside) / report.m, bound):
        return
    finding = over(
        limits,
        "max_duplicates",
        "rows beside duplicates under LOF",
        len(piles.beside) / report.m,
        {},
        report.names,
        figure="rows",
        status="undecided",
    )
    yield replace(
        finding,
        kind="duplicates under LOF",
        remedy=f"{len(piles.beside)} of {report.m} rows ({_listed(piles.beside)}) have neighbours in a "
        f"pile of up to {piles.largest} equal rows, beside which LOF has no bound. Drop repeated rows from "
        "the pool, or leave lof out of the detectors.",
    )


def _other_scale(report: Report) -> Iterator[Finding]:
    spread = report.integrity.pool_spread
    if spread is None or 1 / _SAME_SCALE <= spread <= _SAME_SCALE:
        return
    told = f"{spread:.3g} times as widely spread" if spread else "not spread at all"
    yield Finding(
        kind="pool on another scale",
        status="ill posed",
        message=f"a class of the training pool is {told}",
        value=spread,
        remedy=f"In the training pool a class is typically {told} as the same class in X. Give both the same "
        f"preparation, such as one scaling that is fitted on the pool; {_AFTERWARDS}",
    )


def _shared(report: Report, limits: Thresholds) -> Iterator[Finding]:
    shared, bound = report.integrity.shared, limits.max_duplicates
    if bound is None or not exceeds(len(shared.rows) / report.m, bound):
        return
    finding = over(
        limits,
        "max_duplicates",
        f"rows that are in {_pool(report)} too",
        len(shared.rows) / report.m,
        {},
        report.names,
        figure="rows",
    )
    again = ", again until there are none" if report.folds and shared.near else ""
    told = f"{shared.exact} equal" + (f", {shared.near} nearly" if shared.near else "")
    yield replace(
        finding,
        kind="shared rows",
        remedy=f"{len(shared.rows)} of {report.m} rows ({told}: {_listed(shared.rows)}) are scored by "
        f"detectors that were fitted on {'equal or nearly equal' if shared.near else 'equal'} ones. Drop the "
        f"rows of X and y at {_AT}.shared.drop ({len(shared.drop)} rows){again}; {_AFTERWARDS}",
    )


def _contaminated(report: Report, limits: Thresholds) -> Iterator[Finding]:
    rows, bound = report.integrity.contaminated, limits.max_duplicates
    share = {label: len(found) / report.positives[label] for label, found in rows.items()}
    guilty = [c for c in share if bound is not None and exceeds(share[c], bound)]
    if not guilty:
        return
    guilty.sort(key=lambda label: -share[label])
    worst = guilty[0]
    finding = over(
        limits,
        "max_duplicates",
        f"rows of {report.names[worst]} that its normal pool holds",
        share[worst],
        {c: f"{len(rows[c])} of {report.positives[c]} rows" for c in guilty},
        report.names,
        figure="held out, and left in the pool under another label",
    )
    call = f"{_AT}.contaminated[{plain_text(repr(worst))}]"
    yield replace(
        finding,
        kind="contaminated pool",
        remedy=f"Rows of a held-out class stay in {_pool(report)} under another label, so that detectors "
        f"are fitted on the anomalies; rows of {report.names[worst]}: {_listed(rows[worst])}. Mend the "
        f"labels of the pool, or drop the rows of X and y at {call}; {_AFTERWARDS}",
    )


def _conflicting(report: Report, limits: Thresholds) -> Iterator[Finding]:
    conflicts, bound = report.integrity.conflicts, limits.max_leakage
    if conflicts.floor is None or bound is None or not exceeds(conflicts.floor, bound):
        return
    finding = over(
        limits,
        "max_leakage",
        f"L_{report.k} by equal rows with different labels alone",
        conflicts.floor,
        {},
        report.names,
        figure="rows",
    )
    yield replace(
        finding,
        kind="conflicting labels",
        remedy=f"{len(conflicts.rows)} of {report.m} rows ({_listed(conflicts.rows)}) are in "
        f"{conflicts.groups} sets of equal rows with different labels, which no representation can tell "
        f"apart. Mend their labels, or drop the rows of X and y at {_AT}.conflicts.rows; {_AFTERWARDS}",
    )


def _dominated(report: Report, limits: Thresholds) -> Iterator[Finding]:
    """Yield a finding where leakage is beyond a limit only by the scale of one feature."""
    dominance = report.integrity.dominance
    if dominance is None or dominance.standardised is None:
        return
    broken = [one for one in on_leakage(report, limits) if one.status == "ill posed"]
    rescaled = dominance.standardised
    if not broken or any(on_leakage(replace(report, leakage=rescaled), limits)):
        return
    yield replace(
        broken[0],
        kind="dominated by one feature",
        classes=(),
        details=(),
        message=f"{broken[0].message}; {rescaled.value:.3f} with features of equal variance",
        remedy=f"{column(dominance.column, dominance.feature)} has {dominance.share:.3f} of the variance and "
        "decides which rows are neighbours. Standardise the features (representation=StandardScaler(), or standardise = true in "
        f"a TOML file), or drop that column; {_AFTERWARDS}",
    )


def _pool(report: Report) -> str:
    return "other folds" if report.folds else "the training pool"


def _listed(rows: Integers) -> str:
    shown = ", ".join(map(str, rows[:_FIRST].tolist()))
    rest = len(rows) - _FIRST
    return f"{shown} and {rest} more" if rest > 0 else shown
