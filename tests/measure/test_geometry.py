from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, InputError, evaluate
from pytest_splitcheck.declare.arrays import as_matrix
from pytest_splitcheck.measure import chosen_leakage
from pytest_splitcheck.measure.audit import Approximation
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.neighbours import (
    neighbour_shares,
    shares_and_lists,
    surviving_neighbours,
)
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers
from tests import reference
from tests.builders import clusters, grid, labelled_grids, labels, leakage, plain
from tests.measure.paths import PATHS, taken

every_path = pytest.mark.parametrize("path", PATHS)


def geometry(X, y, k, **options):
    return evaluate(ClassSplit(X, y, folds=2, **options), k=k, detectors=(), geometry=True).geometry


def expected(X, y, k, removed):
    """Return AUC_geo by definition: every row of T against every other, one at a time."""
    X, outside = np.asarray(X), [label not in removed for label in y]
    scores = []
    for i, row in enumerate(X):
        others = [X[j] for j in range(len(X)) if j != i and outside[j]]
        scores.append(math.fsum(sorted(math.dist(row, other) for other in others)[:k]) / k)
    return float(reference.auroc(scores, [not out for out in outside]))


# --- by its definition ----------------------------------------------------------------------


def test_two_blocks_by_hand():
    # nearest row of the other class: 10, 9, 8 for those held out; 1 for the others
    found = geometry([[0], [1], [2], [10], [11], [12]], list("aaabbb"), 1)
    assert found.auroc == {"a": 1.0, "b": 1.0}
    assert (found.name, found.seeds, found.rho_inv, found.rho_dir) == ("geometry", (), 0.0, 0.0)


def test_a_class_between_rows_that_are_far_apart_by_hand():
    # held out, 9 and 11 lie 1 from 10; the normal rows lie 10 apart
    found = geometry([[0], [9], [10], [11], [20], [30]], list("nanann"), 1, held_out=["a"])
    assert found.auroc == {"a": 0.0}
    assert (found.direction, found.rho_inv) == ({"a": -1}, 1.0)


def test_a_row_is_left_out_by_its_index_where_it_has_duplicates():
    # without a: 0, 0, 0 have a duplicate at 0, and 5 is 5 away; the rows of a are 3 and 4 away
    found = geometry([[0], [0], [0], [5], [-3], [-4]], list("nnnnaa"), 1, held_out=["a"])
    assert found.auroc == {"a": 6 / 8}


@every_path
@pytest.mark.parametrize("X", [plain(60), grid(60, 1), np.repeat(plain(20), 3, axis=0)])
def test_auroc_equals_its_definition(path, X):
    y = labels(60, 4).tolist()
    with taken(path):
        found = geometry(X, y, 5)
    for c in range(4):
        assert found.auroc[c] == pytest.approx(expected(X, y, 5, {c}), abs=1e-12)


@every_path
@given(labelled_grids())
def test_ties_count_one_half(path, data):
    X, y, k = data
    X, y = X[:, :1], y.tolist()  # distances on a line are whole numbers
    k = min(k, len(y) - 1 - max(map(y.count, y)))
    if k < 1:
        return
    with taken(path):
        found = geometry(X, y, k)
    for c, auroc in found.auroc.items():
        assert auroc == pytest.approx(expected(X, y, k, {c}), abs=1e-12)


@every_path
def test_a_group_is_taken_away_and_positive_together(path):
    X, y = plain(60), labels(60, 4).tolist()
    with taken(path):
        found = geometry(X, y, 5, held_out=[(0, 1), 2, (1, 2, 3)])
    assert found.auroc == pytest.approx(
        {group: expected(X, y, 5, set(np.atleast_1d(group))) for group in [(0, 1), 2, (1, 2, 3)]}
    )


@every_path
def test_cosine_is_of_rows_of_unit_length(path):
    X, y = plain(60) * np.linspace(1, 9, 60)[:, None], labels(60).tolist()
    with taken(path):
        found = geometry(X, y, 4, metric="cosine")
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert found.auroc == pytest.approx({c: expected(unit, y, 4, {c}) for c in range(3)})
    assert found.auroc != geometry(X, y, 4).auroc


class Whitened:
    """A representation that differs by the rows that it is fitted on."""

    def fit(self, X):
        self.mean, self.spread = X.mean(axis=0), X.std(axis=0)

    def transform(self, X):
        return np.abs(X - self.mean) / self.spread


@pytest.mark.parametrize("pool", [False, True])
def test_a_class_is_scored_in_the_representation_of_its_own_split(pool):
    X, y = clusters([[0, 0], [4, 1], [1, 9]], 20)
    T, t = (X[::-1] * 1.5, y[::-1]) if pool else (X, y)
    found = geometry(
        X, y, 5, representation=Whitened(), train=(T, t) if pool else None, held_out=[2, 0, 1]
    )
    for c in range(3):
        own = Whitened()
        own.fit(T[t != c])
        assert found.auroc[c] == pytest.approx(expected(own.transform(X), y, 5, {c}))
    assert list(found.auroc) == [2, 0, 1]


def test_equal_rows_give_no_ranking():
    found = geometry(np.zeros((12, 2)), ["a", "b"] * 6, 3)
    assert found.auroc == {"a": 0.5, "b": 0.5}
    assert found.no_ranking == ("a", "b")


