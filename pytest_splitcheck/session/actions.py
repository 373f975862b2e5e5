"""GitHub Actions: what its pages show of a run, from the controller alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_splitcheck.session.summary import Summary

__all__ = ["Actions"]


class Actions:
    """A plugin that appends a table to the step's summary and prints annotations.

    Parameters
    ----------
    config : pytest.Config
    summary : Summary
        Has the records, and is told if the table cannot be written.
    environment : mapping of str to str
        GITHUB_STEP_SUMMARY and GITHUB_WORKSPACE count.
    """

    def __init__(
        self, config: pytest.Config, summary: Summary, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._summary = summary
        self._root = config.rootpath
        self._workspace = environment.get("GITHUB_WORKSPACE") or str(config.rootpath)
        self._file = environment.get("GITHUB_STEP_SUMMARY")
        self._places: dict[str, tuple[str, int]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep where a test is, as seen from the repository."""
        file, line, _ = report.location
        path = os.path.relpath(self._root / file, self._workspace)
        self._places[report.nodeid] = (Path(path).as_posix(), (line or 0) + 1)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Append the table; that it cannot be written is told, no more."""
        if not self._file or not (self._summary.entries or self._summary.errors):
            return
        from pytest_splitcheck.report.github import step_summary

        table = step_summary(self._summary.records(), self._summary.unmeasured())
        try:
            with open(self._file, "a", encoding="utf-8", newline="\n") as file:
                file.write(table)
        except OSError as error:
            told = f"cannot write the step summary {self._file}: {error.strerror}"
            self._summary.tell(told, "yellow", quiet=True)

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the annotations, each on a line of its own, where GitHub finds them."""
        entries, errors = self._summary.entries, self._summary.errors
        if not entries and not errors:
            return
        from pytest_splitcheck.report.github import commands

        terminalreporter.ensure_newline()
        for command in commands(entries, self._places, errors):
            terminalreporter.line(command)
