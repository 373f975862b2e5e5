"""What a search keeps beside the data, and which way it takes where there is room for less."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from pytest_splitcheck.measure.neighbours import search, surviving_neighbours
from pytest_splitcheck.measure.neighbours.cheapest import cheapest_way
from pytest_splitcheck.measure.neighbours.shortlists import Shortlists
from pytest_splitcheck.measure.neighbours.symmetric import Symmetric
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers
from tests.builders import plain


@pytest.fixture
def ways(monkeypatch):
    """Return the ways that searches take, as they come."""
    taken = []

    def watched(*args):
        taken.append(cheapest_way(*args))
        return taken[-1]

    monkeypatch.setattr(search, "cheapest_way", watched)
    return taken


def low_rank(n, d, rank=4):
    rng = np.random.default_rng(0)
    return (rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d))).astype(np.float32)


def peak_of(X, queries, k, memory, threads=2):
    base, y = Rows(X), np.arange(len(X)) % 3
    tracemalloc.start()
    try:
        surviving_neighbours(
            base,
            y,
            base if queries is None else Rows(queries),
            k=k,
            removals=[(0,), (1,)],
            workers=Workers(threads, memory),
            own=np.arange(len(X)) if queries is None else None,
        )
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("own", [True, False], ids=["a base in itself", "other queries"])
def test_short_lists_are_within_the_budget(own, ways):
    X = low_rank(6_000, 40)
    memory = 48 << 20
    assert peak_of(X, None if own else X + 0.1, 5, memory) < memory
    assert isinstance(ways[0], Shortlists)


def test_pairs_that_wait_are_within_the_budget(ways):
    memory = 96 << 20
    assert peak_of(plain(8_000, 300), None, 3, memory) < memory
    assert isinstance(ways[0], Symmetric)


@pytest.mark.parametrize("threads", [1, 8])
def test_factors_that_are_not_kept_are_within_the_budget(threads):
    X, memory = plain(3_000, 3_000).astype(np.float32), 64 << 20
    assert peak_of(X, None, 5, memory, threads) < memory


def test_pairs_of_equal_rows_are_within_the_budget():
    memory = 64 << 20
    assert peak_of(np.ones((5_000, 20)), None, 5, memory) < memory


def test_few_queries_are_compared_with_the_whole_base(ways):
    X = low_rank(6_000, 100)
    for number in (500, 2_000):
        assert peak_of(X, X[:number] + 0.1, 3, 1 << 30) > 0
    assert ways[0] is None
    assert isinstance(ways[1], Shortlists)


def test_where_there_is_less_room_blocks_of_queries_do_it(ways):
    for X in (low_rank(6_000, 40), plain(8_000, 300)):
        assert peak_of(X, None, 3, 4 << 20) > 0
    assert ways == [None, None]
