from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, Thresholds, evaluate, judge
from pytest_splitcheck.report.record import record
from pytest_splitcheck.report.terminal import distinct, summary_lines
from pytest_splitcheck.report.text import cells
from tests.builders import clusters, leakage, report, sampled


def entry(found=None, name="fixture", **limits):
    found = report() if found is None else found
    return record(found, judge(found, Thresholds(**limits)), name)


def text(*entries, width=80, detail=False):
    return [line.text + line.coloured for line in summary_lines(entries, width, detail=detail)]


def fields(line):
    return line.split()


BAD = report({"knn": {"a": 0.2, "b": 0.9, "c": 0.9}}, name="bad")
FEW = report(name="few", positives={"a": 3, "b": 30, "c": 30})


# --- one line per benchmark -----------------------------------------------------------------


def test_the_numbers_of_a_benchmark():
    found = report(
        {"knn": {"a": 0.5, "b": 0.2, "c": 0.9}}, leakage=leakage(0.2345), representation="raw"
    )
    head, line = text(entry(found))
    assert fields(head) == [
        "benchmark",
        "m",
        "K",
        "k",
        "L_k",
        "chance",
        "inv",
        "rnd",
        "dir",
        "verdict",
    ]
    assert fields(line)[:5] == ["bench", "(raw)", "90", "3", "10"]
    assert fields(line)[5:] == [
        "0.234",
        "0.674",
        "0.33",
        "0.33",
        "0.67",
        "ill",
        "posed",
        "(max_rho_dir)",
    ]


def test_without_detectors_the_rates_are_dashes():
    assert fields(text(entry(report({})))[1])[6:9] == ["-", "-", "-"]


@pytest.mark.parametrize(
    ("found", "status", "colour"),
    [
        (report(), "well posed", "green"),
        (BAD, "ill posed (max_rho_dir)", "red"),
        (FEW, "undecided (min_positives)", "yellow"),
    ],
)
def test_verdicts_have_their_colours(found, status, colour):
    line = summary_lines([entry(found)], 80, detail=False)[1]
    assert (line.coloured, line.colour) == (status, colour)


def test_columns_are_aligned():
    entries = [entry(), entry(BAD), entry(report(name="漢字"))]
    starts = {cells(line.text) for line in summary_lines(entries, 80, detail=False)[1:]}
    assert len(starts) == 1


LONG = ["a name of many words " * 6, "x" * 150, "漢字" * 50, "\u202e\x1b" * 20]


@pytest.mark.parametrize("width", [60, 80, 140])
@pytest.mark.parametrize("name", LONG)
def test_the_table_keeps_the_width(width, name):
    lines = text(entry(), entry(report(name=name)), width=width)
    assert [line for line in lines if cells(line) > width] == []


@pytest.mark.parametrize("name", LONG)
def test_numbers_are_never_cut(name):
    _, above, figures = text(entry(report(name=name)), width=40)
    assert cells(above) <= 40
    assert fields(figures) == fields(text(entry(), width=140)[1])[1:]


def test_where_a_name_does_not_fit_beside_its_numbers_it_stands_above_them():
    lines = text(entry(report(name="a benchmark with a name")), width=60)
    assert lines[1] == "a benchmark with a name"
    assert fields(lines[2])[:3] == ["90", "3", "10"]


def test_names_are_spelled_out():
    lines = text(entry(report(name="a\x1b[31m\nb")), detail=True)
    assert r"a\x1b[31m\nb" in lines[1]
    assert all(line.isprintable() for line in lines)


def test_an_estimate_is_marked_and_explained_below():
    found = report(leakage=sampled(0.2345, (0.1, 0.45)))
    lines = text(entry(found), entry(report(name="other")), width=150)
    assert fields(lines[1])[4] == "~0.234"
    assert fields(lines[2])[4] == "0.100"
    assert lines[3:] == [
        "~ bench: L_10 is estimated from 64 of 1,000,000 rows drawn at random: between 0.100 and "
        "0.450, wrong with probability 0.001 at most."
    ]


@pytest.mark.parametrize("name", LONG)
def test_the_note_on_an_estimate_keeps_the_width(name):
    lines = text(entry(report(name=name, leakage=sampled(0.2, (0.1, 0.45)))), width=60)
    assert [line for line in lines if cells(line) > 60] == []


# --- one record per measured benchmark ------------------------------------------------------


def test_benchmarks_are_in_order_of_name():
    entries = [entry(report(name=name)) for name in "cab"]
    assert [one["name"] for one in distinct(entries)] == ["a", "b", "c"]


def test_the_same_measurement_is_shown_once_with_the_most_severe_verdict():
    mild, severe = entry(BAD, max_rho_dir=0.5), entry(BAD)
    for entries in ([mild, severe, mild], [severe, mild]):
        (one,) = distinct(entries)
        assert one["verdict"]["status"] == "ill posed"


def test_undecided_is_more_severe_than_well_posed():
    (one,) = distinct([entry(FEW, min_positives=1), entry(FEW)])
    assert one["verdict"]["status"] == "undecided"


