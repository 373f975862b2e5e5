"""The record of one checked benchmark: plain data that crosses process borders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_splitcheck.measure.results import Advice, Report
    from pytest_splitcheck.verdict.finding import Verdict

__all__ = ["at_each_k", "estimate", "record", "title"]


def record(
    report: Report,
    verdict: Verdict,
    name: str,
    advice: Advice | None = None,
    said: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what reports are made from, for a benchmark that goes by `name`.

    `said` is the report as plain data, if it was made already. Its pictures, which take time, are put in where a
    page wants them, and where it is declared, if that is in a TOML file: the name of the ``file``, and the
    ``lines`` of the limits that it sets, by their names.
    """
    return {
        "name": report.name or name,
        "report": report.to_dict() if said is None else said,
        "verdict": verdict.to_dict(),
        "advice": None if advice is None else advice.to_dict(),
        "pictures": None,
        "declared": None,
    }


def at_each_k(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a report as plain data in full at each k: as it is, and at each of its `other_k`."""
    others = [
        {**report, **one, "detectors": {**report["detectors"], **one.get("detectors", {})}}
        for one in report["other_k"].values()
    ]
    return [report, *others]


def estimate(leakage: dict[str, Any], form: str) -> str:
    """Return L_k, with "~" before it where it is not exact."""
    exact = leakage["alpha"] is None and leakage["approximation"] is None
    return ("" if exact else "~") + format(leakage["value"], form)


def title(entry: dict[str, Any]) -> str:
    """Return how a record is called: its name, with its representation in parentheses."""
    representation = entry["report"]["representation"]
    return f"{entry['name']} ({representation})" if representation else str(entry["name"])
