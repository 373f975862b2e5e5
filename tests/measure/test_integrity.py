"""Near duplicates, piles under LOF, held-out classes in their own pools, and a dominating feature."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, evaluate
from pytest_splitcheck.measure.crowds import spacing
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.splits import pools
from pytest_splitcheck.measure.workers import Workers
from tests import reference
from tests.builders import clusters, grid, labels, plain


def integrity(split, detectors=("knn",), k=3, **options):
    return evaluate(split, detectors=detectors, k=k, **options).integrity


# --- near duplicates ------------------------------------------------------------------------


def to_the_nearest(X, rows):
    return [np.sort(np.sqrt(((X - X[row]) ** 2).sum(axis=1)))[1] for row in rows]


def test_the_spacing_is_the_median_distance_to_the_nearest_other_row():
    X = plain(200)
    expected = np.median(to_the_nearest(X, range(200)))
    assert spacing(Rows(X), Workers()) == pytest.approx(expected)


def test_the_spacing_leaves_copies_out():
    X = np.r_[0.0, 0.0, 1e-6, [1.0, 3.0, 7.0, 8.0]][:, None]
    assert spacing(Rows(X), Workers()) == 1.0  # 1, 1, 1 - 1e-6, 1 - 1e-6, 2, 1 and 1
    assert spacing(Rows(np.zeros((9, 1))), Workers()) == 0.0
    assert spacing(Rows(np.array([[0.0], [2.0]])), Workers()) == 2.0


@pytest.mark.parametrize("exponent", [-1000, 0, 900])
def test_the_spacing_has_the_scale_of_the_rows(exponent):
    X = plain(60)
    scaled = spacing(Rows(np.ldexp(X, exponent)), Workers())
    assert scaled == pytest.approx(np.ldexp(spacing(Rows(X), Workers()), exponent))


def test_the_spacing_of_the_largest_numbers_is_finite():
    largest = np.finfo(float).max
    X = np.where(np.random.default_rng(0).random((60, 8)) < 0.5, largest, -largest)
    assert spacing(Rows(X), Workers()) == largest


def test_the_spacing_of_many_rows_is_that_of_a_sample():
    X = plain(3000)
    expected = np.median(to_the_nearest(X, range(300)))
    assert spacing(Rows(X), Workers(2)) == pytest.approx(expected, rel=0.15)
    assert spacing(Rows(X), Workers(1)) == spacing(Rows(X), Workers(2))


@pytest.mark.parametrize("copies", [2, 3, 5])
def test_near_copies_of_every_row_do_not_pass_for_its_neighbours(copies):
    X = np.tile(plain(60), (copies, 1)) + 1e-9 * plain(60 * copies, seed=1)
    found = integrity(ClassSplit(X, labels(60 * copies))).shared
    assert found.near > 0.7 * len(X)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_neighbours_by_chance_are_no_near_duplicates(d):
    split = ClassSplit(plain(2000, d), labels(2000), train=(plain(2000, d, seed=1), labels(2000)))
    assert integrity(split).shared.near <= 0.002 * 2000


def test_a_row_in_another_precision_is_a_near_duplicate():
    X, pool = plain(60), plain(100, seed=1)
    pool[7] = X[4].astype(np.float32)
    found = integrity(ClassSplit(X, labels(60), train=(pool, labels(100)))).shared
    assert (found.exact, found.near) == (0, 1)
    assert (found.rows.tolist(), found.partners.tolist()) == ([4], [7])
    assert found.scale == pytest.approx(1e-3 * spacing(Rows(X), Workers()))


@pytest.mark.parametrize(("part", "near"), [(0.99, 1), (1.01, 0)])
def test_near_is_within_a_thousandth_of_the_spacing(part, near):
    X, pool = plain(60), 100 + plain(100, seed=1)
    scale = 1e-3 * spacing(Rows(X), Workers())
    pool[7] = X[4] + [part * scale, 0, 0]
    found = integrity(ClassSplit(X, labels(60), train=(pool, labels(100)))).shared
    assert (found.exact, found.near) == (0, near)


def test_rows_on_either_side_of_a_rounding_cell_are_near():
    X, pool = plain(60), plain(100, seed=1)
    X[4] = 0.125
    pool[7] = np.nextafter(0.125, 1)
    assert integrity(ClassSplit(X, labels(60), train=(pool, labels(100)))).shared.near == 1


def test_near_duplicates_of_a_cross_fit_are_in_other_folds():
    X, y = plain(100), labels(100)
    X[50:60] = X[:10] + 1e-9
    found = integrity(ClassSplit(X, y)).shared
    fold = np.empty(100, dtype=int)
    for number, pool in enumerate(pools(ClassSplit(X, y))):
        fold[pool.scored] = number
    apart = [i for i in range(10) if fold[i] != fold[50 + i]]
    assert found.rows.tolist() == [*apart, *(50 + i for i in apart)]
    assert found.drop.tolist() == [50 + i for i in apart]
    assert (found.exact, found.near) == (0, 2 * len(apart))


def test_a_row_of_another_length_is_a_near_duplicate_under_cosine():
    X, pool = plain(60), plain(100, seed=1)
    pool[7] = 3 * X[4]
    for metric, near in (("euclidean", 0), ("cosine", 1)):
        split = ClassSplit(X, labels(60), train=(pool, labels(100)), metric=metric)
        assert integrity(split).shared.near == near


@pytest.mark.parametrize("detectors", [(), ("iforest",)])
def test_near_duplicates_are_not_looked_for_without_neighbours(detectors):
    found = integrity(ClassSplit(plain(60), labels(60)), detectors, seeds=(0,)).shared
    assert (found.near, found.scale) == (None, None)


class Identity:
    def fit(self, X):
        pass

    def transform(self, X):
        return X


def test_near_duplicates_are_not_looked_for_in_fitted_representations():
    X = plain(60)
    X[30:] = X[0]
    found = integrity(ClassSplit(X, labels(60), representation=Identity()), ("knn", "lof"))
    assert found.shared.near is None
    assert found.shared.exact > 0
    assert found.dominance is None


def test_distant_duplicates_do_not_widen_the_scale():
    X, pool = plain(60), plain(100, seed=1)
    X[:3] = 1e9
    found = integrity(ClassSplit(X, labels(60), train=(pool, labels(100)))).shared
    assert found.near == 0


# --- the held-out class in its own pool -----------------------------------------------------


def test_a_held_out_class_that_stays_in_the_pool_under_another_label():
    X, y = clusters([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 40)
    y_train = np.where(y == 2, 0, y)
    found = integrity(ClassSplit(X, y, train=(X, y_train)))
    assert {c: rows.tolist() for c, rows in found.contaminated.items()} == {2: list(range(80, 120))}
    assert found.absent == (2,)
    assert found.shared.exact == 120


def test_a_near_row_contaminates_too():
    X, y = clusters([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 40)
    y_train = np.where(y == 2, 0, y)
    pool = X + np.where(y == 2, 1e-9, 1.0)[:, None]
    found = integrity(ClassSplit(X, y, train=(pool, y_train)))
    assert {c: len(rows) for c, rows in found.contaminated.items()} == {2: 40}
    assert (found.shared.exact, found.shared.near) == (0, 40)


def test_classes_that_are_held_out_together_do_not_contaminate_each_other():
    X, y = plain(60), np.repeat(["a", "b", "c"], 20)
    pool = (X[:40], np.repeat(["b", "a"], 20))
    apart = integrity(ClassSplit(X, y, train=pool), ())
    together = integrity(ClassSplit(X, y, train=pool, held_out=[("a", "b")]), ())
    assert {c: len(rows) for c, rows in apart.contaminated.items()} == {"a": 20, "b": 20}
    assert together.contaminated == {}
    assert together.shared.exact == 40


@pytest.mark.parametrize("right", [0.0, 1e-6], ids=["equal", "near"])
@pytest.mark.parametrize(
    ("wrong", "cross_fitted"),
    [(0.0, False), (3e-6, False), (3e-6, True)],  # of a cross-fit, equal rows share a fold
    ids=["equal", "near", "near in another fold"],
)
def test_a_copy_of_the_right_class_hides_none_of_another(right, wrong, cross_fitted):
    X, y = clusters([[0, 0], [20, 0], [40, 0]], 40)
    last, noise = X[y == 2], plain(40, 2, seed=5)
    copies = np.vstack([last + right * noise, last + wrong * noise])
    of = np.repeat([2, 0], 40)
    if cross_fitted:
        split = ClassSplit(np.vstack([X, copies]), np.r_[y, of], held_out=[2], folds=2)
    else:
        pool = np.vstack([X + plain(120, 2, seed=6), copies])
        split = ClassSplit(X, y, train=(pool, np.r_[y, of]))
    found = integrity(split).contaminated
    assert list(found) == [2]
    assert set(found[2]) <= set(np.flatnonzero(split.codes == 2))
    assert len(found[2]) == 40 if not cross_fitted else len(found[2]) > 20


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), min_size=1, max_size=30
    )
)
def test_contaminated_rows_are_all_that_have_a_near_row_in_their_normal_pool(copies):
    X, y = clusters([[0, 0], [20, 0], [40, 0], [60, 0]], 10)
    rows = np.array([10 * of + number % 10 for number, (of, _, _) in enumerate(copies)])
    jitter = np.array([[0.0, 1e-7 * (number + 1)] for number in range(len(copies))])
    pool = X[rows] + jitter * [[not equal] for _, _, equal in copies]
    codes = np.array([label for _, label, _ in copies])
    far = 1000 + plain(40, 2)
    train = (np.vstack([far, pool]), np.r_[labels(40, 4), codes])
    split = ClassSplit(X, y, train=train, held_out=[0, [1, 2], 3])
    found = integrity(split).contaminated
    for label, classes in ((0, [0]), ((1, 2), [1, 2]), (3, [3])):
        expected = {
            row
            for row, code in zip(rows, codes, strict=True)
            if y[row] in classes and code not in classes
        }
        assert set(found.get(label, ())) == expected


@pytest.mark.parametrize(
    ("y_train", "absent"),
    [(["a", "a", "b"], ("c",)), (["a", "b", "c"], ()), (["a", "other", "a"], ("b", "c"))],
)
def test_held_out_classes_that_the_pool_lacks(y_train, absent):
    split = ClassSplit(plain(6), list("abcabc"), train=(plain(3, seed=1), y_train))
    assert integrity(split, ()).absent == absent


def test_a_pool_of_its_own_lacks_nothing():
    assert integrity(ClassSplit(plain(60), labels(60))).absent == ()


# --- piles under LOF ------------------------------------------------------------------------


def test_a_row_beside_a_pile_scores_worse_than_one_far_away():
    pool = np.r_[np.full(25, 0.1), np.linspace(0.1, 0.2, 60), 26.9, 81.3, 63.7][:, None]
    X = np.r_[0.1, 0.1001, 0.19, 50.0, plain(36, 1)[:, 0] * 0.01 + 0.4][:, None]
    y = ["b"] * 4 + ["a"] * 36
    split = ClassSplit(X, y, train=(pool, ["a"] * len(pool)), held_out=["b"])
    score = reference.local_outlier_factor(pool, X, 20)
    assert score[1] > 100 * score[3]
    piles = integrity(split, ("lof",)).piles
    assert piles.largest == 26
    assert piles.beside.tolist() == [i for i in range(40) if score[i] > 1e4]
    assert 1 in piles.beside
    assert 0 not in piles.beside


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 9), st.integers(0, 10**6), st.booleans())
def test_rows_beside_a_pile_are_those_whose_factor_explodes(values, seed, crossed):
    X, y = grid(150, 1, high=values, seed=seed) ** 2, labels(150, 3, seed=seed)
    train = None if crossed else (grid(150, 1, high=values, seed=seed + 1) ** 2, y)
    split = ClassSplit(X, y, train=train, folds=2)
    exploding, largest = set(), 0
    for pool in pools(split):
        for held_out in split.held_out:
            normal = pool.rows.take(np.flatnonzero(~np.isin(pool.codes, held_out.codes)))
            score = reference.local_outlier_factor(normal, X[pool.scored], 20)
            exploding |= {int(pool.scored[i]) for i in np.flatnonzero(np.array(score) > 1e4)}
            count = np.unique(normal, return_counts=True)[1].max()
            largest = max(largest, int(count) if count > 20 else 0)
    piles = integrity(split, ("lof",)).piles
    assert piles.beside.tolist() == sorted(exploding)
    assert piles.largest == largest


@pytest.mark.parametrize("copies", [20, 21])
def test_a_pile_has_more_rows_than_lof_has_neighbours(copies):
    pool = np.r_[np.zeros(copies), 1 + plain(50, 1)[:, 0] ** 2][:, None]
    split = ClassSplit(
        [[0.01], [0.02]], ["a", "b"], train=(pool, ["a"] * len(pool)), held_out=["b"]
    )
    piles = integrity(split, ("lof",), k=1).piles
    assert (piles.largest, piles.beside.tolist()) == ((0, []) if copies == 20 else (21, [0, 1]))


def test_a_pile_of_the_held_out_class_leaves_with_it():
    pool = np.r_[np.zeros(30), 5 + plain(50, 1)[:, 0]][:, None]
    y = ["pile"] * 30 + ["rest"] * 50
    X = np.r_[0.1, 5.1][:, None]
    for held_out, beside in (["pile"], []), (["rest"], [0, 1]):
        split = ClassSplit(X, ["pile", "rest"], train=(pool, y), held_out=held_out)
        assert integrity(split, ("lof",), k=1).piles.beside.tolist() == beside


def test_piles_are_found_in_a_fitted_representation_too():
    class Sign(Identity):
        def transform(self, X):
            return np.sign(X)

    X, y = plain(120, 1), labels(120)
    X[:5] = 0
    piles = integrity(ClassSplit(X, y, representation=Sign()), ("lof",)).piles
    assert piles.largest > 20


def test_piles_are_not_looked_for_without_lof():
    assert integrity(ClassSplit(np.zeros((90, 1)), labels(90))).piles is None


def test_rows_that_are_all_equal():
    found = integrity(ClassSplit(np.zeros((90, 2)), labels(90)), ("knn", "lof"))
    assert (found.shared.exact, found.shared.near, found.shared.scale) == (90, 0, 0.0)
    assert found.piles.largest == 48  # of 72 in a pool, less a class
    assert found.piles.beside.tolist() == []
    assert found.dominance is None
    assert len(found.shared.drop) == 89


# --- one dominating feature -----------------------------------------------------------------


def separable_beside(noise, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 150)
    return np.c_[rng.normal(scale=noise, size=300), y * 20 + rng.normal(size=300)], y


def test_a_noise_column_decides_alone_until_features_are_standardised():
    X, y = separable_beside(1e4)
    report = evaluate(ClassSplit(X, y), detectors=())
    dominance = report.integrity.dominance
    assert report.leakage.value == pytest.approx(0.48, abs=0.03)
    assert dominance.column == 0
    assert dominance.share == pytest.approx(X[:, 0].var() / X.var(axis=0).sum())
    expected = evaluate(ClassSplit(X / X.std(axis=0), y), detectors=()).leakage
    assert dominance.standardised.value == expected.value == 0.0


def test_without_a_dominant_feature_nothing_more_is_measured():
    X, y = separable_beside(10.0)
    dominance = integrity(ClassSplit(X, y), ()).dominance
    assert dominance.standardised is None
    assert dominance.share == pytest.approx((X.var(axis=0) / X.var(axis=0).sum()).max())


@pytest.mark.parametrize("factor", [2.0**-900, 2.0**900, 2.0**-1060])
@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_the_scale_of_all_features_together_plays_no_part(factor, offset):
    X, y = separable_beside(1e4)
    X = np.c_[X, np.full(300, offset)] * 2.0**20
    a, b = (integrity(ClassSplit(rows, y), ()).dominance for rows in (X, X * factor))
    assert a.column == b.column == 0
    assert a.share == pytest.approx(b.share, rel=1e-3)
    assert b.standardised.value == a.standardised.value == 0.0


def test_a_constant_feature_far_away_has_no_variance():
    X, y = separable_beside(1.0)
    found = integrity(ClassSplit(np.c_[X, np.full(300, 1e15 + 0.1)], y), ()).dominance
    assert found.column == 1


def test_a_dominating_feature_under_cosine():
    X, y = separable_beside(1e4)
    dominance = integrity(ClassSplit(X, y, metric="cosine"), ()).dominance
    assert dominance.column == 0
    expected = evaluate(ClassSplit(X / X.std(axis=0), y, metric="cosine"), k=3, detectors=())
    assert dominance.standardised.value == pytest.approx(expected.leakage.value, abs=1e-3)


def test_a_single_feature_dominates_nothing():
    assert integrity(ClassSplit(plain(60, 1), labels(60)), ()).dominance is None


def test_leakage_on_another_scale_is_sampled_as_leakage_is():
    X, y = separable_beside(1e4)
    split = ClassSplit(np.tile(X, (4, 1)) + plain(1200, 2) * 1e-3, np.tile(y, 4))
    found = evaluate(split, detectors=(), sampling="always", leakage_limits=[0.3])
    assert found.leakage.sampled
    assert found.integrity.dominance.standardised.sampled
    assert found.integrity.dominance.standardised.value < 0.3


# --- memory, threads, plain data ------------------------------------------------------------


def test_nothing_depends_on_what_was_measured_before():
    X, y = np.round(plain(150, 1), 1), labels(150)
    split = ClassSplit(X, y)
    memory = Memory()
    for detectors in [(), ("knn",), ("iforest",), ("knn", "lof"), ("lof",), ("knn",), ()]:
        protocol = Protocol(k=3, detectors=detectors, seeds=(0,))
        again = measure(split, protocol, memory, id)
        assert again.to_dict() == measure(split, protocol, Memory(), id).to_dict(), detectors


@pytest.mark.parametrize("options", [{"n_jobs": 1}, {"n_jobs": 3}, {"memory": 0.0625}])
def test_threads_and_memory_play_no_part(options):
    X, y = separable_beside(1e4)
    X[200:] = X[:100] + 1e-7
    split = ClassSplit(X, y)
    expected = integrity(split, ("knn", "lof")).to_dict()
    assert integrity(split, ("knn", "lof"), **options).to_dict() == expected


def test_plain_data_has_counts_and_the_first_rows():
    X, y = np.zeros((90, 2)), labels(90)
    X[45:] = 1
    found = integrity(ClassSplit(X, y), ("knn", "lof"))
    said = found.to_dict()
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert said["shared"] == {
        "exact": 90,
        "near": 0,
        "scale": 0.0,
        "drop": 88,
        "rows": 90,
        "first": [0, 1, 2, 3, 4],
    }
    assert list(said["contaminated"]) == ["0", "1", "2"]
    assert said["conflicts"]["groups"] == 2
    assert said["conflicts"]["floor"] == found.conflicts.floor
    assert said["dominance"] == {
        "column": 0,
        "feature": None,
        "share": 0.5,
        "standardised": None,
    }
    assert "array" not in repr(found)
