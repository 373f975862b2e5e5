"""Neighbours in the pools of a cross-fit: one search gives what a search in each pool does."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, evaluate
from pytest_splitcheck.measure import cross_fit
from pytest_splitcheck.measure.cross_fit import cross_fit_search
from pytest_splitcheck.measure.neighbours import surviving_neighbours
from pytest_splitcheck.measure.splits import folds, tasks
from pytest_splitcheck.measure.workers import Workers

WORKERS = Workers(2)
RNG = np.random.default_rng(0)
BLOBS = RNG.normal(size=(5, 4))[np.arange(400) % 5] + RNG.normal(size=(400, 4))


def grid(m, values=3, d=2):
    return np.random.default_rng(1).integers(0, values, size=(m, d)).astype(float)


CASES = {
    "blobs": (ClassSplit(BLOBS, np.arange(400) % 5), 10),
    "long rows": (ClassSplit(RNG.normal(size=(300, 40)), np.arange(300) % 3), 20),
    "two folds": (ClassSplit(BLOBS, np.arange(400) % 5, folds=2), 7),
    "twenty folds": (ClassSplit(BLOBS, np.arange(400) % 5, folds=20), 7),
    "k of 1": (ClassSplit(BLOBS, np.arange(400) % 5), 1),
    "ties": (ClassSplit(grid(500), np.arange(500) % 4), 10),
    "nearly ties": (
        ClassSplit(
            grid(500, 2, 12) + 1e-9 * np.random.default_rng(2).normal(size=(500, 12)),
            np.arange(500) % 4,
        ),
        10,
    ),
    "all equal": (ClassSplit(np.zeros((100, 2)), np.arange(100) % 4), 10),
    "piles in one fold": (
        ClassSplit(np.repeat(BLOBS, 15, axis=0), np.repeat(np.arange(400) % 5, 15)),
        10,
    ),
    "as many rows as neighbours": (ClassSplit(BLOBS[:60], np.arange(60) % 2), 20),
    "groups": (ClassSplit(BLOBS, np.arange(400) % 5, held_out=[(0, 1), 2, (1, 2)]), 10),
    "cosine": (ClassSplit(BLOBS, np.arange(400) % 5, metric="cosine"), 10),
    "large numbers": (ClassSplit(BLOBS * 1e200, np.arange(400) % 5), 10),
    "many classes": (ClassSplit(grid(900, 50, 3), np.arange(900) % 300), 5),
}


@pytest.mark.parametrize("case", CASES)
def test_lists_are_those_of_a_search_in_each_pool(case):
    benchmark, k = CASES[case]
    fold_of = folds(benchmark)
    search = cross_fit_search(benchmark, fold_of, k, WORKERS)
    assert search is not surviving_neighbours
    pairs = zip(
        tasks(benchmark, k, WORKERS, search, fold_of),
        tasks(benchmark, k, WORKERS, fold_of=fold_of),
        strict=True,
    )
    for ours, plain in pairs:
        for split in benchmark.held_out:
            for name in ("evaluation_lists", "pool_lists"):
                found = getattr(ours, name).without(split.codes, k)
                wanted = getattr(plain, name).without(split.codes, k)
                np.testing.assert_array_equal(found[0], wanted[0])
                np.testing.assert_array_equal(found[1], wanted[1])


@pytest.mark.parametrize(("case", "short"), [("piles in one fold", True), ("all equal", False)])
def test_lists_that_a_fold_has_most_of_are_made_anew(case, short, monkeypatch):
    benchmark, k = CASES[case]
    asked = []

    def spy(base, codes, queries, **how):
        asked.append(len(queries))
        return surviving_neighbours(base, codes, queries, **how)

    monkeypatch.setattr(cross_fit, "surviving_neighbours", spy)
    fold_of = folds(benchmark)
    search = cross_fit_search(benchmark, fold_of, k, WORKERS)
    for task in tasks(benchmark, k, WORKERS, search, fold_of):
        assert task.evaluation_lists is not None
        assert task.pool_lists is not None
    assert asked[0] == len(benchmark.X)
    assert len(asked) == 1 + short


@pytest.mark.parametrize(
    ("benchmark_of", "memory"),
    [
        (
            lambda: ClassSplit(BLOBS, np.arange(400) % 5, train=(BLOBS + 1, np.arange(400) % 5)),
            1 << 30,
        ),
        (lambda: CASES["blobs"][0], 1 << 20),  # no room for the lists
        (lambda: ClassSplit(BLOBS[:24], np.arange(24) % 2, folds=2), 1 << 30),  # pools of 6 rows
    ],
    ids=["a training pool", "little memory", "small pools"],
)
def test_where_it_cannot_be_each_pool_is_searched(benchmark_of, memory):
    benchmark = benchmark_of()
    search = cross_fit_search(benchmark, folds(benchmark), 6, Workers(1, memory))
    assert search is surviving_neighbours


def test_one_search_in_the_place_of_ten(monkeypatch):
    stages = []
    evaluate(
        ClassSplit(BLOBS, np.arange(400) % 5),
        detectors=("knn", "lof"),
        progress=lambda stage, done, total: stages.append((stage, done == total)),
    )
    assert stages.count(("neighbours", True)) <= 2  # the second for lists that are too short
