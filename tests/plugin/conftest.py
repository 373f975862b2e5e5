"""A small repository as an author of benchmarks has it, for the tests that run pytest in pytest."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

# A run in this process drops the modules that it imported, and numpy cannot be imported twice.
import sklearn.ensemble  # noqa: F401

import pytest_splitcheck
from pytest_splitcheck.gate import Gate, Passage
from pytest_splitcheck.verdict.thresholds import LIMITS, THRESHOLDS

BENCHMARKS = """
import pytest
from pytest_splitcheck import ClassSplit


def on_a_line(labels, **options):
    return ClassSplit([[float(i)] for i in range(len(labels))], list(labels), folds=2, **options)


class Coordinate:
    # The score is the coordinate: of three classes the left is inverted, the middle one random.

    def fit(self, X):
        return self

    def score(self, X):
        return X[:, 0]


@pytest.fixture(scope="session")
def blocks():
    return on_a_line("a" * 25 + "b" * 25)


@pytest.fixture(scope="session")
def mixed():
    return on_a_line("ab" * 25)


@pytest.fixture(scope="session")
def thirds():
    return on_a_line("a" * 25 + "b" * 25 + "c" * 25)


@pytest.fixture(scope="session")
def scarce():
    return on_a_line("a" * 15 + "b" * 25)


@pytest.fixture
def coordinate():
    return {"coordinate": Coordinate()}


class Counting:
    # A representation that leaves a byte in a file each time it is fitted.

    def fit(self, X):
        with open("fits", "a") as file:
            file.write(".")

    def transform(self, X):
        return X


@pytest.fixture(scope="session")
def counted():
    return on_a_line("a" * 25 + "b" * 25, representation=Counting())
"""

NO_DETECTORS = """
[pytest]
splitcheck_detectors =
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A repository with benchmarks in conftest.py, in which leakage and geometry alone are measured.

    L_10 of `blocks` is 0.06, of `mixed` 0.588. With the detector `coordinate`, `thirds` has rho_dir
    2/3; `scarce` has too few positives for any detector.
    """
    for name in list(os.environ):
        if re.match(
            r"PYTEST_(?!CURRENT_TEST|DEBUG)|COV_|CI$|BUILD_NUMBER$|\w+_COLORS?$|GITHUB_", name
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    pytester.makeconftest(BENCHMARKS)
    pytester.makefile(".ini", pytest=NO_DETECTORS)
    return pytester


@pytest.fixture
def bare(suite: pytest.Pytester) -> pytest.Pytester:
    """A repository without a configuration."""
    (suite.path / "pytest.ini").unlink()
    return suite


@pytest.fixture
def refusal() -> Callable[[pytest.RunResult], str]:
    """Give the line that pytest prints when it refuses to start, after a check that it did."""

    def line(result: pytest.RunResult) -> str:
        output = "\n".join(result.outlines + result.errlines)
        assert result.ret == pytest.ExitCode.USAGE_ERROR, output
        for unwanted in ("INTERNALERROR", "Traceback", " passed", " failed", " error in"):
            assert unwanted not in output, output
        told = re.findall(r"^(?:ERROR|\S+: error): (?!usage: )(.+)$", output, re.MULTILINE)
        assert len(told) == 1, output
        return str(told[0])

    return line


@pytest.fixture
def nothing_of_ours() -> Callable[[pytest.RunResult], None]:
    """Check that no line of our source, and no place in it, is in the output."""
    folder = Path(pytest_splitcheck.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    lines = {line.strip() for text in sources for line in text.splitlines()}

    def check(result: pytest.RunResult) -> None:
        shown = result.outlines + result.errlines
        assert not [line for line in shown if re.search(r"pytest_splitcheck[/\\]", line)]
        assert not [line for line in shown if re.match(r"> ", line) and line[1:].strip() in lines]

    return check


class Check(NamedTuple):
    """What a check came down to: the value of every option, and the source of every limit."""

    values: dict[str, Any]
    sources: dict[str, str]


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    """Record what every check in this process asks for, and measure without detectors."""
    asked: list[Check] = []
    check, refuse = Gate.check, Passage.refuse

    def recorded(
        gate: Gate, benchmark: Any, protocol: Any, thresholds: Any, *rest: Any, **more: Any
    ) -> Any:
        values = {one.name: getattr(thresholds, one.name) for one in THRESHOLDS}
        sources = {limit.name: thresholds.source(limit.name) for limit in LIMITS}
        asked.append(Check(values | dataclasses.asdict(protocol), sources))
        protocol = dataclasses.replace(protocol, detectors=())
        return check(gate, benchmark, protocol, thresholds, *rest, **more)

    def refused(passage: Passage, policy: Any, *rest: Any) -> None:
        asked[-1].values.update(dataclasses.asdict(policy))
        refuse(passage, policy, *rest)

    monkeypatch.setattr(Gate, "check", recorded)
    monkeypatch.setattr(Passage, "refuse", refused)
    return asked


@pytest.fixture
def fits(suite: pytest.Pytester) -> Callable[[], int]:
    """Tell how often the representation of the benchmark `counted` was fitted: twice per measurement."""

    def count() -> int:
        path = suite.path / "fits"
        return path.stat().st_size if path.exists() else 0

    return count
