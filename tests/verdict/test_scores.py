"""What is found on scores that are not what they should be."""

from __future__ import annotations

import pytest

from pytest_splitcheck import Thresholds, judge
from tests.builders import leakage, report

GOOD = dict.fromkeys("abcde", 0.9)
TWO_OF_FIVE = {**GOOD, "b": 0.2, "d": 0.5}
OFF = Thresholds(max_leakage=None, max_rho_dir=None)


def one(found):
    """Return the only finding, without any limit."""
    verdict = judge(found, OFF)
    assert verdict.status == "undecided"
    (finding,) = verdict.findings
    return finding


def test_labels_in_the_place_of_scores_are_undecided():
    finding = one(report({"knn": GOOD, "mine": GOOD}, hard_labels={"mine": ("b", "c")}))
    assert (finding.kind, finding.status, finding.limit) == ("hard labels", "undecided", None)
    assert (finding.classes, finding.details) == (("b", "c"), ("b", "c"))
    assert finding.message == (
        "detector mine gives two distinct scores only, as labels are, in 2 of 5 splits"
    )
    assert finding.remedy == (
        "Pass the scores of mine, such as score_samples or decision_function, not predict."
    )


@pytest.mark.parametrize("far", [0.0, 0.2499999])
def test_far_rows_that_rank_as_normal_are_undecided(far):
    finding = one(report({"knn": GOOD, "mine": GOOD}, far_auroc={"mine": far}))
    assert (finding.kind, finding.status, finding.limit) == ("looks reversed", "undecided", None)
    assert (finding.value, finding.classes) == (far, ())
    assert finding.message == (f"detector mine ranks far-away rows as normal (AUROC {far:.3f})")
    assert finding.remedy == (
        "mine gives rows far outside the pool lower scores than normal rows. If its scores are high for "
        "normal rows, turn their sign: with HighIsNormal(...), or in its own class where that derives from a "
        "library's."
    )


@pytest.mark.parametrize("far", [0.25, 0.5, 1.0])
def test_far_rows_that_rank_otherwise_are_no_finding(far):
    found = report({"mine": GOOD}, far_auroc={"mine": far})
    assert judge(found, OFF).status == "well posed"


@pytest.mark.parametrize("doubt", [{"hard_labels": {"knn": ("a",)}}, {"far_auroc": {"knn": 0.1}}])
def test_such_scores_prove_no_limit_on_rates_exceeded(doubt):
    verdict = judge(report({"knn": TWO_OF_FIVE}, **doubt))
    assert verdict.status == "undecided"
    assert [finding.limit for finding in verdict.findings] == ["max_rho_dir", None]
    leaking = report({"knn": TWO_OF_FIVE}, leakage=leakage(0.7), **doubt)
    assert judge(leaking).status == "ill posed"


# --- recorded scores, which cannot be tried on far-away rows --------------------------------

DOWN = dict.fromkeys("abcde", 0.05)


def kinds(aurocs, geometry=GOOD, **options):
    """Return what is found of the recorded scores `mine`."""
    found = report({"mine": aurocs}, geometry=geometry, recorded=["mine"], **options)
    return [finding.kind for finding in judge(found, OFF).findings]


def test_recorded_scores_that_turn_geometry_around_are_undecided():
    found = report({"mine": {**DOWN, "c": 0.02}}, geometry=GOOD, recorded=["mine"])
    finding = one(found)
    assert (finding.kind, finding.status, finding.limit) == ("looks reversed", "undecided", None)
    assert finding.message == (
        "detector mine is below 1/2 in the 5 classes that geometry alone ranks the right way"
    )
    assert finding.classes == ("c", "a", "b", "d", "e")
    assert finding.details[:2] == (
        "c (mine 0.020, geometry 0.900)",
        "a (mine 0.050, geometry 0.900)",
    )
    assert finding.figure == "AUROC"
    assert finding.remedy == (
        "Seen from the geometry of the evaluation set, in which these classes lie apart from the others; recorded "
        "scores cannot be tried on far-away rows. If those of mine are high for normal rows, declare it: "
        "HighIsNormal(RecordedScores(...)), or high_is_normal = true in a TOML file."
    )


def test_a_detector_that_was_asked_is_not_held_against_geometry():
    assert judge(report({"mine": DOWN}, geometry=GOOD), OFF).status == "well posed"


@pytest.mark.parametrize(
    ("aurocs", "geometry", "is_found"),
    [
        ({"a": 0.05, "b": 0.05}, {"a": 0.9, "b": 0.9}, True),
        ({"a": 0.05, "b": 0.05}, {"a": 0.9, "b": 0.5}, False),  # one class is not enough
        ({"a": 0.05, "b": 0.05, "c": 0.05}, {"a": 0.9, "b": 0.9, "c": 0.2}, True),
        ({"a": 0.05, "b": 0.05, "c": 0.9}, {"a": 0.9, "b": 0.9, "c": 0.9}, False),
        ({"a": 0.05, "b": 0.05, "c": 0.9}, {"a": 0.9, "b": 0.9, "c": 0.2}, True),
        ({**DOWN, "c": 0.45}, GOOD, True),  # unsure, but not up
        ({**DOWN, "c": 0.501}, GOOD, False),
        (dict.fromkeys("abcde", 0.49), GOOD, False),
        (DOWN, {**GOOD, "a": 0.1, "b": 0.1}, True),
        (DOWN, {**GOOD, "a": 0.1, "b": 0.1, "c": 0.5}, False),  # fewer than half of all
        (DOWN, dict.fromkeys("abcde", 0.1), False),
        (GOOD, GOOD, False),
    ],
)
def test_how_many_classes_have_to_be_turned_around(aurocs, geometry, is_found):
    assert kinds(aurocs, geometry) == ["looks reversed"] * is_found


def test_one_held_out_class_is_not_enough():
    assert kinds({"a": 0.05}, {"a": 0.9}, classes="ab") == []


def test_classes_whose_direction_depends_on_the_seed_are_not_sure():
    by_seed = {label: [0.1, 0.6] for label in "abc"} | {"d": [0.1, 0.1], "e": [0.1, 0.2]}
    found = {"geometry": {label: [0.9, 0.9] for label in "abcde"}, "seeds": (0, 1)}
    assert kinds(by_seed, **found) == []
    assert kinds({**by_seed, "c": [0.1, 0.2]}, **found) == ["looks reversed"]


def test_without_geometry_detectors_that_were_fitted_are_asked():
    aurocs = {"mine": DOWN, "knn": GOOD, "lof": {**GOOD, "a": 0.3}, "wrong": DOWN}
    options = {"recorded": ["mine"], "far_auroc": {"wrong": 0.0}}
    *_, finding = judge(report(aurocs, **options), OFF).findings
    assert finding.message.startswith("detector wrong")
    finding, _ = judge(report(aurocs, **options), OFF).findings
    assert finding.message == (
        "detector mine is below 1/2 in the 4 classes that knn and lof rank the right way"
    )
    assert finding.classes == ("b", "c", "d", "e")
    assert finding.details[0] == "b (mine 0.050, knn 0.900, lof 0.900)"
    assert "Seen from knn and lof, as geometry alone was not measured" in finding.remedy
    assert kinds(DOWN, geometry=None) == []