def test_another_measurement_of_the_same_benchmark_is_shown_too():
    assert len(distinct([entry(report(k=5)), entry(report(k=10))])) == 2


def test_the_same_name_with_other_detectors_is_told_apart():
    entries = [entry(report({name: dict.fromkeys("abc", 0.9)})) for name in ("knn", "lof")]
    lines = text(*entries, entry(report({})), entry(report(name="other")), width=140)
    names = [line.split("  ")[0] for line in lines[1:]]
    assert names == ["bench [knn]", "bench [lof]", "bench [no detectors]", "other"]


def test_the_same_name_is_told_apart_by_what_differs():
    found = report({"knn": dict.fromkeys("abc", 0.9)})
    fewer = report({"knn": dict.fromkeys("ab", 0.9)}, leakage=leakage(classes="ab"))
    many = report({"knn": dict.fromkeys("abcdefg", 0.9)}, leakage=leakage(classes="abcdefg"))
    lines = text(*map(entry, (found, fewer, many)), width=140)
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "bench [K = 3: a, b, c]",
        "bench [K = 2: a, b]",
        "bench [K = 7]",
    ]
    lines = text(*({**entry(found), "nodeid": f"test_a.py::test_{n}"} for n in "ab"), width=140)
    assert [line.split("  ")[0] for line in lines[1:]] == ["bench [test_a]", "bench [test_b]"]
    lines = text(entry(found), entry(dataclasses.replace(found, k=5)), width=140)
    assert [line.split("  ")[0] for line in lines[1:]] == ["bench [k = 10]", "bench [k = 5]"]


def test_a_detector_that_the_mean_hides_is_told():
    aurocs = {"mine": {"a": 0.1, "b": 0.9, "c": 0.9}}
    aurocs |= {name: dict.fromkeys("abc", 0.9) for name in ("knn", "lof")}
    told = " ".join(" ".join(text(entry(report(aurocs), max_rho_dir=0.2), width=200)[2:]).split())
    assert told == (
        "bench: rho_dir 0.11 is the mean of 3 detectors; over its limit of 0.2 alone: mine 0.33"
    )
    assert len(text(entry(report(aurocs), max_rho_dir=0.4), width=200)) == 2
    assert "is the mean" not in "".join(text(entry(report(aurocs), max_rho_dir=0.1), width=200))


# --- class by class -------------------------------------------------------------------------


def rows_of(lines):
    return {line.split()[0]: line.split()[1:] for line in lines if line.startswith("  ")}


def test_the_numbers_of_every_class():
    found = report(
        {"knn": {"a": 0.51234, "b": 0.2, "c": 0.9}},
        leakage=leakage(0.2, per_class={"a": 0.11116, "b": 0.2, "c": 0.3}),
        counts={"a": 31, "b": 32, "c": 33},
    )
    told = rows_of(text(entry(found), detail=True))
    assert told["class"] == ["rows", "L_10", "slots", "knn"]
    assert told["a"] == ["31", "0.1112", "0.3333", "0.5123"]
    assert told["b"] == ["32", "0.2000", "0.3333", "0.2000"]
    assert told["mean"] == ["0.5374"]
    assert told["rho_rnd"] == ["0.33"]
    assert told["rho_inv"] == ["0.33"]
    assert told["rho_dir"] == ["0.67"]


def test_geometry_has_a_column_before_the_detectors():
    found = report(
        {"knn": {"a": 0.5, "b": 0.2, "c": 0.9}}, geometry={"a": 0.41234, "b": 0.2, "c": 0.9}
    )
    told = rows_of(text(entry(found), detail=True))
    assert told["class"] == ["rows", "L_10", "slots", "geo", "knn"]
    assert told["a"][-2:] == ["0.4123", "0.5000"]
    assert told["rho_dir"] == ["0.33", "0.67"]
    assert told["rho_inv"] == ["0.67", "0.33"]


def test_without_detectors_the_rates_are_those_of_geometry():
    lines = text(entry(report({}, geometry={"a": 0.5, "b": 0.2, "c": 0.9})), detail=True)
    assert fields(lines[1])[6:9] == ["0.33", "0.33", "0.67"]
    assert "bench: 90 rows, no detectors, rates of geometry alone" in lines
    told = rows_of(lines)
    assert told["class"] == ["rows", "L_10", "slots", "geo"]
    assert told["mean"] == ["0.5333"]


def test_the_leakage_in_full():
    lines = text(entry(report(leakage=leakage(0.2))), detail=True)
    assert any("L_10 0.200000, chance 0.674157, ratio 0.2967" in line for line in lines)


def test_what_a_sample_does_not_tell_is_a_dash():
    per_class = {"a": 0.1, "b": 0.3, "c": None}
    found = report({}, leakage=sampled(0.2, (0.1, 0.45), per_class=per_class, macro=None))
    lines = text(entry(found), detail=True, width=120)
    assert any("L_10 ~0.200000, " in line and line.endswith("over classes -") for line in lines)
    assert rows_of(lines)["b"] == ["30", "0.3000", "0.3333"]
    assert rows_of(lines)["c"] == ["30", "-", "0.3333"]


