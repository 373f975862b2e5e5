"""The tables of the page, as rows of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_splitcheck.report.record import at_each_k
from pytest_splitcheck.report.uncertainty import is_unresolved

__all__ = ["Table", "class_table", "leaking_pairs", "leaks_table", "option_table", "score_table"]

_MOST_SQUARE = 30
"""Classes up to which the leakage matrix is a table; of more, the pairs that leak most are listed."""

_MOST_PAIRS = 60

_RATES = (
    ("mean", ".4f"),
    ("rho_inv", ".2f"),
    ("rho_rnd", ".2f"),
    ("variance", ".4f"),
    ("rho_dir", ".2f"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; the first cell of a row is its name.

    Attributes
    ----------
    caption : str
    head : list of str
    rows, foot : list of list of str
    figures : bool
        Whether all cells but the first are numbers.
    """

    caption: str
    head: list[str]
    rows: list[list[str]]
    foot: list[list[str]]
    figures: bool = True


def class_table(report: dict[str, Any]) -> Table:
    """Return the figures of every class, and below them the rates over classes."""
    names = list(dict.fromkeys([*report["classes"], *report["positives"]]))
    columns = [_column("rows", names, report["counts"], "d")]
    for one in at_each_k(report):
        columns.append(_column(f"L_{one['k']}", names, one["leakage"]["per_class"], ".4f"))
    columns.append(_column("slots", names, report["leakage"]["slot_share"], ".4f"))
    if report["geometry"]:
        columns.append(_aurocs("geometry", names, report["geometry"]))
    for name, result in report["detectors"].items():
        columns.append(_aurocs(name, names, result))
        if result["seeds"]:
            columns.append(_column(f"{name}, sd", names, result["spread"], ".4f"))
    for k, one in report["other_k"].items():
        for name, result in one.get("detectors", {}).items():
            columns.append(_aurocs(f"{name} at k = {k}", names, result))
    caption = (
        "Leakage of each class, its share of all neighbour slots, and AUROC where it is held out"
    )
    if report["detectors"] or report["geometry"]:
        caption += ", with its 95 % interval"
    doubt = any("?" in cell for column in columns for cell in column)
    rows = [list(row) for row in zip(["class", *names, *dict(_RATES)], *columns, strict=True)]
    size = len(names) + 1
    return Table(
        caption=f"{caption}{' (?: not resolved)' if doubt else ''}.",
        head=rows[0],
        rows=rows[1:size],
        foot=[row for row in rows[size:] if any(row[1:])],
    )


def leaks_table(report: dict[str, Any]) -> Table:
    """Return the leakage matrix; of many classes, the pairs that leak most."""
    leakage = report["leakage"]
    names, matrix = leakage["classes"], leakage["matrix"]
    k = leakage["k"]
    if len(names) <= _MOST_SQUARE:
        blank = [None] * len(names)
        return Table(
            caption=f"Share of the {k} nearest rows of a class (row) that are of a class (column).",
            head=["class", *names],
            rows=[
                [name, *(_figure(share, ".4f") for share in row or blank)]
                for name, row in zip(names, matrix, strict=True)
            ],
            foot=[],
        )
    pairs = leaking_pairs(leakage)
    return Table(
        caption=f"The pairs that leak most: share of the {k} nearest rows of the first class that are of "
        f"the second; {min(_MOST_PAIRS, len(pairs))} of {len(pairs):,} that are not 0.",
        head=["class", "neighbours of", "share"],
        rows=[[a, b, f"{share:.4f}"] for a, b, share in pairs[:_MOST_PAIRS]],
        foot=[],
    )


def leaking_pairs(leakage: dict[str, Any]) -> list[tuple[str, str, float]]:
    """Return (a, b, share of b among the neighbours of a) for classes that leak, the worst first."""
    names = leakage["classes"]
    pairs = [
        (names[a], names[b], share)
        for a, row in enumerate(leakage["matrix"])
        for b, share in enumerate(row or [])
        if a != b and share > 0
    ]
    return sorted(pairs, key=lambda pair: -pair[2])


def score_table(scores: dict[str, Any]) -> Table:
    """Return the histograms of the scores of one split."""
    edges = [f"{edge:.4g}" for edge in scores["edges"]]
    counts = zip(edges, edges[1:], scores["normal"], scores["anomalous"], strict=False)
    return Table(
        caption="Rows by their score; the first and the last line have those beyond them too.",
        head=["from", "to", "normal rows", "held-out rows"],
        rows=[[low, high, str(normal), str(held_out)] for low, high, normal, held_out in counts],
        foot=[],
    )


def option_table(options: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return every option of a check, its value, and where that was set."""
    return Table(
        caption="Options of the check, and where each was set.",
        head=["option", "value", "set by"],
        rows=[[name, _value(one["value"]), one["source"]] for name, one in options.items()],
        foot=[],
        figures=False,
    )


def _column(head: str, names: list[str], values: Mapping[str, Any], form: str) -> list[str]:
    cells = [_figure(values[name], form) if name in values else "" for name in names]
    return [head, *cells, *("" for _ in _RATES)]


def _aurocs(head: str, names: list[str], result: dict[str, Any]) -> list[str]:
    def cell(name: str) -> str:
        if name not in result["auroc"]:
            return ""
        low, high = result["interval"][name]
        doubt = "?" if is_unresolved(result, name) else ""
        return f"{result['auroc'][name]:.4f}{doubt} ({low:.3f}\N{EN DASH}{high:.3f})"

    rates = [format(result[name], form) for name, form in _RATES]
    return [head, *map(cell, names), *rates]


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _value(value: Any) -> str:
    told: dict[Any, Callable[[], str]] = {
        type(None): lambda: "none",
        bool: lambda: "yes" if value else "no",
        list: lambda: ", ".join(map(str, value)) or "none",
        float: lambda: f"{value:g}",
    }
    return told.get(type(value), lambda: str(value))()
