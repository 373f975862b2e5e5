"""The records of one test as properties of a JUnit file: plain names, plain values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_splitcheck.report.record import title
from pytest_splitcheck.report.text import escape

__all__ = ["properties"]


def properties(entries: Iterable[dict[str, Any]]) -> list[tuple[str, str | int | float]]:
    """Return a name and a value for each main figure of each record of a test, in their order.

    Names are ``splitcheck.TITLE.FIGURE``, with a number behind the title of a benchmark that the test has
    checked before. A figure that was not measured has none.
    """
    told: list[tuple[str, str | int | float]] = []
    count: dict[str, int] = {}
    for entry in entries:
        name = escape(title(entry))
        count[name] = count.get(name, 0) + 1
        if count[name] > 1:
            name += f" #{count[name]}"
        for figure, value in _figures(entry).items():
            if value is not None:
                told.append((f"splitcheck.{name}.{figure}", value))
    return told


def _figures(entry: dict[str, Any]) -> dict[str, str | int | float | None]:
    report = entry["report"]
    leakage, rates, geometry = report["leakage"], report["instability"] or {}, report["geometry"]
    return {
        "verdict": entry["verdict"]["status"],
        "m": report["m"],
        "k": report["k"],
        "leakage": leakage["value"],
        "chance": leakage["chance"],
        **{name: rates.get(name) for name in ("rho_inv", "rho_rnd", "rho_dir")},
        "rho_dir_geo": geometry and geometry["rho_dir"],
        "mean_auroc": rates.get("mean"),
    }
