from __future__ import annotations

import json

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, InputError, evaluate
from pytest_splitcheck.measure import cross_fit
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.protocol import Protocol
from tests.builders import FirstColumn, clusters, grid, labels, plain

KS = (4, 2, 7)
X, Y = clusters([[0, 0], [3, 0], [0, 3]], 30)


class Counting(FirstColumn):
    fits = 0

    def fit(self, X):
        Counting.fits += 1


def split(**options):
    return ClassSplit(X, Y, folds=2, **options)


def report(k, **options):
    return evaluate(split(), k=k, **{"seeds": (0,), **options})


@pytest.fixture(scope="module")
def several():
    return report(KS)


def test_the_report_is_that_of_the_first_and_holds_the_others_in_order(several):
    assert (several.k, several.leakage.k) == (4, 4)
    assert list(several.other_k) == [2, 7]
    for k, other in several.other_k.items():
        assert (other.k, other.leakage.k, other.other_k) == (k, k, {})


@pytest.mark.parametrize("k", KS)
def test_each_is_what_its_k_alone_gives(several, k):
    found = {several.k: several, **several.other_k}[k]
    alone = report(k)
    said = found.to_dict()
    assert said.pop("other_k").keys() == ({"2", "7"} if k == 4 else set())
    assert said == {name: one for name, one in alone.to_dict().items() if name != "other_k"}
    assert found.leakage.pointwise.tobytes() == alone.leakage.pointwise.tobytes()


@pytest.mark.parametrize("data", [grid(40), np.zeros((40, 2)), plain(40)])
def test_ties_are_shared_at_each_k(data):
    y = labels(40)
    found = evaluate(ClassSplit(data, y), k=[9, 3], detectors=("knn",))
    alone = evaluate(ClassSplit(data, y), k=3, detectors=("knn",))
    assert found.other_k[3].leakage.pointwise.tobytes() == alone.leakage.pointwise.tobytes()
    assert found.other_k[3].detectors == alone.detectors


@pytest.mark.parametrize("k", [[5], (5,), (np.int64(5),)])
def test_a_list_of_one_is_that_one(k):
    assert report(k, detectors=()).to_dict() == report(5, detectors=()).to_dict()


def test_what_does_not_read_k_is_fitted_once():
    Counting.fits = 0
    found = report(KS, detectors={"it": Counting(), "iforest": "iforest", "lof": "lof"})
    assert Counting.fits == 6  # two folds, three classes
    for other in found.other_k.values():
        assert other.detectors == found.detectors


def test_neighbours_in_the_pool_are_sought_once(monkeypatch):
    sought = []

    def search(*args, **options):
        sought.append(options["k"])
        return surviving_neighbours(*args, **options)

    surviving_neighbours = cross_fit.surviving_neighbours
    monkeypatch.setattr(cross_fit, "surviving_neighbours", search)
    report(KS, detectors=("knn",))
    longest, *anew = sought  # for all folds, and where a list is too short for that
    assert longest > 7
    assert anew in ([], [7])


def test_what_one_k_needed_serves_the_next():
    memory, protocol = Memory(), {"detectors": {"it": Counting(), "knn": "knn"}}
    first = measure(split(), Protocol(k=KS, **protocol), memory, id)
    known = len(memory)
    again = measure(split(), Protocol(k=(7, 2), **protocol), memory, id)
    assert len(memory) == known
    assert again.leakage is first.other_k[7].leakage
    assert again.other_k[2].leakage is first.other_k[2].leakage
    assert again.detectors["knn"] == first.other_k[7].detectors["knn"]
    assert measure(split(), Protocol(k=3, **protocol), memory, id).leakage.k == 3
    assert len(memory) == known + 3  # its leakage, its geometry and its knn


def test_each_is_sampled_until_it_is_known():
    options = {"detectors": (), "sampling": "always", "leakage_limits": [0.5]}
    found = report((3, 8), **options)
    for k, leakage in ((3, found.leakage), (8, found.other_k[8].leakage)):
        assert leakage.sampled
        assert leakage.to_dict() == report(k, **options).leakage.to_dict()


@pytest.mark.parametrize("k", [3, 30])
def test_advice_is_measured_at_the_k_of_its_report(k):
    rows, y = clusters([[0, 0], [0.5, 0], [6, 0], [6, 6], [0, 6]], 30)
    found = evaluate(ClassSplit(rows, y), k=(3, 30), detectors=("knn",))
    seen = []

    def accepts(report):
        seen.append(report.k)
        return report.leakage.value <= 0.1

    proposed = {3: found, **found.other_k}[k].advice(accepts).proposals
    assert {one.report.k for one in proposed} == set(seen) == {k}
    for one in proposed:
        again = ClassSplit(rows, y, **{one.kind: one.classes})
        assert evaluate(again, k=k, detectors=()).leakage.value == one.report.leakage.value


@pytest.mark.parametrize(("k", "named"), [((3, 90), 90), ((200, 90), 200)])
def test_a_k_of_too_many_rows_is_named(k, named):
    with pytest.raises(InputError, match=f"k = {named} neighbours need {named + 1} rows"):
        report(k, detectors=())


def test_a_pool_too_small_for_a_further_k_is_refused():
    with pytest.raises(InputError, match="'knn' needs 40 rows to fit"):
        report((3, 40), detectors=("knn",))


def test_json_has_what_differs(several):
    said = json.loads(json.dumps(several.to_dict(), allow_nan=False))
    assert said == several.to_dict()
    assert list(said["other_k"]) == ["2", "7"]
    other = said["other_k"]["7"]
    assert set(other) == {"k", "leakage", "detectors", "instability", "geometry"}
    assert other["leakage"] == several.other_k[7].leakage.to_dict()
    assert set(other["detectors"]) == {"knn"}
    assert said["detectors"].keys() == {"knn", "lof", "iforest"}
    assert report(4, detectors=()).to_dict()["other_k"] == {}
