"""Leakage from a sample of the rows."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, InputError, Thresholds, evaluate, judge
from pytest_splitcheck.measure import leakage as leakage_module
from pytest_splitcheck.measure import protocol as protocol_module
from pytest_splitcheck.measure.leakage import chance, measure_leakage, sample_leakage
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers
from tests import reference
from tests.builders import clusters, grid, labelled_grids, labels, plain

Y = labels(600, 4)
MIXED = plain(600, 2)
APART = MIXED + 2.5 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[Y]
REPRESENTATIONS = {
    "leaks": [MIXED],
    "keeps apart": [APART],
    "two": [APART, APART[:, :1]],
}


def sample(X, codes=Y, k=10, *, limits=(0.5,), alpha=0.001, threads=1, unit=False):
    X = X if isinstance(X, list) else [X]
    classes = tuple("abcdefghij"[: int(codes.max()) + 1])
    rows = [Rows(one, unit=unit) for one in X]
    return sample_leakage(rows, codes, classes, k, Workers(threads), limits, alpha)


def whole(X, codes=Y, k=10, *, unit=False):
    X = X if isinstance(X, list) else [X]
    classes = tuple("abcdefghij"[: int(codes.max()) + 1])
    return measure_leakage([Rows(one, unit=unit) for one in X], codes, classes, k, Workers())


@pytest.fixture(name="X", params=REPRESENTATIONS)
def of_several_kinds(request):
    return REPRESENTATIONS[request.param]


# --- a sample of the true numbers -----------------------------------------------------------


def test_queries_are_drawn_and_the_base_is_not(X):
    found, exact = sample(X), whole(X)
    assert 0 < found.queries < 200
    assert not found.exact
    assert len(set(found.rows.tolist())) == found.queries
    np.testing.assert_array_equal(found.pointwise, exact.pointwise[found.rows])


def test_the_interval_holds_the_value_and_leaves_the_limit_out(X):
    found, exact = sample(X), whole(X)
    low, high = found.interval
    assert low <= exact.value <= high
    assert low <= found.value <= high
    assert (low > 0.5) == (exact.value > 0.5)
    assert (high < 0.5) == (exact.value < 0.5)


def test_figures_are_those_of_the_sampled_rows():
    X, y = grid(150, 3, high=9), Y[:150]
    found = sample(X, y, 5)
    slots = reference.neighbour_shares(X, y, 4, 5)
    drawn = [(y[i], slots[i]) for i in found.rows.tolist()]
    assert 0 < len(drawn) < 150
    assert found.value == pytest.approx(float(sum(1 - s[y] / 5 for y, s in drawn) / len(drawn)))
    for c, label in enumerate("abcd"):
        own = [s for y, s in drawn if y == c]
        assert found.per_class[label] == pytest.approx(
            float(1 - sum(s[c] for s in own) / 5 / len(own))
        )
        share = sum(s[c] for _, s in drawn) / Fraction(5 * len(drawn))
        assert found.slot_share[label] == pytest.approx(float(share))
    np.testing.assert_allclose(1 - np.diag(found.matrix), list(found.per_class.values()))
    assert found.macro == pytest.approx(np.mean(list(found.per_class.values())))
    assert found.ratio == pytest.approx(found.value / found.chance)


def test_chance_and_floor_are_those_of_all_rows(X):
    found, exact = sample(X), whole(X)
    assert (found.chance, found.floor, found.m) == (exact.chance, exact.floor, 600)


def test_chance_counts_pairs():
    assert chance([3, 2, 1]) == pytest.approx(float(reference.chance([3, 2, 1])))


def test_a_class_without_a_sampled_row_is_undefined():
    codes = np.r_[Y[:598], 4, 4]
    found = sample(APART, codes)
    assert not {598, 599} & set(found.rows.tolist())
    assert found.per_class["e"] is None
    assert found.macro is None
    assert np.isnan(found.matrix[4]).all()
    assert found.slot_share["e"] >= 0
    said = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (said["per_class"]["e"], said["macro"], said["matrix"][4]) == (None, None, None)
    assert len(said["matrix"][0]) == 5


def test_a_sample_says_so_in_json():
    found = sample(MIXED)
    said = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (said["queries"], said["m"], said["alpha"]) == (found.queries, 600, 0.001)
    assert said["interval"] == list(found.interval)


# --- all rows after all ---------------------------------------------------------------------


def same(found, exact):
    assert json.dumps(found.to_dict()) == json.dumps(exact.to_dict())
    assert found.pointwise.tobytes() == exact.pointwise.tobytes()
    assert found.rows.tolist() == list(range(found.m))


def test_a_limit_at_the_value_takes_all_rows_and_gives_all_figures(X):
    exact = whole(X)
    found = sample(X, limits=(0.5, exact.value))
    assert found.exact
    assert (found.alpha, found.queries) == (None, 600)
    assert found.interval == (exact.value, exact.value)
    same(found, exact)


@given(labelled_grids(), st.integers(0, 19), st.sampled_from([0.4, 0.001]))
def test_small_sets_are_on_the_side_that_the_interval_says(data, limit, alpha):
    X, codes, k = data
    exact, limit = whole(X, codes, k), limit / 20
    found = sample(X, codes, k, limits=(limit,), alpha=alpha)
    if found.exact:
        same(found, exact)
    else:
        assert found.interval[0] > limit or found.interval[1] < limit
    if alpha < 0.01:  # certain, for so few rows
        assert found.interval[0] <= exact.value <= found.interval[1]


# --- what must change nothing ---------------------------------------------------------------


def everything(found):
    return json.dumps(found.to_dict()), found.rows.tobytes(), found.pointwise.tobytes()


@pytest.mark.parametrize("batch", [1, 7, 600])
@pytest.mark.parametrize("threads", [1, 3])
def test_batches_and_threads_change_no_byte(monkeypatch, X, batch, threads):
    limits = (0.5, round(whole(X).value + 0.03, 2))
    expected = everything(sample(X, limits=limits))
    monkeypatch.setattr(leakage_module, "_FIRST_BATCH", batch)
    monkeypatch.setattr(leakage_module, "_LARGEST_BATCH", batch)
    assert everything(sample(X, limits=limits, threads=threads)) == expected


def test_the_order_is_always_the_same_and_touches_no_global_state(X):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = everything(sample(X))
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert everything(sample(X)) == first


def test_names_of_classes_play_no_part():
    names = np.array(["z", "y", "x", "w"])
    found = evaluate(ClassSplit(APART, Y), detectors=(), sampling="always", leakage_limits=[0.5])
    other = evaluate(
        ClassSplit(APART, names[Y]), detectors=(), sampling="always", leakage_limits=[0.5]
    )
    assert found.leakage.rows.tolist() == other.leakage.rows.tolist()
    assert found.leakage.value == other.leakage.value
    assert other.leakage.per_class == {str(names[c]): v for c, v in found.leakage.per_class.items()}


def test_cosine():
    X = APART + np.array([20, 5])
    unit = sample(X, unit=True)
    assert not unit.exact
    np.testing.assert_array_equal(unit.pointwise, whole(X, unit=True).pointwise[unit.rows])
    assert unit.interval != sample(X).interval


# --- when a sample is drawn -----------------------------------------------------------------


def report(**options):
    return evaluate(ClassSplit(MIXED, Y), detectors=(), **options).leakage


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sampling": "always"},
        {"leakage_limits": [0.5]},
        {"sampling": "never", "leakage_limits": [0.5]},
        {"sampling": "always", "leakage_limits": [1, 1.5]},
    ],
)
def test_leakage_is_exact(options):
    assert report(**options).exact


def test_leakage_is_sampled():
    found = report(sampling="always", leakage_limits=[0.5, 1.0, 0.5], alpha=0.01)
    assert found.queries < 600
    assert found.alpha == 0.01
    expected = sample(MIXED, alpha=0.01)
    assert found.rows.tobytes() == expected.rows.tobytes()
    assert (found.value, found.interval) == (expected.value, expected.interval)
    assert found.queries < report(sampling="always", leakage_limits=[0.5]).queries


def test_large_sets_are_sampled_by_themselves(monkeypatch):
    monkeypatch.setattr(protocol_module, "_LARGE", 599)
    assert report().exact
    assert report(sampling="never", leakage_limits=[0.5]).exact
    assert not report(leakage_limits=[0.5]).exact
    monkeypatch.setattr(protocol_module, "_LARGE", 600)
    assert report(leakage_limits=[0.5]).exact


def test_fifty_thousand_rows_are_not_large():
    assert not Protocol().samples(50_000)
    assert Protocol().samples(50_001)


@pytest.mark.parametrize("limit", [-0.1, "0.5", None, float("nan"), True])
def test_a_limit_that_is_none(limit):
    with pytest.raises(InputError, match="leakage_limits must be values of L_k"):
        report(sampling="always", leakage_limits=[limit])


def test_a_fitted_representation_is_averaged_over_the_splits():
    class Centred:
        def fit(self, X):
            self.scale = X.std(axis=0)

        def transform(self, X):
            return X / self.scale

    split = ClassSplit(APART * [1, 9], Y, representation=Centred(), held_out=[0, 1, 2])
    found = evaluate(split, detectors=(), sampling="always", leakage_limits=[0.5]).leakage
    exact = evaluate(split, detectors=()).leakage
    assert not found.exact
    np.testing.assert_array_equal(found.pointwise, exact.pointwise[found.rows])


# --- the guarantee, on rows -----------------------------------------------------------------


@pytest.mark.parametrize("off", [-0.02, 0.02])
def test_verdicts_are_right(off):
    wrong = 0
    for seed in range(20):
        X, y = clusters([[0, 0], [1.5, 0], [0, 1.5]], 100, seed=seed)
        split = ClassSplit(X, y)
        limit = evaluate(split, detectors=()).leakage.value + off
        found = evaluate(split, detectors=(), sampling="always", leakage_limits=[limit])
        verdict = judge(found, Thresholds(max_leakage=limit))
        wrong += verdict.status != ("ill posed" if off < 0 else "well posed")
    assert wrong == 0


@pytest.mark.parametrize("limits", [0.5, None, np.array(0.5)])
def test_limits_that_are_no_list_are_refused(limits):
    with pytest.raises(
        InputError, match=r"leakage_limits must be a list of .*, such as \[0\.5\]; got"
    ):
        report(leakage_limits=limits)
