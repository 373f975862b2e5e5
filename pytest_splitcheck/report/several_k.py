"""What is told of a benchmark that was measured at several k."""

from __future__ import annotations

from typing import Any

from pytest_splitcheck.report.record import at_each_k, estimate

__all__ = ["further_leakage", "statuses"]


def statuses(verdict: dict[str, Any]) -> str:
    """Return which verdict there is at which k; "" where it is the same at each."""
    at: dict[str, list[str]] = {}
    for k, status in verdict["by_k"].items():
        at.setdefault(status, []).append(k)
    if len(at) < 2:
        return ""
    return ", ".join(f"{status} at {_joined(ks)}" for status, ks in at.items())


def further_leakage(report: dict[str, Any]) -> str:
    """Return L_k at each k but the first; "" where one k was asked for."""
    others = at_each_k(report)[1:]
    return ", ".join(f"L_{one['k']} = {estimate(one['leakage'], '.3f')}" for one in others)


def _joined(words: list[str]) -> str:
    *rest, last = words
    return f"{', '.join(rest)} and {last}" if rest else last
