from __future__ import annotations

import dataclasses
import json
import pickle

import numpy as np
import pytest

from pytest_splitcheck import (
    ClassSplit,
    IllPosedSplit,
    SplitcheckFailure,
    Thresholds,
    UndecidedSplit,
    evaluate,
    judge,
)
from pytest_splitcheck.measure import results
from pytest_splitcheck.measure.results import class_names
from pytest_splitcheck.verdict.failures import failure
from pytest_splitcheck.verdict.finding import Finding, Verdict, also
from tests.builders import leakage, report, sampled


def verdict(found=None, **limits):
    return judge(report() if found is None else found, Thresholds(**limits))


def one(found, **limits):
    """Return the only finding."""
    (finding,) = verdict(found, **limits).findings
    return finding


GOOD = dict.fromkeys("abcde", 0.9)
TWO_OF_FIVE = {**GOOD, "b": 0.2, "d": 0.5}


# --- passing --------------------------------------------------------------------------------


def test_within_every_limit_is_well_posed():
    found = verdict()
    assert (found.status, found.findings) == ("well posed", ())


def test_the_default_limits_are_used_if_none_are_given():
    assert judge(report()).status == "well posed"
    assert judge(report({"knn": TWO_OF_FIVE})).status == "ill posed"


LIMITS = {
    "max_leakage": (report(leakage=leakage(0.3)), 0.3),
    "max_leakage_ratio": (report(leakage=leakage(0.3, ratio=0.3)), 0.3),
    "max_rho_dir": (report({"knn": TWO_OF_FIVE}), 0.4),
    "max_rho_inv": (report({"knn": TWO_OF_FIVE}), 0.2),
    "max_rho_rnd": (report({"knn": TWO_OF_FIVE}), 0.2),
    "min_auroc": (report({"knn": TWO_OF_FIVE}), 0.68),
}
OFF = dict.fromkeys(LIMITS)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_value_at_the_limit_passes(limit):
    found, value = LIMITS[limit]
    assert verdict(found, **{**OFF, limit: value}).status == "well posed"


@pytest.mark.parametrize("limit", LIMITS)
def test_a_value_beyond_the_limit_does_not(limit):
    found, value = LIMITS[limit]
    bound = value + (1e-6 if limit == "min_auroc" else -1e-6)
    finding = one(found, **{**OFF, limit: bound})
    assert (finding.kind, finding.status) == ("limit", "ill posed")
    assert (finding.limit, finding.bound, finding.source) == (limit, bound, "thresholds")
    assert finding.value == pytest.approx(value)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_that_is_off_finds_nothing(limit):
    assert verdict(LIMITS[limit][0], **OFF).status == "well posed"


def test_rates_of_a_tenth_two_and_three_do_not_exceed_their_mean():
    ten = dict.fromkeys("abcdefghij", 0.9)
    inverted = {n: {**ten, **dict.fromkeys("abc"[:n], 0.1)} for n in (1, 2, 3)}
    found = report({"one": inverted[1], "two": inverted[2], "three": inverted[3]})
    assert verdict(found, max_rho_dir=0.2).status == "well posed"


def test_a_value_does_not_exceed_a_limit_by_rounding():
    found = report(leakage=leakage((0.1 + 0.2 + 0.3) / 3))
    assert found.leakage.value > 0.2
    assert verdict(found, max_leakage=0.2).status == "well posed"


def test_one_detector_in_three_does_not_decide():
    rates = {"good": GOOD, "better": GOOD, "bad": TWO_OF_FIVE}
    assert verdict(report(rates), max_rho_dir=0.4 / 3).status == "well posed"


# --- who is responsible ---------------------------------------------------------------------


def test_leaking_classes_are_named_the_worst_first():
    per_class = {"a": 0.6, "b": 0.2, "c": 0.9}
    finding = one(report(leakage=leakage(0.55, per_class=per_class)))
    assert finding.classes == ("c", "a")
    assert finding.details == ("c (0.900)", "a (0.600)")
    assert finding.message == "L_10 = 0.550 > 0.5"
    assert finding.source == "default"


