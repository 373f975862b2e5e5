"""How pytest shows the message of a failed check."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_splitcheck.errors import InputError

__all__ = ["show_message"]


def show_message(
    report: pytest.TestReport,
    excinfo: pytest.ExceptionInfo[BaseException],
    item: pytest.Item,
    *,
    alone: bool,
) -> None:
    """Have the report of a test show an error of ours, which is the user's to mend.

    Parameters
    ----------
    report : pytest.TestReport
    excinfo : pytest.ExceptionInfo
    item : pytest.Item
    alone : bool
        No line of the author's led to it: the message is all there is to show, and its place the test.
    """
    if alone:
        shown: Any = excinfo.getrepr(style="value")
        if shown.reprcrash is not None:
            shown.reprcrash.path = str(item.path)
            shown.reprcrash.lineno = (item.location[1] or 0) + 1
        report.longrepr = shown
    if item.config.getoption("tbstyle") == "line":
        _to_its_first_line(report.longrepr)
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        # What the line of the short summary ends in, as far as there is room: a verdict says what it is
        # without the name of its class.
        kind = f"{excinfo.typename}: " if excinfo.errisinstance(InputError) else ""
        crash.message = f"{kind}{excinfo.value}"


def _to_its_first_line(shown: Any) -> None:
    """Cut what pytest 9 shows above the line that ``--tb=line`` asks for; pytest 8 shows that line alone."""
    for entry in getattr(getattr(shown, "reprtraceback", None), "reprentries", []):
        entry.lines = entry.lines[:1]
