from __future__ import annotations

import itertools
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.tree import _splitter
from sklearn.utils import random as sklearn_random

from pytest_splitcheck import ClassSplit, evaluate
from pytest_splitcheck.measure import forest, forests
from pytest_splitcheck.measure.forest import Draws
from pytest_splitcheck.measure.forests import forest_scores
from pytest_splitcheck.measure.splits import tasks
from pytest_splitcheck.measure.workers import Workers
from tests.builders import clusters, grid, labels, plain


@pytest.fixture(autouse=True)
def _unchanged_process():
    """Neither the warning filters nor numpy's own random numbers change."""
    filters, state = list(warnings.filters), np.random.get_state()  # noqa: NPY002
    yield
    assert warnings.filters == filters
    assert np.random.get_state()[1].tolist() == state[1].tolist()  # noqa: NPY002


@pytest.fixture
def check_again():
    """Let the comparison with scikit-learn be made anew, in the test and after it."""
    forests._same_as_scikit_learn.cache_clear()
    yield
    forests._same_as_scikit_learn.cache_clear()


def scores(split, *, seeds=(0,), threads=1, memory=1 << 30, draws=Draws):
    (task,) = tasks(split, 0, Workers(threads, memory))
    return forest_scores(task, seeds, draws)


def of_scikit_learn(pool, rows, seed):
    return -IsolationForest(n_estimators=100, random_state=seed).fit(pool).score_samples(rows)


def one_pool(pool, rows):
    """Return a benchmark with one split, whose normal pool is `pool`."""
    y = [1] + [0] * (len(rows) - 1)
    return ClassSplit(rows, y, train=(pool, [0] * len(pool)), held_out=[1])


def three_classes(n=60, m=30, d=3, **options):
    X, y = clusters(np.eye(3, d) * 3, n, seed=1)
    T, t = clusters(np.eye(3, d) * 3, m, seed=2)
    return ClassSplit(T, t, train=(X, y), **options)


def assert_same(found, expected):
    assert found.tobytes() == expected.tobytes()


# --- scikit-learn's scores ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "d", "seed"),
    [
        (2, 1, 0),
        (3, 2, 7),
        (100, 4, 2**32 - 1),
        (255, 1, 1),
        (256, 3, 0),
        (257, 3, 5),
        (900, 70, 2**31),
        (25_600, 1, 0),
        (25_601, 2, 3),
    ],
)
def test_pools_of_any_size(n, d, seed):
    pool, rows = plain(n, d, seed=1), plain(60, d, seed=2) * 2
    assert_same(
        scores(one_pool(pool, rows), seeds=(seed,))[0, 0], of_scikit_learn(pool, rows, seed)
    )


@pytest.mark.parametrize(
    "pool",
    [
        grid(400, 3),
        np.repeat(plain(30), 12, axis=0),
        np.column_stack([np.full(300, 0.1), plain(300, 1)[:, 0], np.zeros(300)]),
        np.ones((300, 2)),
        plain(300) * [1.0, 1e3, 1e-2],
    ],
    ids=["few values", "duplicates", "constant columns", "constant", "columns of different sizes"],
)
def test_pools_of_any_values(pool):
    rows = np.r_[pool[:20], 3 * plain(20, pool.shape[1], seed=5)]
    assert_same(scores(one_pool(pool, rows), seeds=(1,))[0, 0], of_scikit_learn(pool, rows, 1))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "float64"])
def test_pools_of_any_type(dtype):
    pool, rows = ((plain(300, seed=s) * 3).round().astype(dtype) for s in (1, 2))
    assert_same(scores(one_pool(pool, rows[:40]))[0, 0], of_scikit_learn(pool, rows[:40], 0))


def test_held_out_groups_and_seeds():
    split = three_classes(held_out=[0, (1, 2)])
    found = scores(split, seeds=(5, 0))
    assert found.shape == (2, 2, 90)
    for of_split, one in zip(found, split.held_out, strict=True):
        pool = split.train.X[~np.isin(split.train.codes, one.codes)]
        for seed, values in zip((5, 0), of_split, strict=True):
            assert_same(values, of_scikit_learn(pool, split.X, seed))