def test_the_ratio_is_shown_by_class_too():
    per_class = {"a": 0.2, "b": 0.1, "c": 0.6}
    found = report(leakage=leakage(0.5, ratio=1.0, chance=0.5, per_class=per_class))
    finding = one(found, max_leakage_ratio=0.5)
    assert finding.details == ("c (1.200)",)
    assert "L_10/chance = 1.000 > 0.5" in finding.message


def test_classes_that_point_elsewhere_are_named_with_their_detectors():
    found = report({"knn": TWO_OF_FIVE, "lof": {**GOOD, "b": 0.3}})
    finding = one(found)
    assert finding.classes == ("b", "d")
    assert finding.details == ("b (knn 0.200, lof 0.300)", "d (knn 0.500)")


def test_the_class_that_most_detectors_fail_on_comes_first():
    found = report({"knn": TWO_OF_FIVE, "lof": {**GOOD, "d": 0.5}})
    assert one(found).classes == ("d", "b")


def test_inverted_classes_are_named():
    finding = one(report({"knn": {**GOOD, "b": 0.49}}), max_rho_inv=0.1)
    assert finding.classes == ("b",)


def test_near_random_classes_are_named():
    finding = one(report({"knn": {**GOOD, "b": 0.55}}), max_rho_rnd=0.1)
    assert finding.classes == ("b",)


def test_classes_of_low_auroc_are_named():
    found = report({"knn": {"a": 0.9, "b": 0.6, "c": 0.7}})
    finding = one(found, min_auroc=0.8)
    assert finding.classes == ("b", "c")
    assert finding.message == "mean AUROC = 0.733 < 0.8"


def test_groups_are_named():
    found = report({"knn": {("a", "b"): 0.2, "c": 0.9}}, classes=("a", "b", "c"))
    assert one(found).details == ("a+b (knn 0.200)",)


def test_every_limit_that_is_exceeded_is_a_finding():
    found = report({"knn": TWO_OF_FIVE}, leakage=leakage(0.7))
    limits = {"max_leakage_ratio": 0.5, "max_rho_inv": 0.1, "max_rho_rnd": 0.1, "min_auroc": 0.9}
    assert [finding.limit for finding in verdict(found, **limits).findings] == [
        "max_leakage",
        "max_leakage_ratio",
        "max_rho_dir",
        "max_rho_inv",
        "max_rho_rnd",
        "min_auroc",
    ]


def test_the_source_comes_with_the_finding():
    limits = Thresholds(max_leakage=0.05, sources={"max_leakage": "marker"})
    assert judge(report(), limits).findings[0].source == "marker"


@pytest.mark.parametrize(
    ("value", "bound", "message"),
    [
        (0.7, 0.5, "L_10 = 0.700 > 0.5"),
        (0.50004, 0.5, "L_10 = 0.50004 > 0.5"),
        (0.5000001, 0.5, "L_10 = 0.5000001 > 0.5"),
        (0.50000001, 0.5, "L_10 = 0.50000001 > 0.5"),
        (0.2004, 0.2003, "L_10 = 0.2004 > 0.2003"),
        (0.4, 1 / 3, "L_10 = 0.400 > 0.3333333333333333"),
    ],
)
def test_numbers_have_the_digits_that_explain_the_verdict(value, bound, message):
    assert one(report(leakage=leakage(value)), max_leakage=bound).message == message


def test_names_are_found_once_per_finding(monkeypatch):
    calls = []

    def counted(labels):
        calls.append(1)
        return class_names(labels)

    monkeypatch.setattr(results, "class_names", counted)
    classes = [f"class {number}" for number in range(50)]
    found = report({"knn": dict.fromkeys(classes, 0.5)}, leakage=leakage(0.7, classes=classes))
    findings = verdict(found).findings
    assert len(calls) <= len(findings)


# --- leakage from a sample of the rows ------------------------------------------------------

SAMPLE = "(sampled: 64 of 1,000,000 rows, alpha 0.001)"


def test_an_interval_above_the_limit_exceeds_it():
    per_class = {"a": 0.9, "b": 0.2, "c": None}
    finding = one(report({}, leakage=sampled(0.761, (0.6, 0.9), per_class=per_class)))
    assert (finding.kind, finding.status, finding.value) == ("limit", "ill posed", 0.761)
    assert finding.message == f"L_10 = 0.761 > 0.5 {SAMPLE}"
    assert finding.details == ("a (0.900)",)
    assert finding.figure == "L_10 of the rows sampled"


