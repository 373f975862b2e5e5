"""Figures as properties of tests, which pytest writes to its JUnit file."""

from __future__ import annotations

from typing import Any

import pytest

__all__ = ["add_properties"]

_PROPERTIES = pytest.StashKey[list[tuple[str, object]]]()


def add_properties(
    item: pytest.Item, report: pytest.TestReport, entries: list[dict[str, Any]]
) -> None:
    """Put the figures of the records of a test on its report, and on the later ones of the same run of it.

    The test itself keeps none, so that one which is run again has those of the last time only.
    """
    if report.when == "setup":
        item.stash[_PROPERTIES] = []
    told = item.stash.setdefault(_PROPERTIES, [])
    if entries:
        from pytest_splitcheck.report.properties import properties

        told += properties(entries)
    report.user_properties += told