def test_folds_of_a_cross_fit():
    X, y = plain(330, 4), labels(330)
    for task in tasks(ClassSplit(X, y, folds=2, held_out=[1]), 0, Workers()):
        inside = np.setdiff1d(np.arange(330), task.scored)
        pool = X[inside][y[inside] != 1]
        found = forest_scores(task, (3,), Draws)[0, 0]
        assert_same(found, of_scikit_learn(pool, X[task.scored], 3))


def test_cosine_takes_rows_as_they_are():
    rows = plain(200)
    split = ClassSplit(rows[:40], labels(40, 2), train=(rows, labels(200, 2)), metric="cosine")
    pool = rows[labels(200, 2) != 0]
    assert_same(scores(split)[0, 0], of_scikit_learn(pool, rows[:40], 0))


# --- float32 --------------------------------------------------------------------------------


def mapped(pool, rows):
    """Return both in float32, each column as the forest documents it, written out."""
    pool, rows = pool.copy(), rows.copy()
    for column in range(pool.shape[1]):
        values = pool[:, column]
        centre = values.mean()
        spread = np.abs(values - centre).max()
        shift = centre if abs(centre) > 1024 * spread > 0 else 0.0
        largest = spread + abs(centre - shift)
        fits = largest == 0 or 2.0**-10 <= largest <= 2.0**100
        factor = 1.0 if fits else 0.5 ** np.frexp(largest)[1]
        for matrix in (pool, rows):
            with np.errstate(over="ignore"):
                matrix[:, column] = (matrix[:, column] - shift) * factor
    return pool.astype(np.float32), rows.clip(-3.4e38, 3.4e38).astype(np.float32)


def hostile(n, seed):
    """Return dyadic values, so that their mean is exact, in columns of very different scales."""
    values = np.round(plain(n, 6, seed=seed) * 64) / 64
    values[-1] = -values[:-1].sum(axis=0)
    return values * [1, 1, 2.0**-500, 2.0**300, 1, 2.0**-12] + [0, 2.0**30, 0, 0, -(2.0**12), 0]


@pytest.mark.parametrize("memory", [1 << 30, 0], ids=["cast once", "cast by parts"])
def test_columns_that_float32_would_merge_or_lose(memory):
    pool, rows = hostile(300, 1), hostile(50, 2)
    rows[0] = 1e300
    expected = of_scikit_learn(*mapped(pool, rows), 0)
    assert_same(scores(one_pool(pool, rows), memory=memory)[0, 0], expected)
    assert len(np.unique(expected)) > 40


def test_a_forest_knows_its_normal_pool_only():
    split = three_classes()
    X, y = split.train.X.copy(), split.train.codes
    X[y == 2] = X[y == 2] * 1e200 + 1e210
    changed = ClassSplit(split.X, split.codes, train=(X, y))
    assert_same(scores(changed)[2], scores(split)[2])


# --- workers --------------------------------------------------------------------------------


