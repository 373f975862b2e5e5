"""The splitcheck section of pytest's summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pytest_splitcheck.report.failure import estimates, small_classes
from pytest_splitcheck.report.integrity import INTEGRITY, integrity_notes
from pytest_splitcheck.report.record import at_each_k, estimate, title
from pytest_splitcheck.report.several_k import statuses
from pytest_splitcheck.report.text import cells, escape, fit, some, wrap
from pytest_splitcheck.report.uncertainty import by_seed, is_unresolved, unresolved

__all__ = ["Line", "distinct", "labels", "reason", "summary_lines", "titles"]

_COLOURS = {"well posed": "green", "ill posed": "red", "undecided": "yellow"}
_SEVERITY = ("well posed", "undecided", "ill posed")
_LEAST_NAME = 12
_FEW = 5
"""Classes that a name can list."""
_LONGEST_HEAD = 16
_RATES = (("mean", ".4f"), ("rho_inv", ".2f"), ("rho_rnd", ".2f"), ("rho_dir", ".2f"))


class Line(NamedTuple):
    """A line in two parts, the second of which has the colour."""

    text: str
    coloured: str = ""
    colour: str = ""


class _Column(NamedTuple):
    head: str
    values: list[str]

    @property
    def width(self) -> int:
        return max(min(_LONGEST_HEAD, cells(self.head)), *map(cells, self.values))

    def cell(self, row: int) -> str:
        return fit(self.values[row], self.width, "right")


def distinct(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one record per measured benchmark, in order of name, with the most severe verdict.

    Of several verdicts as severe it is that of the first test by its id, so that neither the records nor
    their order depend on which worker was the quicker.
    """
    kept: dict[str, dict[str, Any]] = {}
    for entry in sorted(entries, key=lambda entry: str(entry.get("nodeid", ""))):
        key = _identity(entry)
        worst = kept.get(key)
        if worst is None or _rank(entry) > _rank(worst):
            kept[key] = entry
    return sorted(kept.values(), key=_place)


def _identity(entry: dict[str, Any]) -> str:
    """Return what is equal for records of one benchmark, whether or not its columns were declared with names."""
    report = entry["report"]
    one = report["integrity"]["dominance"]
    integrity = {**report["integrity"], "dominance": one and {**one, "feature": None}}
    return repr((entry["name"], {**report, "integrity": integrity}))


def _place(entry: dict[str, Any]) -> tuple[Any, ...]:
    report = entry["report"]
    return title(entry), report["k"], list(report["detectors"]), report["fingerprint"]


def summary_lines(entries: Sequence[dict[str, Any]], width: int, *, detail: bool) -> list[Line]:
    """Return the section for `entries`: a table with a line each and, with `detail`, their classes.

    Below that of a benchmark measured at several k is a line for each but the first.

    A leakage from a sample or from approximate neighbours has "~" before it. A note below the table tells
    what it rests on, and the figures of detectors that read approximate neighbours.

    No line is wider than `width` cells, except where `width` cannot hold the numbers alone.
    """
    names = titles(entries)
    rows = [
        (name, entry, report)
        for name, entry in zip(names, entries, strict=True)
        for report in at_each_k(entry["report"])
    ]
    columns = _overview([report for _, _, report in rows])
    longest = max(cells(name) for name in [*names, "benchmark"])
    room = width - max(map(len, _SEVERITY))
    for gap in ("  ", " "):
        head = gap.join(fit(c.head, c.width, "right") for c in columns) + "  "
        stacked = longest + 2 + cells(head) > room
        if not stacked:
            break
    lines = [Line(head + "verdict" if stacked else f"{fit('benchmark', longest)}  {head}verdict")]
    for row, (name, entry, report) in enumerate(rows):
        figures = gap.join(column.cell(row) for column in columns) + "  "
        first = report is entry["report"]
        if not stacked:
            figures = fit(name if first else "", longest) + "  " + figures
        elif first:
            lines.append(Line(fit(name, min(width, cells(name)))))
        if not first:
            lines.append(Line(figures + entry["verdict"]["by_k"][str(report["k"])]))
            continue
        status = entry["verdict"]["status"]
        reasons = ", ".join(dict.fromkeys(map(reason, entry["verdict"]["findings"])))
        told = f"{status} ({reasons})" if reasons else status
        if cells(figures) + cells(told) > width:
            told = status
        lines.append(Line(figures, told, _COLOURS[status]))
    for name, entry in zip(names, entries, strict=True):
        for note in estimates(entry["report"]):
            lines += [Line(part) for part in wrap(f"~ {name}: {note}", width, "  ")]
        notes = [escape(note) for note in entry["verdict"]["notes"]]
        if told := statuses(entry["verdict"]):
            notes.append(f"the verdict depends on k: {told}")
        for note in notes:
            lines += [Line(part) for part in wrap(f"{name}: {note}", width, "  ")]
    if detail:
        for name, entry in zip(names, entries, strict=True):
            lines += [Line(""), *_detail(name, entry, width)]
    return lines