def test_the_spread_over_seeds_has_a_column():
    X, y = clusters([[0, 0], [4, 0]], 15)
    split = ClassSplit(X, y, train=(X + 0.1, y))
    found = evaluate(split, k=3, detectors=("iforest",), seeds=(0, 1))
    told = rows_of(text(entry(found), detail=True))
    assert told["class"][-2:] == ["iforest", "sd"]
    assert told["0"][-1] == f"{found.detectors['iforest'].spread[0]:.4f}"
    assert found.detectors["iforest"].spread[0] == pytest.approx(
        np.std([found.detectors["iforest"].auroc[0]]), abs=0.2
    )


def test_unresolved_classes_are_marked_and_explained():
    aurocs = {"knn": {"a": 0.52, "b": 0.2, "c": 0.9}, "lof": {"a": 0.8, "b": 0.2, "c": 0.9}}
    found = report(aurocs, intervals={"knn": {"a": (0.44, 0.6)}})
    lines = text(entry(found), detail=True)
    told = rows_of(lines)
    assert told["a"][-2:] == ["0.5200?", "0.8000"]
    assert told["b"][-2:] == ["0.2000", "0.2000"]
    assert "  ? Unresolved (95 % interval of AUROC includes 1/2): knn: a (0.440-0.600)." in lines
    assert not any("?" in line for line in text(entry(report()), detail=True))
    assert not any("?" in line for line in text(entry(found)))


def test_figures_stay_in_line_beside_a_mark():
    found = report({"knn": {"a": 0.52, "b": 0.2, "c": 0.9}}, intervals={"knn": {"a": (0.4, 0.6)}})
    lines = text(entry(found), detail=True)
    points = {line.rindex(".") for line in lines if line.split()[:1] in (["a"], ["b"], ["c"])}
    assert len(points) == 1


def test_directions_that_depend_on_the_seed_are_marked_and_told():
    found = report(
        {"mine": {"a": [0.4, 0.6], "b": [0.1, 0.2], "c": [0.9, 0.4]}},
        seeds=(0, 1),
        intervals={"mine": {"c": (0.6, 0.7), "a": (0.3, 0.7)}},
    )
    lines = text(entry(found), detail=True)
    told = rows_of(lines)
    assert [told[name][-2] for name in "abc"] == ["0.5000?", "0.1500", "0.6500?"]
    assert "  ? Unresolved (95 % interval of AUROC includes 1/2): mine: a (0.300-0.700)." in lines
    assert "  ? mine: the direction depends on the seed for a (1 of 2), c (1 of 2)." in lines


def test_groups_have_rows_of_their_own():
    found = report({"knn": {("a", "b"): 0.8, "c": 0.9}}, classes=("a", "b", "c"))
    told = rows_of(text(entry(found), detail=True))
    assert told["a"] == ["30", "0.1000", "0.3333"]
    assert told["a+b"] == ["0.8000"]
    assert told["c"] == ["30", "0.1000", "0.3333", "0.9000"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "bench: 90 rows, 5 folds"),
        ({"n_train": 500, "folds": None}, "bench: 90 rows, 500 training rows"),
        ({"aurocs": {}}, "bench: 90 rows, no detectors"),
    ],
)
def test_what_the_detectors_were_fitted_on(options, expected):
    assert expected in text(entry(report(**options)), detail=True)


def test_without_detectors_there_are_no_rates():
    assert "rho_dir" not in "\n".join(text(entry(report({})), detail=True))


def test_small_classes_are_told():
    found = report(
        leakage=leakage(0.1, floor={"a": 0.4, "b": 0, "c": 0}), counts={"a": 5, "b": 30, "c": 30}
    )
    assert "a (5 rows, at least 0.40)" in " ".join(
        " ".join(text(entry(found), detail=True)).split()
    )


@pytest.mark.parametrize("width", [60, 80, 140])
@pytest.mark.parametrize("odd", ["a name of many words " * 6, "漢字" * 30, "\x1b" * 30])
def test_every_line_keeps_the_width(width, odd):
    classes = [odd, "b", "c"]
    detectors = ["knn", "lof", "a detector with a name", "one more", "and one", "another detector"]
    found = report(
        {name: dict.fromkeys(classes, 0.9) for name in detectors},
        leakage=leakage(classes=classes),
        seeds=(0, 1),
    )
    lines = text(entry(found), width=width, detail=True)
    assert [line for line in lines if cells(line) > width] == []


@pytest.mark.parametrize("width", [60, 80])
def test_a_title_without_spaces_keeps_the_width(width):
    lines = text(entry(report(name="x" * 200)), width=width, detail=True)
    assert [line for line in lines if cells(line) > width] == []


@pytest.mark.parametrize("width", [60, 80])
def test_a_long_detector_name_keeps_the_width(width):
    found = report({"d" * 150: dict.fromkeys("abc", 0.9)})
    lines = text(entry(found), width=width, detail=True)
    assert [line for line in lines if cells(line) > width] == []
