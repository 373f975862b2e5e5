from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pytest_splitcheck import ClassSplit, InputError, evaluate
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.splits import (
    check_pools,
    evaluation_sets,
    pools,
    random_states,
    tasks,
)
from pytest_splitcheck.measure.workers import Workers
from tests.builders import FirstColumn, clusters, labels, plain


def numbered(n, first=0):
    """Return rows that tell which they are, in their last column."""
    return np.column_stack([plain(n, 2, seed=first), np.arange(first, first + n)])


def ids(X):
    return set(X[:, -1].astype(int).tolist())


def unbalanced(**options):
    y = np.repeat(["a", "b", "c"], [7, 12, 3])
    return ClassSplit(numbered(22), np.random.default_rng(0).permutation(y), **options)


class Spy(BaseEstimator):
    """A representation that notes what it is fitted on and what it is shown."""

    fitted: list = []  # noqa: RUF012 - shared by the copies, which is the point
    shown: list = []  # noqa: RUF012
    states: list = []  # noqa: RUF012

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X):
        self.fitted.append(X.copy())
        self.states.append(self.random_state)
        X[:] = 0
        return self

    def transform(self, X):
        self.shown.append(X.copy())
        kept = X[:, :2].copy()
        X[:] = 0
        return kept


@pytest.fixture
def spy():
    for notes in (Spy.fitted, Spy.shown, Spy.states):
        notes.clear()
    return Spy()


# --- pools ----------------------------------------------------------------------------------


def test_every_row_is_scored_once_by_detectors_that_did_not_see_it():
    split = unbalanced(folds=4)
    scored = []
    for pool in pools(split):
        scored += pool.scored.tolist()
        assert ids(pool.rows.take(slice(None))) == set(range(22)) - set(pool.scored.tolist())
    assert sorted(scored) == list(range(22))


@pytest.mark.parametrize("folds", [2, 3, 5, 22])
def test_folds_are_stratified(folds):
    split = unbalanced(folds=folds)
    by_fold = np.array([np.bincount(split.codes[p.scored], minlength=3) for p in pools(split)])
    assert len(by_fold) == folds
    assert np.ptp(by_fold, axis=0).max() <= 1
    assert np.ptp(by_fold.sum(axis=1)) <= 1


def test_equal_rows_share_a_fold():
    X, y = plain(300), labels(300)
    X[200:] = X[:100]
    apart = [pool.scored for pool in pools(ClassSplit(plain(300), y))]
    fold = np.empty(300, dtype=int)
    for number, pool in enumerate(pools(ClassSplit(X, y))):
        fold[pool.scored] = number
    assert (fold[200:] == fold[:100]).all()
    for number, scored in enumerate(apart):  # the others are where they were
        assert (fold[scored[scored < 200]] == number).all()


@pytest.mark.parametrize(("copies", "together"), [(6, True), (7, False)])
def test_sets_of_more_than_a_tenth_of_a_fold_are_dealt_out(copies, together):
    X = plain(300)
    X[:copies] = X[0]
    scored = [set(pool.scored.tolist()) for pool in pools(ClassSplit(X, labels(300)))]
    assert any(one.issuperset(range(copies)) for one in scored) == together


def test_folds_are_the_same_every_time():
    first, second = (
        [pool.scored.tolist() for pool in pools(unbalanced(folds=3))] for _ in range(2)
    )
    assert first == second


def test_folds_do_not_follow_the_order_of_rows():
    X = np.arange(40.0)[:, None]
    (first, _) = pools(ClassSplit(X, np.repeat([0, 1], 20), folds=2))
    assert (
        len(set(np.diff(first.scored).tolist())) > 1
    )  # no period in the rows meets one of the folds


def test_a_training_pool_serves_all_rows():
    split = unbalanced(train=(numbered(30, 100), ["a", "b", "d"] * 10))
    (pool,) = pools(split)
    assert pool.scored.tolist() == list(range(22))
    assert ids(pool.rows.take(slice(None))) == set(range(100, 130))


def test_the_normal_pool_lacks_the_held_out_classes():
    split = unbalanced(train=(numbered(30, 100), ["a", "b", "d"] * 10), held_out=["a", ("b", "c")])
    (task,) = tasks(split, 3, Workers(1))
    first, second = (ids(task.normal_pool(one).take(slice(None))) for one in split.held_out)
    assert first == {i for i in range(100, 130) if i % 3 != 1}
    assert second == {i for i in range(100, 130) if i % 3 != 2}


