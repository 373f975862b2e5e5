"""The records of a run for GitHub Actions: a table for the step's summary, and annotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pytest_splitcheck.report.record import at_each_k, estimate, title
from pytest_splitcheck.report.terminal import reason
from pytest_splitcheck.report.text import escape

__all__ = ["commands", "step_summary"]

_HEAD = ("benchmark", "m", "K", "k", "L_k", "chance", "rnd", "inv", "dir", "verdict", "reasons")
_MARKUP: Final = re.compile(r"[^\w ,;.=>+()-]|_|(?<!\d)\.")


def step_summary(records: Sequence[dict[str, Any]]) -> str:
    """Return the table in GitHub's Markdown, a line for each benchmark and k; "" without records."""
    if not records:
        return ""
    lines = ["### splitcheck", "", _line(_HEAD), _line(["---", *["--:"] * 8, "---", "---"])]
    for record in records:
        verdict = record["verdict"]
        for report in at_each_k(record["report"]):
            first = report is record["report"]
            status = verdict["status"] if first else verdict["by_k"][str(report["k"])]
            reasons = "; ".join(finding["message"] for finding in verdict["findings"])
            lines.append(
                _line(
                    [
                        _markdown(title(record)),
                        *_figures(report),
                        status if status == "well posed" else f"**{status}**",
                        _markdown(reasons if first else ""),
                    ]
                )
            )
    return "\n".join(lines) + "\n\n"


def commands(
    entries: Iterable[tuple[dict[str, Any], bool]], places: Mapping[str, tuple[str, int]]
) -> list[str]:
    """Return a workflow command for each reason why a test failed, each once.

    An undecided reason is a warning, also where the test goes on with one.

    Parameters
    ----------
    entries : iterable of (dict, bool)
        Each record, and whether its test failed. Of tests that did not, as those that are expected to
        fail, nothing is said.
    places : mapping of str to (str, int)
        File and line of each test, by its id. A limit that the file itself sets has its own line.
    """
    told: dict[str, None] = {}
    for entry, failed in sorted(entries, key=lambda pair: str(pair[0]["nodeid"])):
        warns = entry["options"]["undecided"]["value"] == "warn"
        for finding in entry["verdict"]["findings"]:
            undecided = finding["status"] == "undecided"
            if not failed and not (
                warns and undecided and entry["verdict"]["status"] != "ill posed"
            ):
                continue
            given = {"title": f"{entry['verdict']['status']}: {reason(finding)}"}
            if entry["nodeid"] in places:
                file, line = places[entry["nodeid"]]
                line = (entry["declared"] or {"lines": {}})["lines"].get(finding["limit"], line)
                given = {"file": file, "line": str(line), **given}
            place = ",".join(f"{name}={_property(value)}" for name, value in given.items())
            source = f" (set by {finding['source']})" if finding["source"] else ""
            message = f"{title(entry)}: {finding['message']}{source}"
            level = "warning" if undecided else "error"
            told[f"::{level} {place}::{_data(message)}"] = None
    return list(told)


def _figures(report: dict[str, Any]) -> list[str]:
    leakage, rates = report["leakage"], report["instability"] or report["geometry"]
    return [
        str(report["m"]),
        str(len(report["classes"])),
        str(report["k"]),
        estimate(leakage, ".3f"),
        f"{leakage['chance']:.3f}",
        *(f"{rates[name]:.2f}" if rates else "-" for name in ("rho_rnd", "rho_inv", "rho_dir")),
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
