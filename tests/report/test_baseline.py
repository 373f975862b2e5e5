"""The file of recorded figures: merged, read, and what is wrong with it."""

from __future__ import annotations

import json
import re

import pytest

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.report.baseline import Baseline, merged
from pytest_splitcheck.report.baseline_file import read_baseline
from pytest_splitcheck.report.record import record
from pytest_splitcheck.verdict.judge import judge
from tests.builders import report


def entry(name, **changes):
    found = report(name=name, **changes)
    return record(found, judge(found), name)


def benchmarks(text):
    return json.loads(text)["benchmarks"]


@pytest.fixture
def read(tmp_path):
    def of(content):
        path = tmp_path / "base.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_baseline(path, "base.json")

    return of


def test_what_is_written_is_read(read):
    names = ["b", "a", "\x1b[31m\n", "<script>", "\u202ex", "\ud800"]
    text = merged({}, [entry(name) for name in names])
    assert text.isascii()
    assert list(read(text)) == sorted(names)
    assert merged(read(text), []) == text


def test_the_order_of_the_records_is_no_matter():
    entries = [entry("a"), entry("a", k=5), entry("a", fingerprint="1" * 32), entry("b")]
    assert merged({}, entries) == merged({}, entries[::-1])
    assert [one["k"] for one in benchmarks(merged({}, entries))["a"]] == [5, 10, 10]


def test_what_ran_takes_the_place_of_what_was_measured_the_same_way(read):
    before = read(merged({}, [entry("a"), entry("a", k=5), entry("kept", m=70)]))
    before["a"][-1]["leakage"] = 0.9  # k = 10, which does not run again
    after = benchmarks(merged(before, [entry("a", k=5), entry("a", k=7), entry("a", k=7)]))
    assert list(after) == ["a", "kept"]
    assert [one["k"] for one in after["a"]] == [5, 7, 10]
    assert sorted(one["leakage"] for one in after["a"]) == [0.1, 0.1, 0.9]
    assert after["kept"][0]["m"] == 70


def test_of_other_data_under_the_same_title_nothing_is_kept(read):
    before = read(merged({}, [entry("a"), entry("a", k=5)]))
    after = benchmarks(merged(before, [entry("a", k=7, fingerprint="f" * 32)]))
    assert [one["k"] for one in after["a"]] == [7]


def test_of_several_that_are_recorded_the_like_one_counts(read):
    recorded = read(merged({}, [entry("a"), entry("a", k=5)]))
    recorded["a"][0]["leakage"] = 0.01
    baseline = Baseline(shown="base.json", recorded=recorded, tolerance=0.01)
    assert baseline.findings(entry("a")) == []
    (one,) = baseline.findings(entry("a", k=5))
    assert one.message == "L_5 = 0.100 > 0.010 + 0.01 (baseline)"
    assert one.remedy.endswith("--splitcheck-update-baseline.")
    (refused,) = baseline.findings(entry("a", k=6))
    assert (refused.kind, refused.status) == ("refused by the baseline", "undecided")
    assert re.match(r"a cannot be held .* base.json: k = 6 \(recorded: 5\)\. ", refused.message)
    assert baseline.findings(entry("another")) == []
    assert baseline.improved(entry("a", k=6)) == []


def test_missing_and_stale():
    recorded = benchmarks(merged({}, [entry("a"), entry("b")]))
    baseline = Baseline(shown="base.json", recorded=recorded, tolerance=0.01)
    assert baseline.missing([entry("c"), entry("b"), entry("c", k=5)]) == ["c"]
    assert baseline.stale([entry("c"), entry("b")]) == ["a"]


def test_a_hostile_title_stays_on_its_line():
    recorded = benchmarks(merged({}, [entry("\x1b[31m\nx")]))
    baseline = Baseline(shown="base.json", recorded=recorded, tolerance=0.01)
    (refused,) = baseline.findings(entry("\x1b[31m\nx", m=2))
    assert refused.message.startswith(r"\x1b[31m\nx cannot be held")


WHOLE = merged({}, [entry("first"), entry("second")])
LINE = WHOLE.splitlines().index('    "second": [') + 1


def change(name, value):
    content = json.loads(WHOLE)
    content["benchmarks"]["second"][0][name] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "base.json, line 1: Expecting value."),
        ("{\n<<<<<<< HEAD\n", "base.json, line 2: Expecting property name *"),
        (WHOLE[: len(WHOLE) // 2], "base.json, line *: *"),
        (b"\xff\xfe", "base.json: 'utf-8' codec *"),
        ("[" * 100_000, "base.json: *"),
        ("9" * 10_000, "base.json: *"),
        ("null", 'base.json is no baseline of this version, which begins with "schema": *'),
        ("{}", "base.json is no baseline *"),
        (WHOLE.replace("line/1", "line/2"), "base.json is no baseline *"),
        (WHOLE.replace('"second"', '"first"'), "base.json: first is there twice."),
        (WHOLE.replace('"benchmarks"', '"benchmark"'), 'base.json must have "benchmarks", *'),
        (WHOLE.replace("0.05", "NaN"), "base.json: NaN is no figure."),
        (change("extra", 1), "*: second: there is no extra."),
        (change("k", True), "*: second: k must be a whole number from 1."),
        (change("m", 0), "*: second: m must be a whole number from 1."),
        (change("leakage", None), "*: second: leakage must be a number from 0 to 1."),
        (change("rho_dir", 1.5), "*: second: rho_dir must be a number from 0 to 1, or null."),
        (change("rho_dir", "0.1"), "*: second: rho_dir must be a number from 0 to 1, or null."),
        (change("detectors", {"knn": 1}), "*: second: detectors must be an object *"),
        (change("leakage_interval", [0.5, 0.1]), "*: second: leakage_interval must be two *"),
        (change("neighbors", []), "*: second: neighbors must be exact or approximate."),
        (change("epsilon", 10**400), "*: second: epsilon must be a number from 0 to 1."),
        (change("classes", "abc"), "*: second: classes must be a list of distinct names."),
        (change("classes", ["a", 1]), "*: second: classes must be a list of distinct names."),
        (change("classes", ["a", "a"]), "*: second: classes must be a list of distinct names."),
        (change("fingerprint", 1), "*: second: fingerprint must be text."),
        (
            WHOLE[: WHOLE.index('    "second"')] + '    "second": []\n  }\n}\n',
            f"base.json, line {LINE}: second: must be a list of one entry or more.",
        ),
        (
            WHOLE[: WHOLE.index('    "second"')] + '    "second": [{"m": 1}]\n  }\n}\n',
            f"base.json, line {LINE}: second: k is missing.",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_told(read, content, told):
    pattern = re.escape(told).replace(r"\*", ".*")
    with pytest.raises(InputError, match=f"^{pattern}$"):
        read(content)
