"""The records of a run as a table: a line for each class and detector."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pytest_splitcheck.report.record import at_each_k
from pytest_splitcheck.report.text import escape

__all__ = ["COLUMNS", "csv_file"]

COLUMNS: Final = (
    "benchmark",
    "representation",
    "m",
    "k",
    "verdict",
    "class",
    "rows",
    "leakage",
    "slot_share",
    "detector",
    "auroc",
    "low",
    "high",
    "sd",
    "direction",
    "resolved",
    "flips",
    "fault",
)
"""
benchmark, representation, m, k, verdict
    As in the summary; the verdict at this k.
class : str
    A class, or a group that is held out together.
rows : int
    Rows of the class.
leakage, slot_share : float
    L_k(c) and the share of all neighbour slots that the class fills; empty for a group.
detector : str
    ``geometry`` for geometry alone; empty where the class was held out for neither.
auroc, low, high, sd : float
    AUC(c), the ends of its 95 % interval, and its standard deviation over seeds.
direction, resolved : -1, 0 or 1
    d(c); what is resolved of it, empty if nothing is.
flips : float
    Share of the seeds on the other side of 1/2 than their mean.
fault : "geometry", "detector" or "open"
    Where a detector inverts the class or puts it near random.
"""

_FORMULA: Final = re.compile(r"[=+\-@＝＋－＠']")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?(e[+-]?[0-9]+)?", re.IGNORECASE)


def csv_file(records: Iterable[dict[str, Any]]) -> str:
    """Return the content of the file: comma-separated, a line for each class and detector.

    Numbers have all their digits; what is not known is empty. In text, control and format characters are
    spelled out, and what a spreadsheet could take for a formula has an apostrophe before it: text, but for
    plain numbers, that begins with ``=``, ``+``, ``-``, ``@`` or an apostrophe. To have the text as it was,
    take one apostrophe off where there is one.
    """
    told = io.StringIO()
    lines = csv.writer(told, lineterminator="\n")
    lines.writerow(COLUMNS)
    for record in records:
        status = record["verdict"]["by_k"]
        for report in at_each_k(record["report"]):
            head = [
                _text(record["name"]),
                _text(report["representation"] or ""),
                report["m"],
                report["k"],
                status.get(str(report["k"]), record["verdict"]["status"]),
            ]
            for line in _lines(report):
                lines.writerow([*head, *line])
    return told.getvalue()


def _lines(report: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield the columns from ``class`` on, class by class."""
    leakage = report["leakage"]
    results: dict[str, dict[str, Any]] = dict(report["detectors"])
    if report["geometry"]:
        results["geometry"] = report["geometry"]
    sizes = {**report["positives"], **report["counts"]}
    for name in dict.fromkeys([*report["classes"], *report["positives"]]):
        head = [
            _text(name),
            sizes[name],
            leakage["per_class"].get(name),
            leakage["slot_share"].get(name),
        ]
        scored = [(who, one) for who, one in results.items() if name in one["auroc"]]
        for who, one in scored:
            faults = {} if one is report["geometry"] else report["attribution"].get(who, {})
            yield [*head, _text(who), *_scored(one, name), faults.get(name)]
        if not scored:
            yield [*head, *_EMPTY]


_EMPTY: Final[Sequence[None]] = [None] * (len(COLUMNS) - COLUMNS.index("detector"))


def _scored(result: dict[str, Any], name: str) -> list[Any]:
    low, high = result["interval"][name]
    figures = [result[figure][name] for figure in ("direction", "resolved", "flips")]
    return [result["auroc"][name], low, high, result["spread"][name], *figures]


def _text(text: str) -> str:
    shown = escape(text)
    harmless = not _FORMULA.match(shown) or _NUMBER.fullmatch(shown)
    return shown if harmless else f"'{shown}"