def test_rows_of_classes_that_the_evaluation_set_lacks_stay_in_the_pool():
    split = unbalanced(train=(numbered(30, 100), ["a", "b", "d"] * 10))
    (task,) = tasks(split, 3, Workers(1))
    assert all(ids(task.normal_pool(one).take(slice(None))) >= {102, 105} for one in split.held_out)


def test_a_pool_that_is_too_small_is_refused():
    split = unbalanced(train=(numbered(30, 100), ["a"] * 25 + ["b"] * 5))
    with pytest.raises(InputError, match=r"'lof' needs 21 rows .* without 'a' has 5"):
        check_pools(split, [("knn", 5), ("lof", 21)])


def test_a_fold_whose_pool_is_too_small_is_named():
    split = unbalanced(folds=2, held_out=["b"])
    with pytest.raises(InputError, match="without 'b' in fold 1 of 2 has 5"):
        check_pools(split, [("lof", 21)])


def test_a_training_pool_of_the_held_out_class_alone_is_refused():
    split = unbalanced(train=(numbered(30, 100), ["a"] * 30))
    with pytest.raises(InputError, match="without 'a' has 0"):
        evaluate(split, k=1, detectors=[FirstColumn()])


# --- a fitted representation ----------------------------------------------------------------


def test_a_representation_is_fitted_on_each_normal_pool_only(spy):
    train = (numbered(30, 100), np.array(["a", "b", "c"] * 10))
    split = unbalanced(train=train, representation=spy)
    evaluate(split, k=2, detectors=[FirstColumn()])
    expected = [ids(train[0][train[1] != c]) for c in "abc"]
    assert [ids(X) for X in Spy.fitted] == expected * 2  # once for leakage, once for the detectors


def test_in_a_cross_fit_it_sees_no_held_out_and_no_scored_row(spy):
    split = unbalanced(representation=spy, folds=3)
    for task in tasks(split, 2, Workers(1)):
        (one,) = task.splits
        seen, held_out = ids(Spy.fitted[-1]), np.flatnonzero(np.isin(split.codes, one.codes))
        assert seen.isdisjoint(held_out)
        assert seen.isdisjoint(task.scored)
        assert len(seen | set(held_out) | set(task.scored)) == 22
    assert len(Spy.fitted) == 9


def test_for_leakage_it_sees_the_evaluation_set_without_the_held_out_class(spy):
    split = unbalanced(representation=spy)
    assert len(list(evaluation_sets(split))) == 3
    expected = [set(np.flatnonzero(split.codes != c)) for c in range(3)]
    assert [ids(X) for X in Spy.fitted] == expected


def test_a_group_is_kept_from_the_representation(spy):
    split = unbalanced(representation=spy, held_out=[("a", "b")])
    list(evaluation_sets(split))
    assert ids(Spy.fitted[0]) == set(np.flatnonzero(split.codes == 2))


def test_the_benchmark_is_never_modified(spy):
    train = (numbered(30, 100), ["a", "b", "c"] * 10)
    split = unbalanced(train=train, representation=spy)
    before = split.X.tobytes(), split.train.X.tobytes()
    evaluate(split, k=2, detectors=("knn",))
    assert (split.X.tobytes(), split.train.X.tobytes()) == before


def test_the_authors_transformer_is_not_fitted_itself():
    scaler = StandardScaler()
    evaluate(unbalanced(representation=scaler), k=2, detectors=())
    assert not hasattr(scaler, "mean_")


def test_random_states_are_set_to_0(spy):
    list(evaluation_sets(unbalanced(representation=spy)))
    assert Spy.states == [0, 0, 0]
    assert spy.random_state is None


def test_a_random_state_of_the_author_stays(spy):
    spy.random_state = 7
    list(evaluation_sets(unbalanced(representation=spy)))
    assert Spy.states == [7, 7, 7]


def test_random_states_are_found_in_nested_steps():
    pipeline = make_pipeline(StandardScaler(), PCA(), PCA(random_state=1))
    assert random_states(pipeline) == ["pca-1__random_state"]
    assert random_states(object()) == []


