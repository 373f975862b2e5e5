from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, Thresholds, evaluate, judge
from tests.builders import FirstColumn, clusters, report


def one(detector, geometry, **options):
    """Return whose fault class "a" is, by the AUROCs of a detector and of geometry."""
    found = report(
        {"knn": {"a": detector, "b": 0.9}}, geometry={"a": geometry, "b": 0.9}, **options
    )
    return found.attribution["knn"].get("a")


@pytest.mark.parametrize("detector", [0.0, 0.44, 0.5, 0.55])
@pytest.mark.parametrize(
    ("geometry", "fault"),
    [
        (0.1, "geometry"),
        (0.44, "geometry"),
        (0.5, "geometry"),
        (0.55, "geometry"),
        (0.9, "detector"),
    ],
)
def test_whose_fault_it_is(detector, geometry, fault):
    assert one(detector, geometry) == fault


@pytest.mark.parametrize("geometry", [0.1, 0.5, 0.9])
def test_a_class_that_is_separated_is_nobodys_fault(geometry):
    assert one(0.56, geometry) is None


def test_geometry_without_a_ranking_leaves_it_open():
    assert one(0.1, 0.5, no_ranking={"geometry": ("a",)}) == "open"


def test_without_geometry_nothing_is_attributed():
    assert report({"knn": {"a": 0.1, "b": 0.9}}).attribution == {}


def test_each_detector_is_told_apart():
    found = report(
        {"knn": {"a": 0.1, "b": 0.9}, "lof": {"a": 0.9, "b": 0.3}, "mine": {"a": 0.9, "b": 0.8}},
        geometry={"a": 0.2, "b": 0.9},
    )
    assert found.attribution == {"knn": {"a": "geometry"}, "lof": {"b": "detector"}, "mine": {}}
    assert found.to_dict()["attribution"] == found.attribution


def test_a_class_inside_a_wide_cloud_is_the_geometrys_fault():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(scale=3, size=(2000, 2)), rng.normal(scale=0.5, size=(400, 2))]
    y = ["wide"] * 2000 + ["inside"] * 400
    found = evaluate(ClassSplit(X, y, held_out=["inside"]), detectors=("knn",))
    assert found.detectors["knn"].auroc["inside"] == pytest.approx(0.19, abs=0.05)
    assert found.geometry.auroc["inside"] == pytest.approx(0.19, abs=0.05)
    assert found.geometry.direction == {"inside": -1}
    assert found.attribution == {"knn": {"inside": "geometry"}}
    verdict = judge(found, Thresholds(max_leakage=None, max_rho_inv=0.5))
    assert verdict.findings[0].fault == (("geometry", ("inside",)),)


def test_a_detector_that_looks_away_is_at_fault_itself():
    X, y = clusters([[-9, 0], [0, 0], [9, 0]], 30)
    found = evaluate(ClassSplit(X, y), detectors={"mine": FirstColumn(), "knn": "knn"})
    assert found.geometry.direction == {0: 1, 1: 1, 2: 1}
    assert found.attribution == {"mine": {0: "detector", 1: "detector"}, "knn": {}}
