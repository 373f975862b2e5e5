"""The CSV file: a line for each class and detector, as pandas reads it."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

from pytest_splitcheck.report.csv_file import COLUMNS, csv_file
from pytest_splitcheck.report.record import record
from pytest_splitcheck.verdict.judge import judge
from tests.builders import leakage, report


def entry(**changes):
    found = report(**changes)
    return record(found, judge(found), "bench")


def read(records):
    return pd.read_csv(io.StringIO(csv_file(records)), keep_default_na=True)


def test_without_records_there_is_a_head():
    assert csv_file([]) == ",".join(COLUMNS) + "\n"


AUROCS = {"knn": {"a": 0.91, "b": 0.2, "c": 1 / 3}, "iforest": {name: [0.4, 0.7] for name in "abc"}}


def test_the_figures_are_those_of_the_report():
    one = entry(aurocs=AUROCS, seeds=(0, 1), geometry={"a": 0.9, "b": 0.4, "c": 0.5}, name="n")
    table = read([one]).set_index(["class", "detector"])
    assert len(table) == 9
    results = {**one["report"]["detectors"], "geometry": one["report"]["geometry"]}
    for (name, detector), row in table.iterrows():
        result = results[detector]
        for column, figure in (("auroc", "auroc"), ("sd", "spread"), ("flips", "flips")):
            assert row[column] == result[figure][name]
        assert [row["low"], row["high"]] == result["interval"][name]
        assert row["direction"] == result["direction"][name]
        assert (row["benchmark"], row["m"], row["k"], row["rows"]) == ("n", 90, 10, 30)
        assert row["leakage"] == 0.1
        assert row["slot_share"] == one["report"]["leakage"]["slot_share"][name]
        resolved = result["resolved"][name]
        assert pd.isna(row["resolved"]) if resolved is None else row["resolved"] == resolved
        fault = one["report"]["attribution"].get(detector, {}).get(name)
        assert pd.isna(row["fault"]) if fault is None else row["fault"] == fault
    assert set(table["fault"].dropna()) >= {"geometry", "detector"}


def test_without_detectors_and_geometry_there_is_a_line_for_each_class():
    table = read([entry(aurocs={})])
    assert list(table["class"]) == ["a", "b", "c"]
    assert table["detector"].isna().all()
    assert list(table["leakage"]) == [0.1] * 3


def test_a_group_is_held_out_but_no_class():
    table = read([entry(aurocs={"knn": {("a", "b"): 0.9, "c": 0.8}}, classes=("a", "b", "c"))])
    assert list(table["class"]) == ["a", "b", "c", "a+b"]
    assert list(table["auroc"].isna()) == [True, True, False, False]
    assert list(table["leakage"].isna()) == [False, False, False, True]
    assert list(table["rows"]) == [30, 30, 30, 30]


def test_a_class_without_rows_in_a_sample_has_no_leakage():
    per_class = {"a": 0.1, "b": None, "c": 0.1}
    table = read([entry(leakage=leakage(per_class=per_class, macro=None))])
    assert list(table["leakage"].isna()) == [False, True, False]


def test_every_k_has_its_lines_and_its_verdict():
    other = report(k=5, leakage=leakage(0.9, k=5))
    table = read([entry(other_k={5: other})])
    assert list(table["k"]) == [10] * 3 + [5] * 3
    assert list(table["leakage"]) == [0.1] * 3 + [0.9] * 3
    assert list(table["verdict"]) == ["well posed"] * 3 + ["ill posed"] * 3


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("'quoted", "''quoted"),
        ("＝1", "'＝1"),
        ("-1", "-1"),
        ("+1.5e-3", "+1.5e-3"),
        ("-1\n=2", "'-1\\n=2"),
        ("\t=1", "\\t=1"),
        ("a,b", "a,b"),
        ('"', '"'),
        ("two\r\nlines", "two\\r\\nlines"),
        ("\x1b[31m\u202e\ud800", "\\x1b[31m\\u202e\\ud800"),
        ("<script>", "<script>"),
    ],
)
def test_text_is_no_formula_and_stays_on_its_line(name, cell):
    one = entry(
        name=name, representation=name, aurocs={"knn": {name: 0.9, "x": 0.9}}, classes=(name, "x"),
        leakage=leakage(classes=(name, "x")),
    )  # fmt: skip
    text = csv_file([one])
    assert len(text.splitlines()) == 3
    line = list(csv.reader(io.StringIO(text)))[1]
    assert [line[COLUMNS.index(column)] for column in ("benchmark", "representation", "class")] == (
        [cell] * 3
    )
    text.encode("utf-8")
