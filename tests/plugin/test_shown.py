"""The line of pytest's short summary, and whatever else shows a failure by one line."""

from __future__ import annotations

import pickle
import re
import xml.etree.ElementTree as ET

import pytest

from pytest_splitcheck import IllPosedSplit, InputError, UndecidedSplit, UnknownKeyword, judge
from pytest_splitcheck.verdict.failures import failure
from tests.builders import leakage, report

TESTS = """
import pytest
from conftest import on_a_line
from pytest_splitcheck import ClassSplit

@pytest.fixture
def pixels():
    return on_a_line("ab" * 25, name="digits", representation="pixels")

@pytest.fixture
def empty():
    return ClassSplit([], [])

def test_call(splitcheck, pixels):
    splitcheck(pixels)

@pytest.mark.splitcheck("pixels")
def test_marker(): pass

@pytest.mark.splitcheck("pixels", "blocks", k=60)
def test_k(): pass

def test_few(splitcheck, scarce, coordinate):
    splitcheck(scarce, detectors=coordinate)

def test_misspelt(splitcheck, mixed):
    splitcheck(mixed, max_leakge=1)

def test_empty(splitcheck, empty): pass

def test_of_the_authors():
    raise ValueError("mine")
"""

VERDICT = "ill posed: digits (pixels): L_10 = 0.588 > 0.5"

LINES = {
    "test_call": VERDICT,
    "test_marker": VERDICT,
    "test_k": "InputError: pixels: k = 60 neighbours need 61 rows or more, but the evaluation set has m = 50. "
    "Set k to 49 or less, or add rows.",
    "test_few": "undecided: scarce: rho_dir = 0.500 > 0.2, 1 of 2 held-out classes have fewer than 20 rows",
    "test_misspelt": "UnknownKeyword: splitcheck has no keyword max_leakge; did you mean max_leakage?",
    "test_empty": "InputError: X is empty: its shape is (0,).",
    "test_of_the_authors": "ValueError: mine",
}


@pytest.mark.parametrize("options", [[], ["-n2"], ["--tb=native"], ["--tb=no"], ["--tb=line"]])
def test_the_short_summary_begins_with_the_reason(suite, monkeypatch, options):
    suite.makepyfile(test_a=TESTS)
    for columns in (80, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        result = suite.runpytest_inprocess(*options)
        result.assert_outcomes(failed=6, errors=1)
        found = re.findall(
            r"^((?:FAILED|ERROR) test_a.py::(\w+) - (.*))$", result.stdout.str(), re.M
        )
        assert {name for _, name, _ in found} == set(LINES)
        for line, name, told in found:
            assert len(line) <= columns
            shown = told.removesuffix("...")
            assert LINES[name].startswith(shown)
            assert columns == 80 or shown == LINES[name]
        if columns == 80:
            assert [told for _, name, told in found if name == "test_call"] == [VERDICT]


def test_what_else_shows_one_line_of_a_failure(suite):
    suite.makepyfile(test_a=TESTS)
    result = suite.runpytest_inprocess("--tb=line", "--junitxml=out.xml")
    result.stdout.fnmatch_lines([f"*test_a.py:*: {VERDICT}"])
    # Pytest 9 has the error above each line, by one line of its own.
    begins = [number for number, line in enumerate(result.outlines) if "= FAILURES =" in line]
    ends = [number for number, line in enumerate(result.outlines) if "= splitcheck =" in line]
    shown = result.outlines[begins[0] + 1 : ends[0]]
    assert 6 <= len([line for line in shown if "generated xml file" not in line]) <= 2 * 6
    cases = ET.parse(suite.path / "out.xml").iter("testcase")
    told = {case.get("name"): case.find("failure") for case in cases}
    message = told["test_call"].get("message")
    assert message.startswith(f"{VERDICT}\n\nlimit ")
    # The type is with the traceback.
    assert "pytest_splitcheck.IllPosedSplit: ill posed" in told["test_call"].text


def test_errors_go_by_the_public_name_and_are_pickled():
    found = report({}, leakage=leakage(0.7))
    judged = failure("ill posed: bench: why", found, judge(found))
    few = report(positives={"a": 3, "b": 30, "c": 30})
    undecided = failure("undecided: bench", few, judge(few))
    assert [type(judged), type(undecided)] == [IllPosedSplit, UndecidedSplit]
    for error in (judged, undecided, InputError("wrong"), UnknownKeyword("misspelt")):
        assert type(error).__module__ == "pytest_splitcheck"
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))


@pytest.mark.parametrize("style", ["auto", "long", "short"])
def test_an_error_of_a_fixture_that_is_not_ours_is_shown_as_without_us(bare, style):
    bare.makeconftest("""
        import pytest

        @pytest.fixture
        def broken():
            raise ValueError("theirs")
    """)
    bare.makepyfile("def test_it(broken): pass")

    def shown(*args):
        lines = bare.runpytest_inprocess("-q", f"--tb={style}", *args).outlines
        return [line for line in lines if " in " not in line]  # without the time

    assert shown() == shown("-p", "no:splitcheck")
    assert any("theirs" in line for line in shown())