def test_the_number_of_workers_changes_no_byte():
    split = three_classes(m=forests._ROWS_WORTH_A_THREAD // 3 + 1)
    one, two, three = (scores(split, seeds=(0, 1), threads=n) for n in (1, 2, 3))
    assert_same(two, one)
    assert_same(three, one)


def test_small_blocks_change_no_byte(monkeypatch):
    split = three_classes()
    whole = scores(split)
    monkeypatch.setattr("pytest_splitcheck.declare.arrays._BLOCK_VALUES", 40)
    assert_same(scores(split), whole)
    assert_same(scores(split, memory=0), whole)


def test_draws_are_shared_by_pools_of_one_size():
    asked = []

    @lru_cache
    def draws(seed, n, d):
        asked.append((seed, n, d))
        return Draws(seed, n, d)

    scores(three_classes(), seeds=(0, 1), draws=draws)
    assert sorted(asked) == [(0, 120, 3), (1, 120, 3)]


def test_forests_of_the_same_draws_are_near_but_not_next_to_each_other():
    made = [
        (n, seed, split) for seed in (0, 1) for split, n in enumerate([90, 91, 92, 91, 90] * 40)
    ]
    todo = forests._in_turn(made)
    assert sorted(todo) == sorted(made)
    assert all(one[:2] != other[:2] for one, other in itertools.pairwise(todo))


@pytest.mark.parametrize("kinds", [40, 200])
def test_draws_that_are_remembered_are_made_once(kinds):
    made = [(n, 0, 3 * n + i) for n in range(kinds) for i in range(3)]
    drawn = []
    remembered = lru_cache(maxsize=forests.DRAWS_KEPT)(drawn.append)
    for n, seed, _ in forests._in_turn(made):
        remembered((n, seed))
    assert len(drawn) == kinds


@pytest.mark.parametrize("same", [True, False], ids=["built here", "of scikit-learn"])
def test_several_threads_at_once(same, monkeypatch, check_again):
    if not same:
        monkeypatch.delattr(_splitter, "RandomSplitter")
    split = three_classes(n=20, held_out=[0])
    start = threading.Barrier(4)

    def measure(_):
        start.wait()
        report = evaluate(split, k=5, detectors=("iforest",), seeds=(0,), n_jobs=2)
        return tuple(report.detectors["iforest"].auroc.values())

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(measure, range(4)))) == 1


# --- another scikit-learn -------------------------------------------------------------------


def reversed_sample(n, size, random_state):
    return n - 1 - sample_without_replacement(n, size, random_state=random_state)


sample_without_replacement = sklearn_random.sample_without_replacement


@pytest.mark.parametrize(
    ("where", "name", "stand_in"),
    [
        (sklearn_random, "sample_without_replacement", reversed_sample),
        (_splitter, "RandomSplitter", _splitter.BestSplitter),
        (_splitter, "RandomSplitter", None),
        (forest, "_average_path_length", lambda largest: np.arange(largest + 1.0)),
    ],
    ids=["other rows", "other splits", "no such class", "other depths"],
)
def test_a_forest_that_differs_is_left_to_scikit_learn(
    where, name, stand_in, monkeypatch, check_again
):
    split = three_classes(held_out=[1])
    expected = scores(split)
    forests._same_as_scikit_learn.cache_clear()
    monkeypatch.setattr(where, name, stand_in)
    asked = []
    found = scores(split, draws=lambda *key: asked.append(key))
    assert_same(found, expected)
    assert not asked


def test_what_scikit_learn_gives_fits_in_float32(monkeypatch, check_again):
    pool, rows = hostile(300, 1), hostile(50, 2)
    rows[0] = 1e300
    expected = scores(one_pool(pool, rows))
    forests._same_as_scikit_learn.cache_clear()
    monkeypatch.delattr(_splitter, "RandomSplitter")
    assert_same(scores(one_pool(pool, rows)), expected)


def test_the_installed_scikit_learn_is_not_asked():
    assert forests._same_as_scikit_learn()


def test_the_rows_of_each_tree():
    for n in (100, 256, 1000, 26_000):
        forest = IsolationForest(n_estimators=4, random_state=6).fit(plain(n, 2))
        for found, sample in zip(
            Draws(6, n, 2, trees=4).samples, forest.estimators_samples_, strict=True
        ):
            np.testing.assert_array_equal(found, np.sort(sample))


def test_rows_of_many_that_scikit_learn_samples_otherwise(monkeypatch):
    monkeypatch.setattr(
        sklearn_random,
        "sample_without_replacement",
        lambda n, size, random_state: random_state.permutation(n)[:size],
    )
    found = Draws(0, 30_000, 1, trees=1).samples[0]
    seed = np.random.RandomState(0).randint(2**31 - 1)
    random = np.random.RandomState(seed)
    random.permutation(1)
    np.testing.assert_array_equal(found, np.sort(random.permutation(30_000)[:256]))
