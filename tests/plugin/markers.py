"""What the tests of the marker share."""

from __future__ import annotations

import re
import textwrap

import pytest

PRECONDITION = """
import pathlib
import pytest

@pytest.mark.splitcheck({arguments})
def test_method():
    pathlib.Path("ran").touch()
"""


def ran(suite: pytest.Pytester) -> bool:
    """Whether the body of the test of `PRECONDITION` was run."""
    return (suite.path / "ran").exists()


def add_to_conftest(suite: pytest.Pytester, code: str) -> None:
    path = suite.path / "conftest.py"
    path.write_text(path.read_text() + textwrap.dedent(code))


def sources(result: pytest.RunResult) -> list[str]:
    """Where the limits of the failures were set, in order."""
    return re.findall(r"^(?:E +)?max_\w+  .+ > \S+  (.+)$", result.stdout.str(), re.MULTILINE)