@pytest.mark.parametrize("interval", [(0.1, 0.3), (0.1, 0.5), (0.5, 0.5)])
def test_an_interval_at_or_below_the_limit_keeps_it(interval):
    assert verdict(report({}, leakage=sampled(0.2, interval))).status == "well posed"


@pytest.mark.parametrize("interval", [(0.4, 0.6), (0.5, 0.6), (0.4, 0.5001)])
def test_an_interval_on_either_side_is_undecided(interval):
    found = report({}, leakage=sampled(0.52, interval))
    assert verdict(found).status == "undecided"
    finding = one(found)
    assert (finding.kind, finding.limit, finding.bound) == ("open limit", "max_leakage", 0.5)
    assert (finding.source, finding.value) == ("default", 0.52)
    between = f"{interval[0]:.3f} and {interval[1]:.3f}"
    assert finding.message == f"L_10 is between {between}, on either side of 0.5 {SAMPLE}"


def test_the_ratio_has_an_interval_too():
    found = report({}, leakage=sampled(0.4, (0.36, 0.44), chance=0.8, ratio=0.5))
    for limit, status in ((0.44, "ill posed"), (0.5, "undecided"), (0.56, "well posed")):
        assert verdict(found, max_leakage_ratio=limit).status == status
    finding = one(found, max_leakage_ratio=0.44)
    assert finding.message == f"L_10/chance = 0.500 > 0.44 {SAMPLE}"
    finding = one(found, max_leakage_ratio=0.5)
    assert "L_10/chance is between 0.450 and 0.550, on either side of 0.5" in finding.message


def test_a_limit_that_is_off_needs_no_interval():
    assert verdict(report({}, leakage=sampled(0.5, (0.2, 0.8))), **OFF).status == "well posed"


# --- undecided ------------------------------------------------------------------------------


def positives(**counts):
    return {**dict.fromkeys("abcde", 30), **counts}


def test_few_positives_are_undecided():
    finding = one(report({"knn": GOOD}, positives=positives(b=19, d=3)))
    assert (finding.kind, finding.status) == ("few positives", "undecided")
    assert (finding.limit, finding.bound, finding.value) == ("min_positives", 20.0, 3.0)
    assert finding.classes == ("d", "b")
    assert finding.details == ("d (3)", "b (19)")
    assert finding.message == "2 of 5 held-out classes have fewer than 20 rows"


def test_enough_positives_are_enough():
    assert verdict(report({"knn": GOOD}, positives=positives(b=20))).status == "well posed"


@pytest.mark.parametrize("least", [None, 0, 1])
def test_the_least_number_of_positives_can_be_lowered(least):
    found = report({"knn": GOOD}, positives=positives(b=1))
    assert verdict(found, min_positives=least).status == "well posed"


def test_rates_of_few_positives_are_no_proof():
    found = verdict(report({"knn": TWO_OF_FIVE}, positives=positives(b=2)))
    assert found.status == "undecided"
    assert [finding.limit for finding in found.findings] == ["max_rho_dir", "min_positives"]


def test_leakage_beats_undecided():
    found = report({"knn": GOOD}, positives=positives(b=2), leakage=leakage(0.7))
    assert verdict(found).status == "ill posed"


def test_few_positives_do_not_matter_without_detectors():
    assert verdict(report({}, positives=positives(b=2))).status == "well posed"


def test_no_ranking_is_undecided_and_never_well_posed():
    found = report({"knn": GOOD, "mine": GOOD}, no_ranking={"mine": ("b", "c")})
    finding = one(found)
    assert (finding.kind, finding.status) == ("no ranking", "undecided")
    assert finding.classes == ("b", "c")
    assert finding.message == "detector mine gives all rows the same score in 2 of 5 splits"


def test_rates_without_ranking_are_no_proof():
    found = report({"knn": dict.fromkeys("abcde", 0.5)}, no_ranking={"knn": tuple("abcde")})
    assert verdict(found).status == "undecided"
    assert verdict(found, **OFF).status == "undecided"


# --- what needs no limit --------------------------------------------------------------------