def titles(entries: Sequence[dict[str, Any]]) -> list[str]:
    """Return what the benchmarks are called; where some are called the same, with what tells them apart."""
    labelled = zip(entries, labels(entries), strict=True)
    return [escape(f"{title(entry)} {label}".rstrip()) for entry, label in labelled]


def labels(entries: Sequence[dict[str, Any]]) -> list[str]:
    """Return what tells benchmarks apart that are called the same, in brackets; "" for the others."""
    names = [title(entry) for entry in entries]
    shown = []
    for name, entry in zip(names, entries, strict=True):
        alike = [other for other, called in zip(entries, names, strict=True) if called == name]
        telling = [tag for tag in _TAGS if len({tag(other) for other in alike}) > 1]
        tags = [tag(entry) for tag in telling]
        if sum([tag(other) for tag in telling] == tags for other in alike) > 1 and _test(entry):
            tags.append(_test(entry))
        shown.append(f"[{'; '.join(tags)}]" if tags else "")
    return shown


def _detectors(entry: dict[str, Any]) -> str:
    return ", ".join(entry["report"]["detectors"]) or "no detectors"


def _classes(entry: dict[str, Any]) -> str:
    report = entry["report"]
    names = report["classes"]
    return f"K = {len(names)}: {some(names)}" if len(names) < _FEW else f"K = {len(names)}"


def _neighbours(entry: dict[str, Any]) -> str:
    return f"k = {', '.join(str(one['k']) for one in at_each_k(entry['report']))}"


def _test(entry: dict[str, Any]) -> str:
    return str(entry.get("nodeid", "")).rpartition("::")[2]


_TAGS = (_detectors, _classes, _neighbours)
"""What can tell two checks of the same name apart."""


def reason(finding: dict[str, Any]) -> str:
    """Return a finding in a word: the limit, or what it is."""
    kind = str(finding["kind"])
    return kind if kind in INTEGRITY else finding["limit"] or kind


def _rank(entry: dict[str, Any]) -> int:
    return _SEVERITY.index(entry["verdict"]["status"])


def _overview(reports: Sequence[dict[str, Any]]) -> list[_Column]:
    def rate(name: str) -> list[str]:
        rates = [report["instability"] or report["geometry"] for report in reports]
        return ["-" if one is None else f"{one[name]:.2f}" for one in rates]

    return [
        _Column("m", [str(report["m"]) for report in reports]),
        _Column("K", [str(len(report["classes"])) for report in reports]),
        _Column("k", [str(report["k"]) for report in reports]),
        _Column("L_k", [estimate(report["leakage"], ".3f") for report in reports]),
        _Column("chance", [f"{report['leakage']['chance']:.3f}" for report in reports]),
        _Column("inv", rate("rho_inv")),
        _Column("rnd", rate("rho_rnd")),
        _Column("dir", rate("rho_dir")),
    ]


