"""What a record says of the integrity of a benchmark."""

from __future__ import annotations

from typing import Any

from pytest_splitcheck.report.text import escape, some
from pytest_splitcheck.text import column

__all__ = ["INTEGRITY", "integrity_notes"]

INTEGRITY = (
    "pool on another scale",
    "shared rows",
    "contaminated pool",
    "conflicting labels",
    "duplicates under LOF",
    "dominated by one feature",
)
"""Kinds of findings that go by what they are, not by a limit."""


def integrity_notes(report: dict[str, Any], verdict: dict[str, Any]) -> list[str]:
    """Return a note for each thing that was found, but for those that are findings of the verdict."""
    found = {finding["kind"] for finding in verdict["findings"]}
    notes = {
        "shared rows": _shared(report),
        "repeats": _repeats(report),
        "contaminated pool": _contaminated(report),
        "conflicting labels": _conflicting(report),
        "duplicates under LOF": _piles(report),
        "dominated by one feature": _dominance(report),
        "absent": _absent(report),
    }
    return [note for kind, note in notes.items() if note and kind not in found]


def _shared(report: dict[str, Any]) -> str:
    shared, m = report["integrity"]["shared"], report["m"]
    if not shared["rows"]:
        return ""
    told = f"{_rows(shared)} in {_pool(report)} too (of {m:,})"
    if shared["near"]:
        told += f", {shared['near']:,} of them nearly (within {shared['scale']:.3g})"
    return f"{told}: {_first(shared)}."


def _repeats(report: dict[str, Any]) -> str:
    shared = report["integrity"]["shared"]
    if report["n_train"] or not shared["drop"] or shared["rows"]:
        return ""
    return (
        f"{shared['drop']:,} of {report['m']:,} rows repeat others, with which they share a fold."
    )


def _contaminated(report: dict[str, Any]) -> str:
    told = [
        f"{escape(name)} ({rows['rows']:,} of {report['positives'][name]:,} rows: {_first(rows)})"
        for name, rows in report["integrity"]["contaminated"].items()
    ]
    return (
        f"Left in {_pool(report)} under another label when they are held out: {some(told)}."
        if told
        else ""
    )


def _conflicting(report: dict[str, Any]) -> str:
    conflicts = report["integrity"]["conflicts"]
    if not conflicts["rows"]:
        return ""
    told = f"{_rows(conflicts)} in {conflicts['groups']:,} sets of equal rows with different labels"
    if conflicts["floor"] is not None:
        told += f", which keep L_{report['k']} at {conflicts['floor']:.2g} or more"
    return f"{told}: {_first(conflicts)}."


def _piles(report: dict[str, Any]) -> str:
    piles = report["integrity"]["piles"]
    if not piles or not piles["rows"]:
        return ""
    return (
        f"{_rows(piles)} beside a pile of up to {piles['largest']:,} equal rows in a normal pool, where "
        f"LOF has no bound: {_first(piles)}."
    )


def _dominance(report: dict[str, Any]) -> str:
    one = report["integrity"]["dominance"]
    if one is None or one["standardised"] is None:
        return ""
    leakage = report["leakage"]
    return (
        f"{column(one['column'], one['feature'])} has {one['share']:.3f} of the variance; L_{leakage['k']} is "
        f"{leakage['value']:.3f}, and {one['standardised']:.3f} with features of equal variance."
    )


def _absent(report: dict[str, Any]) -> str:
    names = [escape(name) for name in report["integrity"]["absent"]]
    return (
        f"Held out without a row of their own in the training pool: {some(names)}." if names else ""
    )


def _rows(found: dict[str, Any]) -> str:
    return "1 row is" if found["rows"] == 1 else f"{found['rows']:,} rows are"


def _first(found: dict[str, Any]) -> str:
    shown = ", ".join(map(str, found["first"]))
    rest = found["rows"] - len(found["first"])
    return f"{shown} and {rest:,} more" if rest else shown


def _pool(report: dict[str, Any]) -> str:
    return "other folds" if report["folds"] else "the training pool"