def test_a_constant_representation_is_ill_posed():
    (finding, *_) = verdict(report(constant=True), **OFF).findings
    assert (finding.kind, finding.status) == ("constant representation", "ill posed")
    assert finding.message == "all 90 rows are equal"


def test_leakage_alone_is_judged():
    assert verdict(report({})).status == "well posed"
    assert one(report({}, leakage=leakage(0.7))).limit == "max_leakage"


def test_an_inverted_class_is_ill_posed_by_geometry_alone():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 3, size=(200, 2)), rng.normal(0, 0.3, size=(40, 2))]
    split = ClassSplit(X, ["wide"] * 200 + ["inside"] * 40)
    found = verdict(evaluate(split, detectors=("knn",)))
    assert found.status == "ill posed"
    (finding,) = [one for one in found.findings if one.limit == "max_rho_dir"]
    assert finding.classes == ("inside",)


# --- several k ------------------------------------------------------------------------------


def at_several(*values, **options):
    first, *others = (
        report(k=k, leakage=leakage(value, k=k), **options)
        for k, value in zip((5, 10, 20), values, strict=False)
    )
    return dataclasses.replace(first, other_k={other.k: other for other in others})


@pytest.mark.parametrize(
    ("values", "statuses"),
    [
        ((0.3, 0.6, 0.7), ["well posed", "ill posed", "ill posed"]),
        ((0.6, 0.3, 0.2), ["ill posed", "well posed", "well posed"]),
        ((0.3, 0.3, 0.5), ["well posed"] * 3),
    ],
)
def test_of_several_k_the_first_decides(values, statuses):
    found = verdict(at_several(*values))
    assert found.by_k == dict(zip((5, 10, 20), statuses, strict=True))
    assert found.status == statuses[0]
    assert len(found.findings) == (statuses[0] == "ill posed")
    assert json.loads(json.dumps(found.to_dict()))["by_k"] == {
        str(k): status for k, status in found.by_k.items()
    }


def test_every_k_has_the_same_limits():
    assert set(verdict(at_several(0.3, 0.4), max_leakage=0.2).by_k.values()) == {"ill posed"}
    few = at_several(0.3, 0.4, positives=positives(b=2))
    assert set(verdict(few).by_k.values()) == {"undecided"}


def test_one_k_needs_no_statuses():
    assert verdict().by_k == {}


# --- plain data -----------------------------------------------------------------------------


def test_a_verdict_is_plain():
    found = report({"knn": TWO_OF_FIVE}, positives=positives(b=2), leakage=leakage(0.7))
    said = verdict(found).to_dict()
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert said["status"] == "ill posed"
    assert [finding["limit"] for finding in said["findings"]] == [
        "max_leakage",
        "max_rho_dir",
        "min_positives",
    ]


def test_limits_of_numpy_become_plain():
    limits = {"max_leakage": np.float32(0.05), "min_positives": np.int64(50)}
    said = verdict(report(), **limits).to_dict()
    assert json.loads(json.dumps(said, allow_nan=False)) == said


@pytest.mark.parametrize(
    ("status", "kind"), [("ill posed", IllPosedSplit), ("undecided", UndecidedSplit)]
)
def test_a_failure_carries_what_led_to_it(status, kind):
    found = report({"knn": TWO_OF_FIVE}, positives=positives(b=2 if status == "undecided" else 30))
    judged = verdict(found)
    raised = failure("no good", found, judged)
    assert type(raised) is kind
    assert isinstance(raised, SplitcheckFailure | AssertionError)
    assert str(raised) == "no good"
    assert (raised.report, raised.verdict) == (found, judged)


def test_a_failure_survives_a_pickle():
    found = report()
    error = failure("ill posed: it", found, verdict(found, max_leakage=0.0))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
    assert again.verdict == error.verdict


def test_further_findings_keep_what_was_known():
    one = Verdict(status="well posed", findings=(), by_k={5: "well posed"}, notes=("a note",))
    worse = Finding(kind="worse than the baseline", status="ill posed", message="")
    unknown = Finding(kind="refused by the baseline", status="undecided", message="")
    assert also(one, []) == one
    assert also(one, [unknown]).status == "undecided"
    assert also(one, [worse, unknown]).status == "ill posed"
    assert also(one, [worse]).by_k == {5: "ill posed"}
    assert also(one, [worse]).notes == ("a note",)
