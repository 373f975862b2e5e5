"""The records of a run, gathered from all workers, and their section in pytest's summary."""

from __future__ import annotations

import shutil
from typing import Any, Final

import pytest

__all__ = ["ENTRIES", "Summary"]

ENTRIES: Final = "splitcheck_entries"
"""The attribute of a test's report that carries the records of its checks."""


class Summary:
    """A plugin that collects the records of all tests and prints them in one section.

    Attributes
    ----------
    entries : list of (dict, bool)
        Each record, and whether its test failed.
    ran : bool
        Whether all tests could be collected, and are run, not only listed.
    broken : bool
        Whether some could not be collected, so that none is run.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[dict[str, Any], bool]] = []
        self.ran = self.broken = False
        self._notes: list[tuple[str, str, bool]] = []

    def tell(self, note: str, colour: str = "", *, quiet: bool = False) -> None:
        """Have `note` printed below the table, under ``-q`` too if it matters there (`quiet`)."""
        self._notes.append((note, colour, quiet))

    def records(self) -> list[dict[str, Any]]:
        """Return the records without repeats, in an order that the workers do not change."""
        from pytest_splitcheck.report.terminal import distinct

        return distinct(entry for entry, _ in self.entries)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Note what becomes of the tests."""
        option = session.config.option
        listed = option.collectonly or getattr(option, "setuponly", False)
        damaged = session.testsfailed > 0 and not option.continue_on_collection_errors
        self.broken = damaged and not listed
        self.ran = not damaged and not listed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the records of a test."""
        for entry in getattr(report, ENTRIES, []):
            self.entries.append((entry, report.failed))

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        """Print the section, if there is anything to say."""
        verbosity = config.get_verbosity("splitcheck")
        shown = [entry for entry, failed in self.entries if failed or verbosity >= 0]
        notes = [one for one in self._notes if one[-1] or verbosity >= 0]
        if not shown and not notes:
            return
        from pytest_splitcheck.report.terminal import Line, distinct, summary_lines
        from pytest_splitcheck.report.text import escape, wrap

        terminalreporter.write_sep("=", "splitcheck")
        width = shutil.get_terminal_size().columns
        lines = summary_lines(distinct(shown), width, detail=verbosity > 0) if shown else []
        for note, colour, _ in notes:
            lines += [Line("", part, colour) for part in wrap(escape(note), width, "  ")]
        for line in lines:
            terminalreporter.write(line.text)
            terminalreporter.line(line.coloured, **{line.colour: True} if line.colour else {})
