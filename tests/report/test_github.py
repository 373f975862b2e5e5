"""What GitHub shows: the table, and a command for each reason."""

from __future__ import annotations

import html
import re

import pytest

from pytest_splitcheck.report.baseline import REFUSED
from pytest_splitcheck.report.github import commands, step_summary
from pytest_splitcheck.report.record import record
from pytest_splitcheck.verdict.judge import judge
from pytest_splitcheck.verdict.thresholds import Thresholds
from tests.builders import leakage, report

LIMITS = Thresholds(max_leakage=0.5, sources={"max_leakage": "the, file: 100%"})
ILL = {"leakage": leakage(0.6)}


def entry(nodeid="test_a.py::test_it", policy="fail", limits=LIMITS, **changes):
    found = report(**changes)
    told = {"nodeid": nodeid, "options": {"undecided": {"value": policy, "source": "default"}}}
    return {**record(found, judge(found, limits), "bench"), **told}


def test_the_table():
    other = report(k=5, leakage=leakage(0.6, k=5))
    lines = step_summary(
        [entry(aurocs={"knn": {"a": 0.9, "b": 0.2, "c": 0.52}}, other_k={5: other}), entry(**ILL)]
    ).splitlines()
    assert lines[:4] == [
        "### splitcheck",
        "",
        "| benchmark | m | K | k | L_k | chance | inv | rnd | dir | verdict | reasons |",
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- | --- |",
    ]
    assert [html.unescape(line) for line in lines[4:]] == [
        "| bench [k = 10, 5] | 90 | 3 | 10 | 0.100 | 0.674 | 0.33 | 0.33 | 0.67 | **ill posed** "
        "| rho_dir = 0.667 > 0.2 |",
        "| bench [k = 10, 5] | 90 | 3 | 5 | 0.600 | 0.674 | 0.00 | 0.00 | 0.00 | **ill posed** |  |",
        "| bench [k = 10] | 90 | 3 | 10 | 0.600 | 0.674 | 0.00 | 0.00 | 0.00 | **ill posed** "
        "| L_10 = 0.600 > 0.5 |",
        "",
    ]
    assert step_summary([]) == ""


@pytest.mark.parametrize(
    "name",
    ["a|b", "<script>alert(1)</script>", "![x](http://y.z)", "`code` *bold* _it_ ~~no~~", "a\n\n# h",
     "www.example.com", "\x1b[31m\u202e\ud800", "&lt;", "@someone #1", "\\|", "$x$"],
)  # fmt: skip
def test_a_hostile_name_is_text_in_one_cell(name):
    text = step_summary([entry(name=name)])
    (row,) = text.splitlines()[4:-1]
    cell = re.fullmatch(r"\| (.*?) \| 90 \|.*", row)[1]
    assert not re.search(r"[<|\[\]`*_~#!$@:/\\]|&(?!#\d+;)|\bwww\.", re.sub(r"&#\d+;", "", cell))
    shown = html.unescape(cell)
    assert shown.isprintable()
    assert re.sub(r"\\(x..|u....|n)", "", shown) == re.sub(r"[\n\x1b\u202e\ud800]", "", name)
    text.encode("utf-8")


PLACES = {"test_a.py::test_it": ("tests/test_a.py", 7)}


def test_a_command_for_each_reason_of_a_failure():
    both = entry(aurocs={"knn": {"a": 0.9, "b": 0.2, "c": 0.52}}, **ILL)
    assert commands([(both, True), (both, True)], PLACES) == [
        "::error file=tests/test_a.py,line=7,title=ill posed%3A max_leakage::"
        "bench: L_10 = 0.600 > 0.5 (set by the, file: 100%25)",
        "::error file=tests/test_a.py,line=7,title=ill posed%3A max_rho_dir::"
        "bench: rho_dir = 0.667 > 0.2 (set by default)",
    ]


def test_a_limit_that_the_file_sets_has_its_own_line():
    both = entry(aurocs={"knn": {"a": 0.9, "b": 0.2, "c": 0.52}}, **ILL)
    both["declared"] = {"file": "test_a.py", "lines": {"max_rho_dir": 12, "min_auroc": 3}}
    found = [one.partition(",title=")[0] for one in commands([(both, True)], PLACES)]
    assert found == [f"::error file=tests/test_a.py,line={line}" for line in (7, 12)]


def test_nothing_of_tests_that_did_not_fail():
    assert commands([(entry(**ILL), False), (entry(), False), (entry(), True)], PLACES) == []


FEW = {"positives": {"a": 3, "b": 30, "c": 30}}


@pytest.mark.parametrize(
    ("failed", "policy", "levels"),
    [
        (True, "fail", ["::error"]),
        (True, "warn", ["::warning"]),
        (False, "fail", []),
        (False, "warn", ["::warning"]),
        (False, "pass", []),
    ],
)
def test_an_undecided_reason_is_an_error_if_it_fails_the_test(failed, policy, levels):
    found = commands([(entry(policy=policy, **FEW), failed)], PLACES)
    assert [one.partition(" ")[0] for one in found] == levels


def test_what_the_baseline_refuses_is_an_error_whatever_the_policy():
    one = entry(policy="warn", **FEW)
    one["verdict"]["findings"][0]["kind"] = REFUSED
    (found,) = commands([(one, True)], PLACES)
    assert found.startswith("::error ")


def error(name="lost", message="no such file: 100%\nmore", **changes):
    told = {"nodeid": "test_a.py::test_it", "name": name, "message": message}
    return {**told, "representation": None, **changes}


def test_what_could_not_be_measured():
    (row,) = step_summary([], [error(representation="raw")]).splitlines()[4:-1]
    dashes = " | ".join("-" * 8)
    assert html.unescape(row) == (
        f"| lost (raw) | {dashes} | **not measured** | no such file: 100%\\nmore |"
    )
    errors = [(error(), True), (error("lost: too"), False), (error(message="lost is it"), True)]
    place = "::error file=tests/test_a.py,line=7,title=not measured::"
    assert commands([], PLACES, errors) == [
        f"{place}lost: no such file: 100%25\\nmore",
        f"{place}lost is it",
    ]


def test_the_order_of_the_records_is_no_matter():
    entries = [(entry(f"t::{n}", **ILL), True) for n in "cab"]
    assert commands(entries, {}) == commands(entries[::-1], {})


def test_a_command_stays_on_its_line():
    hostile = entry(name="a\r\n::error::b%0A,x", **ILL)
    (command,) = commands([(hostile, True)], {"test_a.py::test_it": ("a,b:c%\n.py", 1)})
    assert command.splitlines() == [command]
    assert command.startswith("::error file=a%2Cb%3Ac%25\\n.py,line=1,title=")
    assert "::a\\r\\n::error::b%250A,x: L_10" in command