def test_everything_is_measured_on_the_representation():
    class First(BaseEstimator):
        def fit(self, X):
            return self

        def transform(self, X):
            return X[:, :1]

    X, y = clusters([[0, 0], [3, 0], [0, 5]], 30)
    whole = evaluate(ClassSplit(X, y, representation=First()), k=4, detectors=("knn", "lof"))
    first = evaluate(ClassSplit(X[:, :1], y), k=4, detectors=("knn", "lof"))
    np.testing.assert_allclose(whole.leakage.pointwise, first.leakage.pointwise)
    assert whole.detectors["knn"].auroc == first.detectors["knn"].auroc
    assert whole.detectors["lof"].auroc == first.detectors["lof"].auroc


def test_a_scaler_is_fitted_per_split():
    X, y = clusters([[0, 0], [3, 0], [0, 500]], 20)
    T, t = clusters([[0, 0], [3, 0], [0, 500]], 10, seed=1)
    split = ClassSplit(T, t, train=(X, y), representation=StandardScaler())
    for rows, c in zip(evaluation_sets(split), range(3), strict=True):
        expected = StandardScaler().fit(X[y != c]).transform(T)
        np.testing.assert_allclose(rows.take(slice(None)), expected)


def test_the_pool_and_the_rows_to_score_are_in_one_representation():
    X, y = clusters([[0, 0], [3, 0], [0, 500]], 20)
    T, t = clusters([[0, 0], [3, 0], [0, 500]], 10, seed=1)
    split = ClassSplit(T, t, train=(X, y), representation=StandardScaler())
    for task, c in zip(tasks(split, 2, Workers(1)), range(3), strict=True):
        scaler = StandardScaler().fit(X[y != c])
        np.testing.assert_allclose(task.pool.take(slice(None)), scaler.transform(X[y != c]))
        np.testing.assert_allclose(task.evaluation.take(slice(None)), scaler.transform(T))


def changed(transform):
    class Changed:
        def fit(self, X):
            pass

        def transform(self, X):
            return transform(X)

    return Changed()


def test_rows_that_a_representation_drops_are_missed():
    with pytest.raises(InputError, match="without 'a': transform returned 21 rows for 22"):
        evaluate(unbalanced(representation=changed(lambda X: X[1:])), k=2, detectors=())


def test_nan_of_a_representation_is_named():
    spoilt = changed(lambda X: np.where(X[3, 0] == X, np.nan, X))
    with pytest.raises(InputError, match=r"representation without 'a' has 1 value .* row 3, col"):
        evaluate(unbalanced(representation=spoilt), k=2, detectors=())


def test_a_sparse_representation_is_named_without_code_that_cannot_run():
    sparse = pytest.importorskip("scipy.sparse").csr_matrix
    with pytest.raises(InputError, match=r"without 'a'.* sparse") as raised:
        evaluate(unbalanced(representation=changed(sparse)), k=2, detectors=())
    assert "'a'.toarray()" not in str(raised.value)


def test_rows_of_zeros_of_a_representation_have_no_direction():
    zeroed = changed(lambda X: np.where(X[:, :1] == X[3, 0], 0, X))
    with pytest.raises(InputError, match=r"has 1 row of zeros \(the first is row 3\)"):
        evaluate(unbalanced(representation=zeroed, metric="cosine"), k=2, detectors=())


def test_a_zero_row_that_a_representation_moves_has_a_direction():
    X = np.r_[np.zeros((1, 2)), plain(11, 2)]
    split = ClassSplit(X, ["a", "b"] * 6, metric="cosine", representation=changed(lambda X: X + 1))
    assert evaluate(split, k=2, detectors=()).leakage.m == 12


def test_representations_are_read_a_block_at_a_time(spy):
    (rows, *_) = evaluation_sets(unbalanced(representation=spy))
    assert isinstance(rows, Rows)
    assert rows.n_features == 2


def test_folds_do_not_depend_on_the_names_of_the_classes():
    X = plain(30)
    names = np.array(["a", "b", "c"])[np.arange(30) % 3]
    renamed = np.array(["z", "a", "q"])[np.arange(30) % 3]
    folds = [
        [pool.scored.tolist() for pool in pools(ClassSplit(X, y, folds=4))]
        for y in (names, renamed)
    ]
    assert folds[0] == folds[1]
