"""Benchmarks that could not be measured: they have no figures, and are not left out of any report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pytest_splitcheck.report.terminal import Line
from pytest_splitcheck.report.text import escape, wrap

__all__ = ["NOT_MEASURED", "distinct_errors", "error_lines", "error_title", "told_of"]

NOT_MEASURED: Final = "not measured"
"""What stands where others have a verdict."""


def distinct_errors(errors: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one of those that say the same of the same benchmark, that of the first test, in order of name."""
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    for error in sorted(errors, key=lambda error: str(error["nodeid"])):
        kept.setdefault((error_title(error), error["message"]), error)
    return [kept[key] for key in sorted(kept)]


def error_title(error: dict[str, Any]) -> str:
    """Return how such a benchmark is called, with its representation in parentheses if that is known."""
    representation = error["representation"]
    return f"{error['name']} ({representation})" if representation else str(error["name"])


def told_of(error: dict[str, Any]) -> str:
    """Return the reason with the name of the benchmark before it, unless it begins with that."""
    message = str(error["message"])
    if message.startswith(error["name"]):
        return message
    return f"{error_title(error)}: {message}"


def error_lines(errors: Iterable[dict[str, Any]], width: int) -> list[Line]:
    """Return what the summary says of them: the first line of each reason, in lines of `width` cells."""
    lines = []
    for error in distinct_errors(errors):
        brief = {**error, "message": error["message"].partition("\n")[0]}
        text = f"{NOT_MEASURED}: {escape(told_of(brief))}"
        lines += [Line("", part, "red") for part in wrap(text, width, "  ")]
    return lines