def _detail(name: str, entry: dict[str, Any], width: int) -> list[Line]:
    report = entry["report"]
    leakages = [one["leakage"] for one in at_each_k(report)]
    fitted = "no detectors" + (", rates of geometry alone" if report["geometry"] else "")
    if report["detectors"]:
        fitted = (
            f"{report['folds']} folds" if report["folds"] else f"{report['n_train']} training rows"
        )
    told = [f"{name}: {report['m']} rows, {fitted}"]
    told += [
        f"  L_{leakage['k']} {estimate(leakage, '.6f')}, chance {leakage['chance']:.6f}, "
        f"ratio {leakage['ratio']:.4f}, mean over classes {_figure(leakage['macro'], '.6f')}"
        for leakage in leakages
    ]
    told += [
        f"  sd: of {escape(name)} over {len(one['seeds'])} seeds"
        for name, one in report["detectors"].items()
        if one["seeds"]
    ]
    told += [f"  ? {note}" for note in [*unresolved(report), *by_seed(report)]]
    notes = [*small_classes(report), *integrity_notes(report, entry["verdict"])]
    told += [f"  {note}" for note in notes]
    lines = [Line(part) for text in told for part in wrap(text, width, "    ")]
    rows = list(dict.fromkeys([*report["classes"], *report["positives"]]))
    names = _Column("class", [escape(name) for name in rows] + [name for name, _ in _RATES])
    columns = [
        _Column("rows", _cells(rows, report["counts"], "d")),
        *(_Column(f"L_{one['k']}", _cells(rows, one["per_class"], ".4f")) for one in leakages),
        _Column("slots", _cells(rows, report["leakage"]["slot_share"], ".4f")),
    ]
    if report["geometry"]:
        columns.append(_Column("geo", _aurocs(rows, report["geometry"])))
    for name, result in report["detectors"].items():
        columns.append(_Column(escape(name), _aurocs(rows, result)))
        if result["seeds"]:
            columns.append(_Column("sd", _cells(rows, result["spread"], ".4f")))
    for k, one in report["other_k"].items():
        for name, result in one.get("detectors", {}).items():
            columns.append(_Column(f"{escape(name)} at {k}", _aurocs(rows, result)))
    has_rates = bool(report["detectors"] or report["geometry"])
    size = min(names.width, max(_LEAST_NAME, width // 3))
    for group in _fitting(columns, width - size - 2):
        lines.append(
            Line(
                "  "
                + "  ".join([fit("class", size), *(fit(c.head, c.width, "right") for c in group)])
            )
        )
        for row in range(len(rows) + (len(_RATES) if has_rates else 0)):
            figures = [column.cell(row) for column in group]
            if row >= len(rows) and not "".join(figures).strip():
                continue  # rates, beside columns that have none
            lines.append(
                Line(("  " + "  ".join([fit(names.values[row], size), *figures])).rstrip())
            )
    return lines


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _cells(rows: list[str], values: dict[str, Any], form: str) -> list[str]:
    return [_figure(values[name], form) if name in values else "" for name in rows] + [""] * len(
        _RATES
    )


def _aurocs(rows: list[str], result: dict[str, Any]) -> list[str]:
    told = [
        *_cells(rows, result["auroc"], ".4f")[: len(rows)],
        *(format(result[name], form) for name, form in _RATES),
    ]
    doubtful = [is_unresolved(result, name) for name in rows] + [False] * len(_RATES)
    if not any(doubtful):
        return told
    return [one + ("?" if doubt else " ") for one, doubt in zip(told, doubtful, strict=True)]


def _fitting(columns: list[_Column], width: int) -> list[list[_Column]]:
    """Deal columns out to tables that fit."""
    groups: list[list[_Column]] = [[]]
    used = 0
    for column in columns:
        used += column.width + 2
        if used > width and groups[-1]:
            groups.append([])
            used = column.width + 2
        groups[-1].append(column)
    return groups
