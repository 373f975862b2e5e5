"""What the tests of the summary share."""

from __future__ import annotations

import re

import pytest

HEAD = ["benchmark", "m", "K", "k", "L_k", "chance", "inv", "rnd", "dir", "verdict"]

TESTS = """
import pytest
from pytest_splitcheck import IllPosedSplit

def test_well(splitcheck, blocks):
    splitcheck(blocks)

def test_detector(splitcheck, thirds, coordinate):
    splitcheck(thirds, max_rho_dir=1.0, detectors=coordinate)
"""


def section(result: pytest.RunResult) -> list[str]:
    """The lines of the splitcheck section."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in result.outlines]
    heads = [at for at, line in enumerate(lines) if re.fullmatch(r"=+ splitcheck =+", line)]
    assert len(heads) <= 1
    if not heads:
        return []
    rest = lines[heads[0] + 1 :]
    end = next(at for at, line in enumerate(rest) if re.match("===| ?[0-9]+ (passed|failed)", line))
    return rest[:end]


def table(result: pytest.RunResult) -> list[list[str]]:
    """The cells of the table at the top of the section, without its head."""
    rows = [re.split(" {2,}", line) for line in section(result) if line]
    if rows:
        assert rows[0] == HEAD
    return rows[1:]