# --- leakage from the same search -----------------------------------------------------------


@every_path
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("removals", [[(0,), (1,), (2,), (3,)], [(0, 2), (1, 2, 3)], [(3,)]])
def test_one_search_gives_bit_for_bit_what_two_give(path, unit, removals):
    y = labels(90, 4)
    for X in (plain(90) + 2, grid(90, 3) + 1, np.repeat(plain(30), 3, axis=0), plain(90) + 1e8):
        rows, own = Rows(as_matrix(X, "X"), unit=unit), np.arange(90)
        with taken(path):
            shares, lists = shares_and_lists(rows, y, 4, 6, removals, Workers(2))
            alone = neighbour_shares(rows, y, 4, 6, Workers(1))
            nearest = surviving_neighbours(
                rows, y, rows, k=6, removals=removals, workers=Workers(1), own=own
            )
        assert shares.tobytes() == alone.tobytes()
        assert lists.distance.tobytes() == nearest.distance.tobytes()
        assert lists.index.tobytes() == nearest.index.tobytes()
        assert lists.code.tobytes() == nearest.code.tobytes()


@given(labelled_grids())
def test_leakage_with_geometry_is_what_it_is_without(data):
    X, y, k = data
    shares, _ = shares_and_lists(Rows(X), y, 3, k, [], Workers())
    assert shares.tobytes() == neighbour_shares(Rows(X), y, 3, k, Workers()).tobytes()


@pytest.mark.parametrize("options", [{"n_jobs": 1}, {"n_jobs": 4}, {"memory": 0.0625}])
def test_threads_and_memory_change_no_figure(options):
    split = ClassSplit(plain(300), labels(300, 5))
    found = evaluate(split, k=7, detectors=(), **options)
    assert found.geometry.to_dict() == evaluate(split, k=7, detectors=()).geometry.to_dict()


@given(labelled_grids(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_figure(data, random):
    X, y, k = data
    order = list(range(len(X)))
    random.shuffle(order)
    first, moved = (
        evaluate(ClassSplit(one, codes, folds=2), k=k, detectors=()).geometry
        for one, codes in ((X, y), (X[order], y[order]))
    )
    assert (first is None) == (moved is None)
    if first is not None:
        assert moved.auroc == first.auroc


# --- when it is measured --------------------------------------------------------------------

X, Y = clusters([[0, 0], [3, 0], [0, 4]], 30)


def measured(memory=None, limits=(), geometry=False, **options):
    memory = Memory() if memory is None else memory
    protocol = Protocol(detectors=(), **options)
    return measure(ClassSplit(X, Y), protocol, memory, type, limits, geometry)


def test_it_comes_with_every_leakage_of_all_rows():
    found = measured(limits=[0.5])
    assert found.geometry.auroc == geometry(X, Y, 10).auroc
    assert found.to_dict()["geometry"]["rho_dir"] == found.geometry.rho_dir


def test_a_sample_does_without():
    found = measured(limits=[0.5], sampling="always")
    assert (found.leakage.sampled, found.geometry, found.attribution) == (True, None, {})
    assert found.to_dict()["geometry"] is None


def test_asked_for_it_takes_all_rows():
    found = measured(limits=[0.5], sampling="always", geometry=True)
    assert found.leakage.exact
    assert found.to_dict() == measured().to_dict()


def test_approximate_neighbours_do_without(monkeypatch):
    told = Approximation(recall=0.9, sample=9, error=0.1, repaired=0)
    by_index = leakage(0.2, approximation=told)
    monkeypatch.setattr(chosen_leakage, "uses_index", lambda m, k: True)
    monkeypatch.setattr(chosen_leakage, "_approximate_leakage", lambda *_: by_index)
    memory = Memory()
    assert measured(memory, neighbors="approximate").geometry is None
    assert measured(memory, neighbors="approximate", geometry=True).leakage.exact
    assert measured(memory, neighbors="approximate").geometry is None


def test_rows_too_few_for_an_index_are_searched_exactly():
    assert measured(neighbors="approximate").to_dict() == measured().to_dict()


def test_it_is_measured_once(monkeypatch):
    searched = []

    def counted(*args):
        searched.append(args)
        return shares_and_lists(*args)

    monkeypatch.setattr("pytest_splitcheck.measure.geometry.shares_and_lists", counted)
    memory = Memory()
    first = measured(memory)
    again = measured(memory, epsilon=0.1, geometry=True)
    assert len(searched) == 1
    assert again.leakage is first.leakage
    assert again.geometry.auroc == first.geometry.auroc
    measured(memory, k=9)
    assert len(searched) == 2


@pytest.mark.parametrize(("k", "possible"), [(7, True), (8, False)])
def test_k_and_one_rows_must_be_outside_each_class(k, possible):
    split = ClassSplit(plain(20), ["a"] * 12 + ["b"] * 8)
    found = evaluate(split, k=k, detectors=())
    assert (found.geometry is not None) == possible
    assert found.leakage.value > 0


def test_asked_for_with_too_few_rows():
    split = ClassSplit(plain(20), ["a"] * 12 + ["b"] * 8)
    message = r"geometry needs k \+ 1 = 9 rows .* without 'a' the evaluation set has 8; add rows"
    with pytest.raises(InputError, match=message):
        evaluate(split, k=8, detectors=(), geometry=True)
