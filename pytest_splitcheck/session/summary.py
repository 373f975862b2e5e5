"""The records of a run, gathered from all workers, and their section in pytest's summary."""

from __future__ import annotations

import shutil
from typing import Any, Final

import pytest

__all__ = ["ENTRIES", "ERRORS", "Summary"]

ENTRIES: Final = "splitcheck_entries"
"""The attribute of a test's report that carries the records of its checks."""

ERRORS: Final = "splitcheck_errors"
"""That which carries its benchmarks that could not be measured."""


class Summary:
    """A plugin that collects the records of all tests and prints them in one section.

    Parameters
    ----------
    config : pytest.Config

    Attributes
    ----------
    entries : list of (dict, bool)
        Each record, and whether its test failed.
    errors : list of (dict, bool)
        The same for what could not be measured.
    ran : bool
        Whether it came to running tests, not only to listing them.
    broken : bool
        Whether some could not be collected, for which pytest runs none.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._continues = config.option.continue_on_collection_errors
        self.entries: list[tuple[dict[str, Any], bool]] = []
        self.errors: list[tuple[dict[str, Any], bool]] = []
        self.ran = self.broken = False
        self._notes: list[tuple[str, str, bool]] = []

    def tell(self, note: str, colour: str = "", *, quiet: bool = False) -> None:
        """Have `note` printed below the table, under ``-q`` too if it matters there (`quiet`)."""
        self._notes.append((note, colour, quiet))

    def records(self) -> list[dict[str, Any]]:
        """Return the records without repeats, in an order that the workers do not change."""
        from pytest_splitcheck.report.terminal import distinct

        return distinct(entry for entry, _ in self.entries)

    def unmeasured(self) -> list[dict[str, Any]]:
        """Return what could not be measured, in the same way."""
        if not self.errors:
            return []
        from pytest_splitcheck.report.unmeasured import distinct_errors

        return distinct_errors(error for error, _ in self.errors)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what could not be collected, by whichever worker."""
        if report.failed and not self._continues:
            self.broken = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Note that tests are run."""
        option = session.config.option
        self.ran = not (option.collectonly or getattr(option, "setuponly", False))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the records of a test; of one that is run again only those of its last run."""
        if report.outcome == "rerun":  # type: ignore[comparison-overlap]
            return
        for entry in getattr(report, ENTRIES, []):
            self.entries.append((entry, report.failed))
        for error in getattr(report, ERRORS, []):
            self.errors.append((error, report.failed))

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        """Print the section, if there is anything to say."""
        verbosity = config.get_verbosity("splitcheck")
        shown = [entry for entry, failed in self.entries if failed or verbosity >= 0]
        errors = [error for error, failed in self.errors if failed or verbosity >= 0]
        notes = [one for one in self._notes if one[-1] or verbosity >= 0]
        if not shown and not errors and not notes:
            return
        from pytest_splitcheck.report.terminal import Line, distinct, summary_lines
        from pytest_splitcheck.report.text import escape, wrap
        from pytest_splitcheck.report.unmeasured import error_lines

        terminalreporter.write_sep("=", "splitcheck")
        width = shutil.get_terminal_size().columns
        lines = summary_lines(distinct(shown), width, detail=verbosity > 0) if shown else []
        lines += error_lines(errors, width)
        for note, colour, _ in notes:
            lines += [Line("", part, colour) for part in wrap(escape(note), width, "  ")]
        for line in lines:
            terminalreporter.write(line.text)
            terminalreporter.line(line.coloured, **{line.colour: True} if line.colour else {})
