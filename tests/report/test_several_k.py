from __future__ import annotations

import dataclasses

import pytest

from pytest_splitcheck import Thresholds, judge
from pytest_splitcheck.report.failure import failure_message
from pytest_splitcheck.report.record import at_each_k, record
from pytest_splitcheck.report.terminal import summary_lines
from pytest_splitcheck.report.text import cells
from tests.builders import leakage, report, sampled


def at(k, value, knn=0.9, **options):
    aurocs = {"knn": dict.fromkeys("abc", knn), "lof": dict.fromkeys("abc", 0.8)}
    return report(aurocs, k=k, leakage=leakage(value, k=k), **options)


def entry(*reports, **limits):
    first, *others = reports
    found = dataclasses.replace(first, other_k={one.k: one for one in others})
    return record(found, judge(found, Thresholds(**limits)), "bench")


def summary(*entries, width=100, detail=False):
    return [line.text + line.coloured for line in summary_lines(entries, width, detail=detail)]


def test_a_record_in_full_at_each_k():
    reports = [at(5, 0.3), at(10, 0.6, knn=0.7), at(20, 0.7)]
    found = at_each_k(entry(*reports)["report"])
    for one, alone in zip(found, reports, strict=True):
        expected = alone.to_dict()
        assert {name: one[name] for name in expected if name != "other_k"} == {
            name: expected[name] for name in expected if name != "other_k"
        }


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((0.3, 0.6, 0.7), "well posed at 5, ill posed at 10 and 20"),
        ((0.3, 0.6, 0.4), "well posed at 5 and 20, ill posed at 10"),
        ((0.6, 0.3, 0.4), "ill posed at 5, well posed at 10 and 20"),
    ],
)
def test_what_depends_on_k_is_told(values, told):
    found = entry(*(at(k, value) for k, value in zip((5, 10, 20), values, strict=True)))
    assert f"bench: the verdict depends on k: {told}" in summary(found)
    text = " ".join(failure_message(found, 80).split())
    assert f"The verdict depends on k: {told}." in text


def test_what_does_not_is_not():
    found = entry(at(5, 0.6), at(10, 0.7))
    assert "depends" not in "\n".join(summary(found)) + failure_message(found, 80)


def test_one_k_takes_one_line():
    assert len(summary(entry(at(5, 0.3)))) == 2
    assert len(summary(entry(at(5, 0.3), at(10, 0.3)))) == 3


def test_estimates_at_a_further_k_are_told_too():
    other = report({}, k=10, leakage=sampled(0.2, (0.1, 0.3), k=10))
    found = entry(report({}, k=5, leakage=leakage(0.6, k=5)), other)
    assert "L_10 = ~0.200" in failure_message(found, 80)
    assert any(line.startswith("~ bench: L_10 is estimated from 64") for line in summary(found))


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("name", ["bench", "漢字 " * 20])
def test_every_line_keeps_the_width(width, name):
    found = entry(at(5, 0.6, name=name), at(10, 0.4, name=name), at(20, 0.3, name=name))
    lines = failure_message(found, width).splitlines()[1:]
    assert [line for line in lines if cells(line) > width] == []
    if width >= 60:
        assert [
            line for line in summary(found, width=width, detail=True) if cells(line) > width
        ] == []
