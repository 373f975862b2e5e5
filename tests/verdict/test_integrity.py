"""What is made of duplicates, conflicts and dominating features; and that geometry is not blamed for them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, Thresholds, evaluate, judge
from pytest_splitcheck.measure.results import Conflicts, Dominance, Piles, SharedRows
from tests.builders import clusters, integrity, labels, leakage, plain, report, sampled

WORST = {"leakage": leakage(0.9), "aurocs": {"knn": {"a": 0.1, "b": 0.5, "c": 0.9}}}
"""Breaks every limit on leakage and rates."""


def rows(n):
    return np.arange(n, dtype=np.intp)


def shared(n, exact=None):
    exact = n if exact is None else exact
    return SharedRows(
        rows=rows(n), partners=rows(n), exact=exact, near=n - exact, scale=0.5, drop=rows(n)
    )


def verdict(found, **limits):
    return judge(found, Thresholds(**limits))


def one(found, **limits):
    (finding,) = verdict(found, **limits).findings
    return finding


FOUND = {
    "shared rows": ({"shared": shared(9)}, "max_duplicates", 0.1),
    "contaminated pool": ({"contaminated": {"b": rows(6)}}, "max_duplicates", 0.2),
    "conflicting labels": (
        {"conflicts": Conflicts(groups=3, rows=rows(60), floor=0.6)},
        "max_leakage",
        0.6,
    ),
}


@pytest.mark.parametrize("kind", FOUND)
def test_beyond_its_limit_it_is_the_only_finding(kind):
    changes, limit, value = FOUND[kind]
    found = report(integrity=integrity(**changes), **WORST)
    finding = one(found, **{limit: value - 1e-6})
    assert (finding.kind, finding.status) == (kind, "ill posed")
    assert (finding.limit, finding.bound, finding.source) == (limit, value - 1e-6, "thresholds")
    assert finding.value == pytest.approx(value)
    assert "leakage and rates are judged after that" in finding.remedy
    assert "0, 1, 2, 3, 4 and " in finding.remedy


@pytest.mark.parametrize("kind", FOUND)
@pytest.mark.parametrize("off", [False, True])
def test_at_its_limit_it_is_no_finding_and_geometry_is_judged(kind, off):
    changes, limit, value = FOUND[kind]
    limits = {limit: None if off else value}
    good = report(integrity=integrity(**changes))
    bad = report(integrity=integrity(**changes), leakage=leakage(0.9))
    assert verdict(good, **limits).status == "well posed"
    if limit != "max_leakage":
        assert [one.limit for one in verdict(bad, **limits).findings] == ["max_leakage"]


def test_shared_rows_are_told_with_their_number_and_the_way_out():
    finding = one(report(integrity=integrity(shared=shared(9, exact=7)), n_train=600, folds=None))
    assert finding.message == "rows that are in the training pool too = 0.100 > 0.05"
    assert finding.source == "default"
    assert "9 of 90 rows (7 equal, 2 nearly: 0, 1, 2, 3, 4 and 4 more)" in finding.remedy
    assert "evaluate(benchmark).integrity.shared.drop" in finding.remedy
    crossed = one(report(integrity=integrity(shared=shared(9))))
    assert crossed.message == "rows that are in other folds too = 0.100 > 0.05"


def test_contaminated_classes_are_named_the_worst_first():
    contaminated = {"a": rows(3), "b": rows(30), "c": rows(1)}
    finding = one(report(integrity=integrity(contaminated=contaminated)), max_duplicates=0.05)
    assert finding.classes == ("b", "a")
    assert finding.details == ("b (30 of 30 rows)", "a (3 of 30 rows)")
    assert finding.message == "rows of b that its normal pool holds = 1.000 > 0.05"
    assert "evaluate(benchmark).integrity.contaminated['b']" in finding.remedy


def test_a_contaminated_class_counts_against_its_own_rows():
    found = report(integrity=integrity(contaminated={"b": rows(1)}), m=10_000)
    assert one(found, max_duplicates=0.03).kind == "contaminated pool"
    assert verdict(found, max_duplicates=0.04).status == "well posed"


def test_piles_make_rates_undecided():
    piles = Piles(largest=40, beside=rows(9))
    found = report(integrity=integrity(piles=piles), aurocs=WORST["aurocs"])
    direction, finding = verdict(found).findings
    assert (direction.limit, direction.status) == ("max_rho_dir", "undecided")
    assert (finding.kind, finding.status, finding.limit) == (
        "duplicates under LOF",
        "undecided",
        "max_duplicates",
    )
    assert finding.message == "rows beside duplicates under LOF = 0.100 > 0.05"
    assert "up to 40 equal rows" in finding.remedy
    assert verdict(found, max_duplicates=0.1).findings[0].status == "ill posed"
    assert verdict(report(integrity=integrity(piles=piles))).status == "undecided"


def test_piles_do_not_excuse_leakage():
    found = report(
        integrity=integrity(piles=Piles(largest=40, beside=rows(9))), leakage=leakage(0.9)
    )
    assert verdict(found).status == "ill posed"


def dominated(raw, rescaled, feature=None, **changes):
    dominance = Dominance(column=3, share=0.95, standardised=rescaled, feature=feature)
    return report(integrity=integrity(dominance=dominance), leakage=raw, **changes)


def test_leakage_by_the_scale_of_one_feature_is_told_as_such():
    finding = one(dominated(leakage(0.8), leakage(0.1), aurocs=WORST["aurocs"]))
    assert (finding.kind, finding.status, finding.limit) == (
        "dominated by one feature",
        "ill posed",
        "max_leakage",
    )
    assert finding.message == "L_10 = 0.800 > 0.5; 0.100 with features of equal variance"
    assert "Column 3 has 0.950 of the variance" in finding.remedy
    assert "Standardise" in finding.remedy
    (finding,) = verdict(dominated(leakage(0.8), leakage(0.1), feature="pro\nline")).findings
    assert r"Column pro\nline has 0.950 of the variance" in finding.remedy


@pytest.mark.parametrize(
    ("raw", "rescaled", "kinds"),
    [
        (leakage(0.8), leakage(0.7), ["limit"]),
        (leakage(0.3), leakage(0.1), []),
        (leakage(0.3), leakage(0.8), []),
        (sampled(0.5, (0.4, 0.6)), leakage(0.1), ["open limit"]),
        (leakage(0.8), sampled(0.4, (0.3, 0.6)), ["limit"]),
        (sampled(0.8, (0.7, 0.9)), sampled(0.1, (0.0, 0.3)), ["dominated by one feature"]),
    ],
)
def test_a_dominating_feature_is_at_fault_only_if_leakage_goes_with_it(raw, rescaled, kinds):
    assert [one.kind for one in verdict(dominated(raw, rescaled)).findings] == kinds


def test_few_positives_are_told_beside():
    positives = dict.fromkeys("abc", 5)
    found = report(integrity=integrity(shared=shared(9)), positives=positives, **WORST)
    assert [one.kind for one in verdict(found).findings] == ["shared rows", "few positives"]
    assert verdict(found).status == "ill posed"


def test_a_constant_representation_is_told_alone():
    X, y = np.ones((90, 2)), labels(90)
    found = verdict(evaluate(ClassSplit(X, y), k=3, detectors=()))
    assert [one.kind for one in found.findings] == ["constant representation"]


def test_findings_are_plain():
    changes = {key: value for one, _, _ in FOUND.values() for key, value in one.items()}
    found = report(integrity=integrity(piles=Piles(largest=40, beside=rows(9)), **changes))
    said = verdict(found).to_dict()
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert len(said["findings"]) == 4


# --- measured and judged --------------------------------------------------------------------


def kinds(split, **options):
    found = judge(evaluate(split, **options))
    return [finding.kind for finding in found.findings]


def test_a_few_duplicates_stay_well_posed():
    X, y = clusters([[0.0], [50.0]], 300)
    X[300] = X[301]
    X[0] = X[1]
    pool, y_pool = clusters([[0.0], [50.0]], 300, seed=1)
    pool[:3] = X[:3]
    assert kinds(ClassSplit(X, y, train=(pool, y_pool)), detectors=("knn",)) == []


def test_a_training_row_scored_by_its_own_model_is_not_believed():
    X, y = plain(200), labels(200, 2)
    split = ClassSplit(X, y, train=(X, y))
    report = evaluate(split, k=1, detectors=("knn",))
    assert set(report.detectors["knn"].auroc.values()) == {1.0}
    assert [one.kind for one in judge(report).findings] == ["shared rows"]


def test_a_held_out_class_left_in_the_pool_is_told_and_geometry_is_not_blamed():
    X, y = clusters([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 60)
    wrong = np.where(y == 2, 1, y)
    pool = np.r_[X[y == 2], clusters([[0.0, 0.0], [9.0, 0.0]], 60, seed=1)[0]]
    y_pool = np.r_[wrong[y == 2], np.repeat([0, 1], 60)]
    found = judge(
        evaluate(ClassSplit(X, y, train=(pool, y_pool), held_out=[2]), detectors=("knn",))
    )
    assert [one.kind for one in found.findings] == ["contaminated pool", "shared rows"]
    assert found.findings[0].classes == (2,)
    mended = pool[60:], y_pool[60:]
    assert kinds(ClassSplit(X, y, train=mended, held_out=[2]), detectors=("knn",)) == []


def test_near_duplicates_across_folds():
    X, y = clusters([[0.0, 0.0], [9.0, 0.0]], 100)
    X[1::2] = X[::2] + 1e-9
    assert kinds(ClassSplit(X, y), detectors=("knn",)) == ["shared rows"]


def test_equal_rows_of_a_cross_fit_share_a_fold_and_geometry_is_judged():
    X, y = clusters([[0.0, 0.0], [9.0, 0.0]], 100)
    X[1::2] = X[::2]
    assert kinds(ClassSplit(X, y), detectors=("knn",)) == []


def test_more_equal_rows_than_a_fold_can_hold():
    X, y = clusters([[0.0, 0.0], [9.0, 0.0]], 100)
    X[:50] = X[0]
    assert kinds(ClassSplit(X, y), detectors=("knn",)) == ["shared rows"]


def test_labels_that_say_nothing_of_equal_rows():
    X = np.repeat(plain(20, 1), 12, axis=0)
    split = ClassSplit(X, labels(240, 3), folds=2)
    found = judge(evaluate(split, detectors=()), Thresholds(max_duplicates=None))
    assert [one.kind for one in found.findings] == ["conflicting labels"]


def test_a_noise_column_beside_a_separable_one():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 100)
    X = np.c_[rng.normal(scale=1e4, size=300), 20 * y + rng.normal(size=300)]
    assert kinds(ClassSplit(X, y), detectors=("knn",)) == ["dominated by one feature"]
    assert kinds(ClassSplit(X / X.std(axis=0), y), detectors=("knn",)) == []


@pytest.mark.parametrize(
    ("spread", "status"),
    [
        (None, "well posed"),
        (1.0, "well posed"),
        (3.0, "well posed"),
        (1 / 3, "well posed"),
        (3.1, "ill posed"),
        (0.3, "ill posed"),
        (0.0, "ill posed"),
    ],
)
def test_a_pool_on_another_scale(spread, status):
    told = verdict(report(integrity=integrity(pool_spread=spread), n_train=90, folds=None))
    assert told.status == status
    if status == "ill posed":
        (finding,) = told.findings
        assert finding.kind == "pool on another scale"
        assert "the same preparation" in finding.remedy
