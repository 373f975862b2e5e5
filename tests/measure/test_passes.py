from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit
from pytest_splitcheck.measure import passes
from pytest_splitcheck.measure.detectors import built_in
from pytest_splitcheck.measure.integrity import Inspection
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.splits import folds
from pytest_splitcheck.measure.workers import Workers

SPLIT = ClassSplit(np.random.default_rng(0).normal(size=(120, 2)), np.arange(120) % 3)


class Lossy(dict):
    """A shelf that has lost what was put there under one key."""

    def __init__(self, lost):
        super().__init__()
        self.lost = lost

    def put(self, key, part):
        if key != self.lost:
            self[key] = part


@pytest.mark.parametrize(("approximate", "again"), [(True, {"knn", "lof"}), (False, {"knn"})])
def test_readers_of_an_index_that_lost_one_are_all_asked_again(approximate, again, monkeypatch):
    asked = []

    def tally_detectors(benchmark, detectors, *rest, **options):
        asked.append(set(detectors))
        return {name: f"tally of {name}" for name in detectors}

    monkeypatch.setattr(passes, "tally_detectors", tally_detectors)
    shelf, how = Lossy(("tally", "knn")), {"approximate": approximate, "fold_of": folds(SPLIT)}
    detectors = {name: built_in(name, 5, (0,)) for name in ("knn", "lof", "iforest")}
    for _ in range(2):
        memory = Memory(shelf)
        inspection = Inspection(SPLIT, detectors.values(), memory, Workers(), **how)
        found = passes.run_detectors(SPLIT, detectors, memory, inspection, Workers(), **how)
        assert set(found) == set(detectors)
    assert asked == [set(detectors), again]
