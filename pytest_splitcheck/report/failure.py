"""The message of a failed check: the whole verdict in its first line, the reasons below."""

from __future__ import annotations

import math
from typing import Any

from pytest_splitcheck.report.advice import way_out
from pytest_splitcheck.report.integrity import integrity_notes
from pytest_splitcheck.report.record import at_each_k, title
from pytest_splitcheck.report.several_k import further_leakage, statuses
from pytest_splitcheck.report.text import cells, escape, fit, some, wrap
from pytest_splitcheck.report.uncertainty import by_seed, unresolved

__all__ = ["context", "estimates", "failure_message", "notes", "small_classes"]


def failure_message(entry: dict[str, Any], width: int) -> str:
    """Return the message for a record that did not pass, in lines of `width` cells at most.

    The first line, which pytest cuts where it sums up, begins with what makes the verdict. It is not wrapped,
    nor is what is to be pasted.
    """
    report, verdict = entry["report"], entry["verdict"]
    findings = verdict["findings"]
    gravest = sorted(findings, key=lambda finding: finding["status"] != verdict["status"])
    head = f"{verdict['status']}: {escape(title(entry))}: " + ", ".join(
        escape(finding["message"]) for finding in gravest
    )
    lines = [head, ""]
    table = [f for f in findings if f["limit"]]
    if table:
        lines += _table(table, width)
    for finding in findings:
        if finding not in table:
            # The head has its message already.
            told = finding["remedy"] or finding["message"]
            lines += wrap(f"{finding['kind']}: {escape(told)}", width, "    ")
            lines += _classes(finding, width)
    lines += ["", *wrap(context(report), width)]
    for note in notes(report, verdict):
        lines += wrap(note, width)
    if entry["advice"] is not None:
        lines += ["", *way_out(entry, width)]
    return "\n".join(line.rstrip() for line in lines)


def notes(report: dict[str, Any], verdict: dict[str, Any]) -> list[str]:
    """Return what is to be known beside the reasons of a verdict, a note for each."""
    told = statuses(verdict)
    found = [f"The verdict depends on k: {told}."] if told else []
    found += [*estimates(report), *unresolved(report), *by_seed(report)]
    found += [f"{escape(note)}." for note in verdict["notes"]]
    return [*found, *small_classes(report), *integrity_notes(report, verdict)]


def _table(findings: list[dict[str, Any]], width: int) -> list[str]:
    """Return each limit that is exceeded, what was measured, where it was set, and the classes."""
    rows = [("limit", "measured", "set by")]
    rows += [(f["limit"], escape(f["message"]), f["source"]) for f in findings]
    widths = [max(cells(row[column]) for row in rows) for column in range(3)]
    if sum(widths) + 4 > width:  # too narrow for a table
        lines = []
        for (limit, measured, source), finding in zip(rows[1:], findings, strict=True):
            lines += wrap(f"{limit}: {measured}", width, "    ")
            lines += wrap(f"    set by {source}", width, " " * 6)
            lines += _classes(finding, width) + _remedy(finding, width)
        return lines
    table = ["  ".join(map(fit, row, widths)) for row in rows]
    lines = table[:1]
    for line, finding in zip(table[1:], findings, strict=True):
        lines += [line, *_classes(finding, width), *_remedy(finding, width)]
    return lines


def small_classes(report: dict[str, Any]) -> list[str]:
    """Return a note for the classes that are too small for L_k(c) = 0."""
    leakage = report["leakage"]
    small = {name: floor for name, floor in leakage["floor"].items() if floor > 0}
    if not small:
        return []
    told = [
        f"{escape(name)} ({report['counts'][name]} rows, at least {floor:.2f})"
        for name, floor in small.items()
    ]
    return [
        f"Classes of k = {leakage['k']} rows or fewer have neighbours of other classes whatever "
        f"their geometry: {some(told)}."
    ]


def estimates(report: dict[str, Any]) -> list[str]:
    """Return what figures rest on that are not exact: a sample of the rows, or approximate neighbours."""
    told = [[*_sampled(one["leakage"]), *_approximated(one)] for one in at_each_k(report)]
    return list(dict.fromkeys(note for some in told for note in some))


def _sampled(leakage: dict[str, Any]) -> list[str]:
    if leakage["alpha"] is None:
        return []
    low, high = leakage["interval"]
    return [
        f"L_{leakage['k']} is estimated from {leakage['queries']:,} of {leakage['m']:,} rows drawn at "
        f"random: between {low:.3f} and {high:.3f}, wrong with probability {leakage['alpha']:g} at most."
    ]


def _approximated(report: dict[str, Any]) -> list[str]:
    """Return a note for leakage, and one for each detector, from approximate neighbours."""
    k, leakage = report["k"], report["leakage"]["approximation"]
    told = []
    if leakage is not None:
        value, error = report["leakage"]["value"], leakage["error"]
        told.append(f"L_{k} = {value:.4f} +- {error:.4f}: {_missed(leakage)}")
    told += [
        f"{escape(name)}: {_missed(result['approximation'])}"
        for name, result in report["detectors"].items()
        if result["approximation"] is not None
    ]
    return [f"Approximate neighbours, {one}." for one in told]


def _missed(approximation: dict[str, Any]) -> str:
    # Rounded down, so that 1.0000 means that nothing was missed.
    recall = math.floor(approximation["recall"] * 10_000) / 10_000
    return (
        f"recall {recall:.4f} ({approximation['sample']} rows checked), "
        f"{approximation['repaired']} rows repaired"
    )


def context(report: dict[str, Any]) -> str:
    """Return what was measured of what: sizes, chance, and how detectors were fitted."""
    leakage = report["leakage"]
    parts = [
        f"m = {report['m']} rows, K = {len(report['classes'])} classes, k = {report['k']}",
        f"L_{leakage['k']} by chance {leakage['chance']:.4f}",
    ]
    if report["other_k"]:
        parts.append(further_leakage(report))
    if report["detectors"]:
        names = [f"{name}{_seeds(len(one['seeds']))}" for name, one in report["detectors"].items()]
        parts.append(f"detectors {escape(', '.join(names))}")
        parts.append(
            f"cross-fitted over {report['folds']} folds"
            if report["folds"]
            else f"fitted on {report['n_train']} training rows"
        )
    return "; ".join(parts) + "."


def _seeds(n: int) -> str:
    return f" ({n} seed{'s' if n > 1 else ''})" if n else ""


def _classes(finding: dict[str, Any], width: int) -> list[str]:
    if not finding["details"]:
        return []
    told = some([escape(one) for one in finding["details"]])
    figure = f" ({escape(finding['figure'])})" if finding["figure"] else ""
    lines = wrap(f"    classes{figure}: {told}", width, " " * 6)
    faults = [f"{escape(who)}: {some([*map(escape, names)])}" for who, names in finding["fault"]]
    if faults:
        told = "; ".join(faults)
        where = "below the limit" if finding["limit"] == "min_auroc" else "inverted or near random"
        lines += wrap(f"    fault ({where}): {told}", width, " " * 6)
    return lines


def _remedy(finding: dict[str, Any], width: int) -> list[str]:
    remedy = finding["remedy"]
    return wrap(f"    {escape(remedy)}", width, " " * 6) if remedy else []
