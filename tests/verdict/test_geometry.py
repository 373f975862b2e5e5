from __future__ import annotations

import pytest

from pytest_splitcheck import Thresholds, judge
from tests.builders import report

GOOD = dict.fromkeys("abcde", 0.9)
TWO_OF_FIVE = {**GOOD, "b": 0.2, "d": 0.5}
FEW = {"a": 30, "b": 3, "c": 30, "d": 30, "e": 30}


def findings(found, **limits):
    return judge(found, Thresholds(**limits)).findings


def alone(geometry=TWO_OF_FIVE, **options):
    return report({}, geometry=geometry, **options)


# --- the limit ------------------------------------------------------------------------------


@pytest.mark.parametrize(("bound", "passes"), [(0.4, True), (0.4 - 1e-6, False), (1, True)])
@pytest.mark.parametrize("aurocs", [{}, {"knn": GOOD}])
def test_a_limit_on_geometry(aurocs, bound, passes):
    found = report(aurocs, geometry=TWO_OF_FIVE)
    judged = judge(found, Thresholds(max_rho_dir_geo=bound))
    assert (judged.status == "well posed") == passes
    if not passes:
        (finding,) = judged.findings
        assert (finding.kind, finding.status, finding.limit) == (
            "limit",
            "ill posed",
            "max_rho_dir_geo",
        )
        assert (finding.bound, finding.source) == (bound, "thresholds")
        assert finding.value == pytest.approx(0.4)


def test_it_is_off_by_default_where_there_are_detectors():
    assert findings(report({"knn": GOOD}, geometry=dict.fromkeys("abcde", 0.5))) == ()


def test_without_detectors_the_limit_on_rho_dir_is_held_against_geometry():
    (finding,) = findings(alone(), max_rho_dir=0.3)
    assert (finding.limit, finding.source) == ("max_rho_dir", "thresholds")
    assert finding.message == "rho_dir_geo = 0.400 > 0.3"
    assert finding.figure == "AUROC of geometry alone"
    assert finding.classes == ("b", "d")
    assert finding.details == ("b (0.200)", "d (0.500)")
    assert findings(alone(), max_rho_dir=None) == ()


def test_a_limit_of_its_own_goes_before_that_on_rho_dir():
    assert findings(alone(), max_rho_dir_geo=0.5) == ()
    (finding,) = findings(alone(), max_rho_dir_geo=0.3)
    assert finding.limit == "max_rho_dir_geo"


def test_a_majority_that_points_down_is_told():
    down = {"a": 0.1, "b": 0.2, "c": 0.1, "d": 0.9, "e": 0.5}
    (finding,) = findings(alone(down))
    assert finding.classes == ("d", "e")
    assert (
        finding.figure
        == "AUROC of geometry alone, of those that do not point the way of most; most are below 1/2"
    )


def test_without_geometry_leakage_alone_is_judged():
    assert findings(report({})) == ()


def test_a_limit_on_what_was_not_measured_is_open():
    judged = judge(report({"knn": GOOD}), Thresholds(max_rho_dir_geo=0.1))
    assert judged.status == "undecided"
    (finding,) = judged.findings
    assert (finding.kind, finding.limit, finding.bound) == ("open limit", "max_rho_dir_geo", 0.1)
    assert "geometry=True" in finding.message


# --- what takes the force from it -----------------------------------------------------------


def test_few_positives_leave_it_undecided():
    judged = judge(alone(positives=FEW), Thresholds())
    assert judged.status == "undecided"
    assert [finding.kind for finding in judged.findings] == ["limit", "few positives"]
    assert {finding.status for finding in judged.findings} == {"undecided"}


def test_few_positives_are_told_once():
    found = report({"knn": TWO_OF_FIVE}, geometry=TWO_OF_FIVE, positives=FEW)
    judged = judge(found, Thresholds(max_rho_dir_geo=0.1))
    assert [finding.limit for finding in judged.findings] == [
        "max_rho_dir",
        "min_positives",
        "max_rho_dir_geo",
    ]
    assert judged.status == "undecided"


@pytest.mark.parametrize("limits", [{"max_rho_dir": None}, {"max_rho_dir": 1}])
def test_few_positives_take_nothing_from_leakage_alone(limits):
    assert findings(alone(positives=FEW), **limits) == ()


def test_geometry_that_gives_no_ranking_is_undecided():
    found = alone(dict.fromkeys("abc", 0.5), no_ranking={"geometry": ("a", "c")})
    judged = judge(found, Thresholds())
    assert judged.status == "undecided"
    assert judged.findings[-1].message == (
        "geometry alone gives all rows the same score in 2 of 3 splits"
    )


# --- whose fault it is ----------------------------------------------------------------------

INVERTED = {"a": 0.9, "b": 0.2, "c": 0.3, "d": 0.5, "e": 0.9}


