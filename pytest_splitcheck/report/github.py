"""The records of a run for GitHub Actions: a table for the step's summary, and annotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pytest_splitcheck.report.baseline import REFUSED
from pytest_splitcheck.report.record import at_each_k, estimate, title
from pytest_splitcheck.report.terminal import reason, titles
from pytest_splitcheck.report.text import escape
from pytest_splitcheck.report.unmeasured import NOT_MEASURED, error_title, told_of

__all__ = ["commands", "step_summary"]

_FIGURES = ("m", "K", "k", "L_k", "chance", "inv", "rnd", "dir")
_HEAD = ("benchmark", *_FIGURES, "verdict", "reasons")
_MARKUP: Final = re.compile(r"[^\w ,;.=>+()-]|_|(?<!\d)\.")


def step_summary(records: Sequence[dict[str, Any]], errors: Sequence[dict[str, Any]] = ()) -> str:
    """Return the table in GitHub's Markdown; "" where there is nothing to tell.

    It has a line for each benchmark and k, and one for each that could not be measured.
    """
    if not records and not errors:
        return ""
    lines = [
        "### splitcheck",
        "",
        _line(_HEAD),
        _line(["---", *["--:"] * len(_FIGURES), "---", "---"]),
    ]
    for record, name in zip(records, titles(records), strict=True):
        verdict = record["verdict"]
        for report in at_each_k(record["report"]):
            first = report is record["report"]
            status = verdict["status"] if first else verdict["by_k"][str(report["k"])]
            reasons = "; ".join(finding["message"] for finding in verdict["findings"])
            lines.append(
                _line(
                    [
                        _markdown(name),
                        *_figures(report),
                        status if status == "well posed" else f"**{status}**",
                        _markdown(reasons if first else ""),
                    ]
                )
            )
    for error in errors:
        figures = ["-"] * len(_FIGURES)
        reason = _markdown(str(error["message"]))
        lines.append(
            _line([_markdown(error_title(error)), *figures, f"**{NOT_MEASURED}**", reason])
        )
    return "\n".join(lines) + "\n\n"


def commands(
    entries: Iterable[tuple[dict[str, Any], bool]],
    places: Mapping[str, tuple[str, int]],
    errors: Iterable[tuple[dict[str, Any], bool]] = (),
) -> list[str]:
    """Return a workflow command for each reason why a test failed, each once.

    An undecided reason that fails no test by itself is a warning, also where the test goes on with one.

    Parameters
    ----------
    entries : iterable of (dict, bool)
        Each record, and whether its test failed. Of tests that did not, as those that are expected to
        fail, nothing is said.
    places : mapping of str to (str, int)
        File and line of each test, by its id. A limit that the file itself sets has its own line.
    errors : iterable of (dict, bool), optional
        What could not be measured, and whether its test failed.
    """
    told: dict[str, None] = {}
    for entry, failed in sorted(entries, key=lambda pair: str(pair[0]["nodeid"])):
        policy = entry["options"]["undecided"]["value"]
        for finding in entry["verdict"]["findings"]:
            undecided = finding["status"] == "undecided"
            warned = policy == "warn" and undecided and entry["verdict"]["status"] != "ill posed"
            if not failed and not warned:
                continue
            file, line = places.get(entry["nodeid"], ("", 0))
            line = (entry["declared"] or {"lines": {}})["lines"].get(finding["limit"], line)
            source = f" (set by {finding['source']})" if finding["source"] else ""
            message = f"{title(entry)}: {finding['message']}{source}"
            # What the baseline refuses fails its test whatever the policy is.
            fails = failed and (not undecided or policy == "fail" or finding["kind"] == REFUSED)
            head = f"{entry['verdict']['status']}: {reason(finding)}"
            told[_command("error" if fails else "warning", file, line, head, message)] = None
    for error, failed in sorted(errors, key=lambda pair: str(pair[0]["nodeid"])):
        if failed:
            file, line = places.get(error["nodeid"], ("", 0))
            told[_command("error", file, line, NOT_MEASURED, told_of(error))] = None
    return list(told)


def _command(level: str, file: str, line: int, head: str, message: str) -> str:
    given = {"file": file, "line": str(line)} if file else {}
    place = ",".join(f"{name}={_property(text)}" for name, text in {**given, "title": head}.items())
    return f"::{level} {place}::{_data(message)}"


def _figures(report: dict[str, Any]) -> list[str]:
    leakage, rates = report["leakage"], report["instability"] or report["geometry"]
    return [
        str(report["m"]),
        str(len(report["classes"])),
        str(report["k"]),
        estimate(leakage, ".3f"),
        f"{leakage['chance']:.3f}",
        *(f"{rates[name]:.2f}" if rates else "-" for name in ("rho_inv", "rho_rnd", "rho_dir")),
    ]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(text: str) -> str:
    """Return text as it is in Markdown: what may be markup, or a link, as a character reference."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", escape(text))


def _data(text: str) -> str:
    return escape(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
