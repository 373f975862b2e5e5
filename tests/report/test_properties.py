from __future__ import annotations

from pytest_splitcheck.report.properties import properties
from pytest_splitcheck.report.record import record
from pytest_splitcheck.verdict.judge import judge
from tests.builders import report


def entry(**changes):
    found = report(**changes)
    return record(found, judge(found), "fixture")


AUROCS = {"knn": {"a": 0.9, "b": 0.2, "c": 0.52}}


def test_main_figures_as_plain_values():
    one = entry(aurocs=AUROCS, geometry=dict.fromkeys("abc", 0.9), representation="pixels")
    found = properties([one])
    assert {name.removeprefix("splitcheck.bench (pixels)."): value for name, value in found} == {
        "verdict": "ill posed",
        "m": 90,
        "k": 10,
        "leakage": 0.1,
        "chance": one["report"]["leakage"]["chance"],
        "rho_rnd": 1 / 3,
        "rho_inv": 1 / 3,
        "rho_dir": one["report"]["instability"]["rho_dir"],
        "rho_dir_geo": 0.0,
        "mean_auroc": one["report"]["instability"]["mean"],
    }
    assert {type(value) for _, value in found} == {str, int, float}


def test_what_was_not_measured_has_none():
    names = [name.rpartition(".")[2] for name, _ in properties([entry(aurocs={})])]
    assert names == ["verdict", "m", "k", "leakage", "chance"]


def test_names_are_distinct():
    found = properties([entry(name="a"), entry(name="b"), entry(name="a", k=5), entry(name="a")])
    names = [name for name, _ in found]
    assert len(set(names)) == len(names)
    assert [(name, value) for name, value in found if name.endswith(".k")] == [
        ("splitcheck.a.k", 10),
        ("splitcheck.b.k", 10),
        ("splitcheck.a #2.k", 5),
        ("splitcheck.a #3.k", 10),
    ]


def test_control_characters_are_spelled_out():
    assert properties([entry(name="\x00\n")])[0][0] == "splitcheck.\\x00\\n.verdict"
