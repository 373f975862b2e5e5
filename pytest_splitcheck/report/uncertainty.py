"""Notes on what the data does not tell: unresolved classes, and directions that depend on the seed."""

from __future__ import annotations

from typing import Any

from pytest_splitcheck.report.text import escape, some

__all__ = ["by_seed", "is_unresolved", "unresolved"]


def is_unresolved(result: dict[str, Any], name: str) -> bool:
    """Tell whether the direction of a held-out class, by its name, is not known for a detector."""
    return name in result["resolved"] and result["resolved"][name] is None


def unresolved(report: dict[str, Any]) -> list[str]:
    """Return a note for the classes whose interval includes 1/2, by detector."""
    told = []
    for name, result in report["detectors"].items():
        each = [
            f"{escape(label)} ({low:.3f}-{high:.3f})"
            for label, (low, high) in result["interval"].items()
            if is_unresolved(result, label) and low <= 0.5 <= high
        ]
        if each:
            told.append(f"{escape(name)}: {some(each)}")
    return [f"Unresolved (95 % interval of AUROC includes 1/2): {'; '.join(told)}."] if told else []


def by_seed(report: dict[str, Any]) -> list[str]:
    """Return a note for each detector with classes whose direction depends on the seed."""
    notes = []
    for name, result in report["detectors"].items():
        n = len(result["seeds"])
        each = [
            f"{escape(label)} ({round(share * n)} of {n})"
            for label, share in result["flips"].items()
            if share
        ]
        if each:
            notes.append(f"{escape(name)}: the direction depends on the seed for {some(each)}.")
    return notes
