"""Limits that count only what is known of the directions."""

from __future__ import annotations

import json

import pytest

from pytest_splitcheck import InputError, Thresholds, judge
from tests.builders import leakage, report

GOOD = dict.fromkeys("abcde", 0.9)
SOME_INVERTED = {**GOOD, "a": 0.3, "b": 0.47, "c": 0.48}
WIDE = {"b": (0.4, 0.56), "c": (0.41, 0.57)}
"""Intervals in which b and c may be inverted or not."""


def verdict(found, *, confident=True, **limits):
    return judge(found, Thresholds(confident=confident, **limits))


def one(found, **limits):
    (finding,) = verdict(found, **limits).findings
    return finding


@pytest.fixture
def unsure():
    """Of five classes one is surely inverted, and two may be."""
    return report({"knn": SOME_INVERTED}, intervals={"knn": WIDE})


def test_the_point_rates_decide_unless_asked(unsure):
    assert Thresholds().confident is False
    found = judge(unsure, Thresholds(max_rho_dir=0.2))
    assert found.status == "ill posed"
    assert found.findings[0].kind == "limit"


@pytest.mark.parametrize(
    ("limit", "symbol"), [("max_rho_dir", "rho_dir"), ("max_rho_inv", "rho_inv")]
)
def test_a_limit_that_only_unresolved_classes_break_is_undecided(unsure, limit, symbol):
    limits = {"max_rho_dir": None, limit: 0.2, "sources": {limit: "pytest.ini"}}
    assert verdict(unsure, **limits).status == "undecided"
    finding = one(unsure, **limits)
    assert (finding.kind, finding.status) == ("unresolved", "undecided")
    assert (finding.limit, finding.bound, finding.source) == (limit, 0.2, "pytest.ini")
    assert (finding.value, finding.resolved) == (0.6, 0.2)
    assert finding.message == f"{symbol} = 0.600 > 0.2 (resolved: 0.200)"
    assert finding.classes == ("b", "c")
    assert finding.details == ("b (knn 0.400-0.560)", "c (knn 0.410-0.570)")
    assert finding.figure == "95 % interval of AUROC"


@pytest.mark.parametrize("limit", ["max_rho_dir", "max_rho_inv"])
def test_a_limit_that_resolved_classes_break_is_exceeded(unsure, limit):
    finding = one(unsure, **{"max_rho_dir": None, limit: 0.1})
    assert (finding.kind, finding.status) == ("limit", "ill posed")
    assert (finding.value, finding.resolved) == (0.6, None)
    assert finding.details == ("a (knn 0.300)", "b (knn 0.470)", "c (knn 0.480)")


@pytest.mark.parametrize("limit", ["max_rho_dir", "max_rho_inv"])
def test_a_limit_that_no_class_breaks_is_kept(unsure, limit):
    assert verdict(unsure, **{"max_rho_dir": None, limit: 0.6}).status == "well posed"


def test_a_class_that_is_known_to_be_random_counts():
    found = report({"knn": {**GOOD, "b": 0.5}}, intervals={"knn": {"b": (0.46, 0.54)}})
    assert one(found, max_rho_dir=0.1).status == "ill posed"
    found = report({"knn": {**GOOD, "b": 0.5}}, intervals={"knn": {"b": (0.46, 0.56)}})
    assert one(found, max_rho_dir=0.1).status == "undecided"


def test_a_class_within_the_band_may_point_out_of_it():
    """The sign is resolved, the direction is not: it may be +1, or 0, which counts against."""
    found = report({"knn": {**GOOD, "b": 0.54}}, intervals={"knn": {"b": (0.51, 0.57)}})
    assert found.detectors["knn"].resolved["b"] == 1
    finding = one(found, max_rho_dir=0.1)
    assert (finding.kind, finding.classes) == ("unresolved", ("b",))


def test_a_direction_that_depends_on_the_seed_is_told():
    by_seed = {**{label: [0.9, 0.9] for label in GOOD}, "d": [0.2, 0.52]}
    found = report({"iforest": by_seed}, seeds=(0, 1), intervals={"iforest": {"d": (0.33, 0.39)}})
    finding = one(found, max_rho_dir=0.1)
    assert finding.kind == "unresolved"
    assert finding.details == ("d (iforest 0.330-0.390, seeds differ)",)


def test_only_detectors_that_do_not_know_are_named():
    found = report({"knn": SOME_INVERTED, "lof": SOME_INVERTED}, intervals={"lof": WIDE})
    finding = one(found, max_rho_dir=0.5)
    assert finding.message == "rho_dir = 0.600 > 0.5 (resolved: 0.400)"
    assert finding.details == ("b (lof 0.400-0.560)", "c (lof 0.410-0.570)")


def test_a_limit_between_the_two_rates_by_rounding_only_is_kept():
    found = report({"knn": {**GOOD, "a": 0.1}})
    assert verdict(found, max_rho_dir=0.2 - 1e-12).status == "well posed"


def test_other_limits_are_as_they_were(unsure):
    finding = one(unsure, max_rho_dir=None, max_rho_rnd=0.1)
    assert (finding.limit, finding.status) == ("max_rho_rnd", "ill posed")
    finding = one(unsure, max_rho_dir=None, min_auroc=0.9)
    assert (finding.limit, finding.status) == ("min_auroc", "ill posed")


def test_leakage_is_ill_posed_all_the_same():
    found = report(
        {"knn": SOME_INVERTED}, intervals={"knn": WIDE}, leakage=leakage(0.7, classes="abcde")
    )
    assert verdict(found).status == "ill posed"
    assert [finding.kind for finding in verdict(found).findings] == ["limit", "unresolved"]


def test_few_positives_are_undecided_all_the_same(unsure):
    few = report({"knn": SOME_INVERTED}, positives={**dict.fromkeys("abcde", 30), "e": 3})
    assert [finding.kind for finding in verdict(few).findings] == ["limit", "few positives"]
    assert verdict(few).status == "undecided"


def test_it_is_plain(unsure):
    said = verdict(unsure).to_dict()
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert said["findings"][0]["resolved"] == 0.2


@pytest.mark.parametrize("value", [None, 1, 0, "yes", "true"])
def test_it_is_yes_or_no(value):
    with pytest.raises(InputError, match="confident must be True or False; got"):
        Thresholds(confident=value)
