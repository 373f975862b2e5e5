"""One table of all rows, for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.outcome import Figure, Line, Outcome
from benchmarks.stopwatch import Seconds

HEAD = ("row", "work", "ours", "peer", "it took", "figure", "wanted", "note")


def cells(rows: Mapping[str, Outcome], *, short: bool) -> list[tuple[str, ...]]:
    """Return the text of every cell, a line of the table at a time."""
    return [(name, *_line(line, short)) for name, outcome in rows.items() for line in outcome.lines]


def text(rows: Mapping[str, Outcome], *, short: bool) -> str:
    """Return the table in columns for a terminal, and what differs or was left out below it."""
    table = [HEAD, *cells(rows, short=short)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
    for word, what in (("SKIPPED", "skipped"), ("DIFFERS", "complaints")):
        lines += [
            f"{word}  {name}: {reason}"
            for name, outcome in rows.items()
            for reason in getattr(outcome, what)
        ]
    return "\n".join(lines)


def markdown(record: Mapping[str, Any]) -> str:
    """Return the table of a whole record, as it is written to JSON, in Markdown."""
    rows = {name: Outcome.from_dict(row) for name, row in record["rows"].items()}
    environment = record["environment"]
    versions = ", ".join(f"{name} {it}" for name, it in environment["versions"].items() if it)
    table = [HEAD, ["---"] * len(HEAD), *cells(rows, short=record["short"])]
    return "\n".join(
        [
            *map(_pipes, table),
            "",
            f"Wall seconds (CPU seconds), medians of up to three processes; x: the peer's wall seconds / "
            f"ours. {environment['cpu']}, {environment['cpus_usable']} CPUs; Python "
            f"{environment['python']}, {versions}.",
            *([] if not record["short"] else ["", "Short sizes: the times mean nothing."]),
            "",
        ]
    )


def _line(line: Line, short: bool) -> Sequence[str]:
    return (
        line.work,
        _seconds(line.ours),
        line.peer,
        _seconds(line.peer_took),
        _figure(line.figure),
        "" if short else _wanted(line.figure),  # which is of the full size
        line.note,
    )


def _pipes(row: Iterable[str]) -> str:
    return f"| {' | '.join(row)} |"


def _seconds(took: Seconds | None) -> str:
    return "" if took is None else f"{_short(took.wall)} ({_short(took.cpu)})"


def _figure(figure: Figure | None) -> str:
    return "" if figure is None else f"{_short(figure.value)} {figure.unit}"


def _wanted(figure: Figure | None) -> str:
    if figure is None or figure.wanted is None:
        return ""
    bound = "at least" if figure.at_least else "at most"
    return f"{bound} {figure.wanted:g}" + (", missed" if figure.missed else "")


def _short(value: float) -> str:
    """Return three digits, and no more of a large number than its whole part."""
    whole = isinstance(value, int) or abs(value) >= 100
    return f"{value:,.0f}" if whole else f"{value:#.3g}"