def test_the_classes_responsible_are_attributed():
    found = report(
        {"knn": {**INVERTED, "c": 0.9}, "lof": INVERTED},
        geometry={**GOOD, "b": 0.3, "d": 0.5},
        no_ranking={"geometry": ("d",)},
    )
    (finding,) = findings(found, max_rho_dir=0.4)
    assert finding.fault == (("geometry", ("b",)), ("lof alone", ("c",)), ("open", ("d",)))
    assert finding.to_dict()["fault"] == [
        ["geometry", ["b"]],
        ["lof alone", ["c"]],
        ["open", ["d"]],
    ]


@pytest.mark.parametrize(
    ("limit", "fault"),
    [("max_rho_inv", (("knn alone", ("b", "c")),)), ("max_rho_rnd", (("knn alone", ("d",)),))],
)
def test_each_limit_on_rates_has_its_own_classes(limit, fault):
    found = report({"knn": INVERTED}, geometry=GOOD)
    (finding,) = findings(found, max_rho_dir=None, **{limit: 0.1})
    assert finding.fault == fault


def test_a_detector_is_told_of_what_it_does_itself():
    found = report(
        {"knn": INVERTED, "lof": {**GOOD, "b": 0.5}, "mine": GOOD}, geometry={**GOOD, "c": 0.5}
    )
    by_limit = {
        f.limit: f.fault for f in findings(found, max_rho_dir=0.1, max_rho_inv=0.1, max_rho_rnd=0.1)
    }
    assert by_limit == {
        "max_rho_dir": (
            ("geometry", ("c",)),
            ("knn alone", ("b", "d")),
            ("lof alone", ("b",)),
        ),
        "max_rho_inv": (("geometry", ("c",)), ("knn alone", ("b",))),
        "max_rho_rnd": (("knn alone", ("d",)), ("lof alone", ("b",))),
    }


def test_where_the_majority_points_down_it_is_the_inverted_classes_that_are_attributed():
    down = {"a": 0.1, "b": 0.2, "c": 0.1, "d": 0.9, "e": 0.5}
    (finding,) = findings(report({"knn": down}, geometry={**down, "a": 0.9}))
    assert finding.classes == ("d", "e")
    assert finding.fault == (("geometry", ("e", "b", "c")), ("knn alone", ("a",)))


def test_other_findings_have_no_fault():
    found = report({"knn": INVERTED}, geometry=GOOD)
    kinds = {f.limit: f.fault for f in findings(found, max_leakage=0.01)}
    assert kinds["max_leakage"] == ()


WEAK = {"a": 0.79, "b": 0.6, "c": 0.9, "d": 0.7, "e": 0.7}


def test_a_mean_that_geometry_keeps_is_the_fault_of_the_detectors_below_it():
    found = report({"knn": GOOD, "weak": WEAK}, geometry=GOOD)
    (finding,) = findings(found, min_auroc=0.85)
    assert finding.fault == (("weak alone", ("a", "b", "d", "e")),)
    both = report({"knn": {**GOOD, "c": 0.6}, "weak": WEAK}, geometry=GOOD)
    (finding,) = findings(both, min_auroc=0.85)
    assert finding.fault == (("knn alone", ("c",)), ("weak alone", ("a", "b", "d", "e")))


@pytest.mark.parametrize(
    "geometry",
    [
        None,
        {**GOOD, "a": 0.3},  # which geometry inverts
        {**GOOD, "a": 0.51},  # of which it is not known
        dict.fromkeys("abcde", 0.84),  # which keeps the limit no more than the detector does
    ],
)
def test_a_mean_that_geometry_does_not_keep_is_not_known_to_be_a_fault_of_detectors(geometry):
    (finding,) = findings(report({"weak": WEAK}, geometry=geometry), min_auroc=0.85)
    assert (finding.limit, finding.fault) == ("min_auroc", ())


def test_without_geometry_there_is_no_fault():
    (finding,) = findings(report({"knn": INVERTED}))
    assert finding.fault == ()


def test_confident_counts_what_the_intervals_leave_open():
    geometry = {**GOOD, "b": 0.3, "c": 0.49, "d": 0.5}
    wide = {"geometry": dict.fromkeys("cd", (0.4, 0.6))}
    limits = {"max_rho_dir_geo": 0.3, "confident": True}
    (finding,) = findings(report({"knn": GOOD}, geometry=geometry, intervals=wide), **limits)
    assert (finding.kind, finding.status) == ("unresolved", "undecided")
    assert finding.message == "rho_dir_geo = 0.600 > 0.3 (resolved: 0.200)"
    (finding,) = findings(report({"knn": GOOD}, geometry=geometry), **limits)
    assert (finding.kind, finding.status) == ("limit", "ill posed")
