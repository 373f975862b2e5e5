"""The page: every benchmark of a run in one file that needs no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pytest_splitcheck.report.advice import ways
from pytest_splitcheck.report.failure import context, notes
from pytest_splitcheck.report.html.figures import figures
from pytest_splitcheck.report.html.tables import class_table, option_table
from pytest_splitcheck.report.record import at_each_k, estimate
from pytest_splitcheck.report.terminal import labels, reason, titles
from pytest_splitcheck.report.text import escape
from pytest_splitcheck.report.unmeasured import NOT_MEASURED, error_title

__all__ = ["page"]

_STATUSES: Final = {
    "ill posed": "bad",
    "undecided": "open",
    "well posed": "good",
    NOT_MEASURED: "none",
}
"""Verdicts, the most severe first, and the class that gives each its colour."""


def page(
    entries: Sequence[dict[str, Any]],
    provenance: Mapping[str, str],
    errors: Sequence[dict[str, Any]] = (),
) -> str:
    """Return the HTML page.

    Parameters
    ----------
    entries : sequence of dict
        The records, distinct and in order, with "nodeid", "options" and "pictures".
    provenance : mapping of str to str
        Versions by name.
    errors : sequence of dict, optional
        What could not be measured, distinct and in order.

    Returns
    -------
    str
        The same for the same records.
    """
    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_spelled,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    loader: Any = environment.loader
    style = loader.get_source(environment, "style.css")[0]
    called = zip(entries, titles(entries), labels(entries), strict=True)
    return environment.get_template("page.html.j2").render(
        benchmarks=[
            {**_benchmark(entry, f"benchmark-{number}"), "title": name, "label": label}
            for number, (entry, name, label) in enumerate(called, 1)
        ],
        errors=[
            {**error, "title": error_title(error), "anchor": f"unmeasured-{number}"}
            for number, error in enumerate(errors, 1)
        ],
        told=_told(entries, errors),
        not_measured=NOT_MEASURED,
        look=_STATUSES,
        provenance=provenance,
        style=Markup(style),
    )


def _spelled(value: object) -> object:
    """Spell out control and format characters in whatever a template shows."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else escape(value)


def _told(entries: Sequence[dict[str, Any]], errors: Sequence[dict[str, Any]]) -> str:
    """Return the run in a clause: how many benchmarks have which verdict."""
    count = Counter(entry["verdict"]["status"] for entry in entries)
    count[NOT_MEASURED] = len(errors)
    return ", ".join(f"{count[status]} {status}" for status in _STATUSES if count[status])


def _benchmark(entry: dict[str, Any], anchor: str) -> dict[str, Any]:
    """Return what the template shows of a record."""
    report, verdict = entry["report"], entry["verdict"]
    rows = _overview(report, verdict)
    return {
        "anchor": anchor,
        "name": entry["name"],
        "representation": report["representation"],
        "status": verdict["status"],
        "reasons": list(dict.fromkeys(map(reason, verdict["findings"]))),
        "rows": rows,
        "alone": rows[0]["alone"],
        "estimated": any(row["leakage"].startswith("~") for row in rows),
        "findings": verdict["findings"],
        "context": context(report),
        "notes": notes(report, verdict),
        "figures": figures(entry, anchor),
        "classes": class_table(report),
        "thumbnails": (entry.get("pictures") or {}).get("thumbnails") or [],
        "ways": [] if entry["advice"] is None else ways(entry),
        "facts": _facts(entry),
        "options": option_table(entry["options"]),
    }


def _overview(report: dict[str, Any], verdict: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the line of a benchmark in the first table, and one for each further k."""
    lines = []
    for one in at_each_k(report):
        rates = one["instability"] or one["geometry"]
        figures = ("rho_inv", ".2f"), ("rho_rnd", ".2f"), ("variance", ".4f"), ("rho_dir", ".2f")
        lines.append(
            {
                "sizes": [one["m"], len(one["classes"]), one["k"]],
                "leakage": estimate(one["leakage"], ".4f"),
                "rates": [
                    "-" if rates is None else format(rates[key], form) for key, form in figures
                ],
                "alone": one["instability"] is None and rates is not None,
                "status": verdict["by_k"].get(str(one["k"]), verdict["status"]),
            }
        )
    return lines


def _facts(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what was measured of what, by name."""
    report = entry["report"]
    fitted = f"{report['folds']} folds" if report["folds"] else f"{report['n_train']:,} rows"
    facts = [
        ("checked by", entry["nodeid"]),
        ("evaluation set", f"{report['m']:,} rows of {report['n_features']:,} values"),
        ("training pool", fitted if report["detectors"] else "not needed"),
        ("distance", report["metric"]),
        ("epsilon", f"{report['epsilon']:g}"),
    ]
    detectors = [
        f"{name} (seeds {', '.join(map(str, result['seeds']))})" if result["seeds"] else name
        for name, result in report["detectors"].items()
    ]
    facts.append(("detectors", ", ".join(detectors) or "none"))
    return [*facts, ("data fingerprint", report["fingerprint"])]
