"""Approximate neighbours against exact ones.

pynndescent compiles itself for a minute in each process: most tests put a brute-force index in its place.
"""

from __future__ import annotations

import json
import math
import os
import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pytest_splitcheck import ClassSplit, InputError, Thresholds, evaluate, judge
from pytest_splitcheck.measure import approximate, audit, descent
from pytest_splitcheck.measure.approximate import ApproximateSearch
from pytest_splitcheck.measure.audit import Audit
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.families import families
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.neighbours import neighbour_shares, surviving_neighbours
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.rows import Rows
from pytest_splitcheck.measure.workers import Workers
from tests.builders import clusters, grid, labels, plain

LOADER = Path(__file__).parents[2] / "examples" / "benchmark_data.py"


class BruteForce:
    """What pynndescent's index looks like from outside, exact, before `spoil` gets at it."""

    def __init__(self, data, n_neighbors, random_state, n_jobs):
        assert data.dtype == np.float32
        assert np.isfinite(data).all()
        self.data = data.astype(np.float64)
        self.neighbor_graph = self._lists(self.data, n_neighbors)

    def query(self, queries, k, epsilon):
        return self._lists(queries.astype(np.float64), k)

    def _lists(self, queries, k):
        distance = np.sqrt(((queries[:, None] - self.data) ** 2).sum(axis=2))
        index = np.argsort(distance, axis=1, kind="stable")[:, :k]
        distance = np.take_along_axis(distance, index, axis=1)
        return self.spoil(index.astype(np.int32)), distance.astype(np.float32)

    @staticmethod
    def spoil(index):
        return index


@pytest.fixture
def small(monkeypatch):
    """Let an index pay from a few rows on."""
    monkeypatch.setattr(approximate, "_LEAST_ROWS", 8)
    monkeypatch.setattr(approximate, "_ROWS_PER_NEIGHBOUR", 1)
    monkeypatch.setattr(approximate, "_LEAST_QUERIES", 1)


@pytest.fixture
def index(small, monkeypatch):
    """Put `BruteForce` in the place of pynndescent, and return it."""
    monkeypatch.setattr(descent, "nn_descent", lambda: BruteForce)
    return BruteForce


def spoil(monkeypatch, change):
    def spoiled(index):
        index = index.copy()
        change(index)
        return index

    monkeypatch.setattr(BruteForce, "spoil", staticmethod(spoiled))


def both_shares(X, codes, k, unit=False):
    """Return approximate and exact shares, and what is said of the former."""
    rows, n = Rows(np.asarray(X), unit=unit), int(np.max(codes)) + 1
    search = ApproximateSearch()
    found = search.neighbour_shares(rows, np.asarray(codes), n, k, Workers(2))
    return found, neighbour_shares(rows, np.asarray(codes), n, k, Workers(2)), search.approximation


def assert_same_lists(base, codes, queries, k, removals, own=None):
    base, queries = Rows(np.asarray(base)), Rows(np.asarray(queries))
    asked = {"k": k, "removals": removals, "workers": Workers(2), "own": own}
    search = ApproximateSearch()
    found = search.surviving_neighbours(base, codes, queries, **asked)
    truth = surviving_neighbours(base, codes, queries, **asked)
    for removed in [(), *removals]:
        for one, other in zip(found.without(removed, k), truth.without(removed, k), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
    return search.approximation


# --- what an index does not get wrong -------------------------------------------------------


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("unit", [False, True])
def test_shares_of_a_perfect_index_are_exact(unit):
    found, truth, told = both_shares(plain(90), labels(90), 5, unit)
    np.testing.assert_allclose(found, truth, atol=1e-12)
    assert (told.recall, told.sample, told.repaired) == (1.0, 90, 0)


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("n_classes", [2, 5, 12, 17])
@pytest.mark.parametrize("own", [False, True])
def test_lists_of_a_perfect_index_are_exact_after_every_removal(n_classes, own):
    base, codes = plain(400, 4), labels(400, n_classes)
    rows = np.random.default_rng(1).integers(0, 400, size=60)
    queries = base[rows] if own else plain(60, 4, seed=3)
    removals = [(code,) for code in range(n_classes)]
    told = assert_same_lists(base, codes, queries, 6, removals, rows if own else None)
    assert told.recall == 1.0


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("removals", [[(0, 1), (2,)], [(0, 1), (1, 2), (2,)], [(7,)], []])
def test_classes_that_are_held_out_together(removals):
    assert_same_lists(plain(200), labels(200, 5), plain(30, seed=2), 4, removals)


@pytest.mark.usefixtures("index")
def test_classes_too_small_for_an_index_are_searched_exactly():
    X, codes = plain(203), np.r_[labels(200, 2), [2, 2, 2]]
    removals = [(0,), (1,), (2,)]
    assert_same_lists(X, codes, X, 5, removals, np.arange(203))


@pytest.mark.usefixtures("index")
def test_blocks_change_nothing(monkeypatch):
    monkeypatch.setattr(approximate, "_LIST_VALUES", 100)
    monkeypatch.setattr(approximate, "_QUERIES", 3)
    X, codes = plain(90), labels(90)
    assert_same_lists(X, codes, X, 5, [(0,), (1, 2)], np.arange(90))
    np.testing.assert_allclose(*both_shares(X, codes, 5)[:2], atol=1e-12)


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_numbers_beyond_float32(scale, offset):
    X, codes = (plain(80) + offset) * scale, labels(80)
    np.testing.assert_allclose(*both_shares(X, codes, 5)[:2], atol=1e-12)
    assert_same_lists(X, codes, X[:20], 5, [(0,), (1,)])


@pytest.mark.usefixtures("index")
def test_queries_far_beyond_the_pool():
    base, codes = plain(80), labels(80)
    assert_same_lists(base, codes, [[0.0, 1e3, 0.0], [1.0, 0.0, 0.0]], 5, [(0,)])
    search = ApproximateSearch()
    found = search.surviving_neighbours(
        Rows(base), codes, Rows(np.full((2, 3), 1e300)), k=5, removals=[(0,)], workers=Workers()
    )
    assert (found.without((0,), 5)[1] >= 0).all()


@pytest.mark.usefixtures("index")
def test_rows_beside_one_that_is_far_are_told_apart():
    X = np.r_[plain(80), [[1e12] * 3]]
    found, truth, _ = both_shares(X, np.r_[labels(80), [0]], 5)
    np.testing.assert_allclose(found[:80], truth[:80], atol=1e-12)  # the last has ties without end


def test_families_leave_everything_but_the_removed():
    for n in (1, 2, 10, 11, 12, 16, 17, 100):
        removals = [(code,) for code in range(n)]
        found = families(range(n), removals)
        assert len(found) <= max(10, 2 * math.ceil(math.log2(n)))
        for removed in removals:
            left = {code for family in found if not {*removed} & {*family} for code in family}
            assert left == {*range(n)} - {*removed}


# --- what it does get wrong -----------------------------------------------------------------

FAULTS = {
    "none found": lambda index: index[::7, -3:].fill(-1),
    "nothing found": lambda index: index[::7].fill(-1),
    "a repeat": lambda index: np.copyto(index[::7, 2], index[::7, 1]),
    "itself again": lambda index: np.copyto(index[::7, 3], index[::7, 0]),
    "out of range": lambda index: index[::7, 1].fill(10**6),
}


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_unsound_lists_are_replaced_and_counted(fault, monkeypatch):
    spoil(monkeypatch, fault)
    X, codes = plain(140), labels(140, 2)
    found, truth, told = both_shares(X, codes, 5)
    np.testing.assert_allclose(found, truth, atol=1e-12)
    assert (told.recall, told.repaired) == (1.0, 20)
    told = assert_same_lists(X, codes, X, 5, [(0,), (1,)], np.arange(140))
    assert told.repaired > 0
    assert_same_lists(X, codes, plain(30, seed=7), 5, [(0,), (1,)])


@pytest.mark.usefixtures("index")
def test_recall_and_the_error_of_l_k_are_those_of_the_sample(monkeypatch):
    def miss_the_nearest(index):
        index[:, 1:-1] = index[:, 2:]  # without itself; the last is there twice
        index[:, -1] = (index[:, 0] + 40) % 120

    X, y = clusters([[0, 0], [3, 0]], 60)
    spoil(monkeypatch, miss_the_nearest)
    found, truth, told = both_shares(X, y, 4)
    assert told.recall < 0.9
    own = np.arange(120), y
    difference = (truth[own] - found[own]) / 4
    assert told.error > abs(difference.mean())


def test_ties_count_by_distance(index):
    _, _, told = both_shares(grid(150, high=3), labels(150), 4)
    assert told.recall == 1.0
    assert told.error > 0


@pytest.mark.parametrize("mean", [0.0, 0.002, 0.05])
def test_the_possible_error_holds(mean):
    rng = np.random.default_rng(0)
    population = rng.random(20_000) < mean
    held = []
    for _ in range(200):
        book = Audit()
        book.add(1.0, 1000, 0)
        book.compare(rng.choice(population, 1000, replace=False) * -1.0)
        held.append(book.result().error >= population.mean())
    assert all(held)


def test_the_possible_error_of_a_perfect_sample():
    assert audit._possible_error(np.zeros(1000)) == pytest.approx(math.log(2000) / 1000, rel=0.01)


# --- the option -----------------------------------------------------------------------------


def test_few_rows_are_searched_exactly():
    X, y = clusters([[0, 0], [3, 0]], 40)
    split = ClassSplit(X, y)
    found = evaluate(split, detectors=("knn", "lof"), neighbors="approximate")
    assert found.leakage.approximation is None
    assert found.to_dict() == evaluate(split, detectors=("knn", "lof")).to_dict()


@pytest.mark.parametrize("given", ["approx", "Approximate", "aproximate"])
def test_an_unknown_kind_of_neighbours(given):
    with pytest.raises(InputError, match=rf"got '{given}'; did you mean 'approximate'\?"):
        Protocol(neighbors=given)


def test_no_kind_of_neighbours():
    with pytest.raises(InputError, match="neighbors must be one of exact, approximate; got None"):
        Protocol(neighbors=None)


@pytest.mark.usefixtures("index")
def test_detectors_tell_how_far_their_neighbours_are_off():
    X, y = clusters([[0, 0], [3, 0]], 60)
    split = ClassSplit(X, y, folds=2)
    found = evaluate(split, neighbors="approximate", seeds=(0,))
    assert found.detectors["knn"].approximation.recall == 1.0
    assert found.detectors["knn"].approximation.error is None
    assert found.detectors["iforest"].approximation is None
    exact = evaluate(split, detectors=("lof",))
    assert found.detectors["lof"].auroc == pytest.approx(exact.detectors["lof"].auroc)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.usefixtures("index")
def test_leakage_near_its_limit_is_undecided():
    X, y = clusters([[0, 0], [2, 0]], 100)
    found = evaluate(ClassSplit(X, y), detectors=(), neighbors="approximate")
    value, error = found.leakage.value, found.leakage.approximation.error
    for limit, status in [
        (value + 1.1 * error, "well posed"),
        (value + 0.9 * error, "undecided"),
        (value - 0.9 * error, "undecided"),
        (value - 1.1 * error, "ill posed"),
    ]:
        verdict = judge(found, Thresholds(max_leakage=limit))
        assert verdict.status == status
    assert not found.leakage.exact
    assert found.leakage.interval == (value - error, value + error)
    (finding,) = judge(found, Thresholds(max_leakage=value)).findings
    assert (finding.kind, finding.value) == ("open limit", value)
    between = f"L_10 is between {value - error:.3f} and {value + error:.3f}, on either side of"
    assert finding.message.startswith(between)
    assert finding.message.endswith(" (approximate neighbours)")
    (finding,) = judge(found, Thresholds(max_leakage=value - 1.1 * error)).findings
    assert finding.message.endswith(" (approximate neighbours)")
    assert finding.figure == "L_10"
    ratio = judge(found, Thresholds(max_leakage_ratio=found.leakage.ratio))
    assert ratio.status == "undecided"


@pytest.mark.usefixtures("index")
def test_a_pytest_run_tells_it(pytester, monkeypatch):
    monkeypatch.setenv("COLUMNS", "130")
    pytester.makeini("[pytest]\nsplitcheck_neighbors = approximate\n")
    pytester.makepyfile(
        """
        from pytest_splitcheck import ClassSplit
        from tests.builders import clusters

        X, y = clusters([[0, 0], [3, 0]], 60)

        def test_good(splitcheck):
            splitcheck(ClassSplit(X, y, name="good"), detectors=("knn",))
            exact = splitcheck(ClassSplit(X, y, name="good"), detectors=(), neighbors="exact")
            assert exact.leakage.approximation is None

        def test_bad(splitcheck):
            splitcheck(ClassSplit(X[:, 1:], y, name="bad"), detectors=(), max_leakage=0.1)
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    told = "Approximate neighbours, L_10 = * recall 1.0000 (120 rows checked), 0 rows repaired."
    result.stdout.fnmatch_lines(
        [
            f"E *{told}",
            "good * ~0.* well posed",
            f"~ bad: {told}",
            f"~ good *: {told}",
            "~ good *: Approximate neighbours, knn: recall*",
        ]
    )


def test_the_wait_is_announced_past_the_capture(pytester, monkeypatch):
    # A process of its own, in which a module that does nothing is in the place of pynndescent.
    pytester.makepyfile(pynndescent="NNDescent = None")
    pytester.makepyfile(
        """
        import sys
        from pytest_splitcheck.measure.descent import nn_descent

        def test_it():
            nn_descent()
            nn_descent()
            print("captured", file=sys.stderr)
        """
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(pytester.path), *_path()]))
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    assert (
        result.stderr.str().count("splitcheck: approximate neighbours: pynndescent compiles") == 1
    )
    assert "captured" not in result.stderr.str()


def _path():
    return [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]


# --- beside a sample ------------------------------------------------------------------------

MIXED, Y = plain(600, 2), labels(600, 4)


def measured(memory, limits=(0.5,), **options):
    protocol = Protocol(**{"detectors": (), "neighbors": "approximate", **options})
    return measure(ClassSplit(MIXED, Y), protocol, memory, str, limits)


@pytest.mark.usefixtures("small")
def test_the_rows_of_a_sample_are_searched_exactly(monkeypatch):
    monkeypatch.setattr(descent, "nn_descent", lambda: pytest.fail("an index was built"))
    found = measured(Memory(), sampling="always").leakage
    assert found.sampled
    assert found.approximation is None
    exact = measured(Memory(), sampling="always", neighbors="exact").leakage
    assert json.dumps(found.to_dict()) == json.dumps(exact.to_dict())


@pytest.mark.usefixtures("index")
def test_detectors_beside_a_sample_use_an_index():
    found = measured(Memory(), sampling="always", detectors=("knn",))
    assert found.leakage.sampled
    assert found.detectors["knn"].approximation is not None


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize(
    ("limits", "sampling"),
    [((0.5,), "never"), ((), "always"), ((1.0,), "always"), ((0.5,), "auto")],
)
def test_leakage_of_all_rows_is_searched_by_an_index(limits, sampling):
    found = measured(Memory(), limits, sampling=sampling).leakage
    assert (found.sampled, found.exact, found.queries) == (False, False, 600)
    assert found.approximation.recall == 1.0


@pytest.mark.usefixtures("index")
def test_exact_and_approximate_leakage_do_not_stand_in_for_each_other():
    for first, second in (("exact", "approximate"), ("approximate", "exact")):
        memory = Memory()
        one = measured(memory, (), neighbors=first).leakage
        other = measured(memory, (), neighbors=second).leakage
        assert (one.exact, other.exact) == (first == "exact", second == "exact")
        assert measured(memory, (), neighbors=first).leakage is one
        assert measured(memory, (), neighbors=second).leakage is other


@pytest.mark.usefixtures("index")
def test_an_approximate_leakage_does_not_stand_in_for_a_sample():
    memory = Memory()
    measured(memory, sampling="never")
    found = measured(memory, sampling="always").leakage
    assert found.sampled
    assert measured(memory, sampling="always", neighbors="exact").leakage is found
    assert not measured(memory, sampling="never").leakage.sampled


@pytest.mark.usefixtures("index")
def test_an_exact_leakage_does_not_stand_in_for_a_sample():
    memory = Memory()
    measured(memory, sampling="never", neighbors="exact")
    assert measured(memory, sampling="always").leakage.sampled
    assert not measured(memory, ()).leakage.exact


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("first", [("knn",), ("lof",), ("knn", "lof")])
def test_detectors_that_ran_before_change_nothing_that_an_index_finds(monkeypatch, first):
    spoil(monkeypatch, lambda found: found[::3].fill(-1))
    options = {"detectors": ("knn",), "k": (5, 3)}
    memory = Memory()
    measured(memory, detectors=first)
    found, alone = measured(memory, **options), measured(Memory(), **options)
    assert found.to_dict() == alone.to_dict()
    both = {"detectors": ("knn", "lof")}
    assert measured(memory, **both).to_dict() == measured(Memory(), **both).to_dict()


@pytest.mark.usefixtures("index")
def test_detectors_are_told_apart_by_their_neighbours():
    memory = Memory()
    found = measured(memory, detectors=("knn",)).detectors["knn"]
    exact = measured(memory, detectors=("knn",), neighbors="exact").detectors["knn"]
    assert found.approximation is not None
    assert exact.approximation is None


# --- pynndescent itself ---------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_digits():
    X, y = load_digits(return_X_y=True)
    split = ClassSplit(X, y, train=(X[::2] + 0.25, y[::2]))
    found = evaluate(split, detectors=("knn", "lof"), neighbors="approximate", n_jobs=2)
    exact = evaluate(split, detectors=("knn", "lof"))
    told = found.leakage.approximation
    assert told.recall > 0.95
    assert abs(found.leakage.value - exact.leakage.value) <= told.error
    for name, result in found.detectors.items():
        assert result.approximation.recall > 0.95
        assert result.auroc == pytest.approx(exact.detectors[name].auroc, abs=0.01)
    again = evaluate(split, detectors=("knn", "lof"), neighbors="approximate", n_jobs=1)
    assert json.dumps(again.to_dict()) == json.dumps(found.to_dict())
    assert again.leakage.pointwise.tobytes() == found.leakage.pointwise.tobytes()


@pytest.mark.skipif(
    not os.environ.get("SPLITCHECK_DATA"), reason="SPLITCHECK_DATA lists no folder of data sets"
)
def test_fashion_mnist():
    try:
        X, y, _ = runpy.run_path(str(LOADER))["load_fashion_mnist"]()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    codes = np.unique(y[:4000], return_inverse=True)[1]
    found, truth, told = both_shares(X[:4000], codes, 10)
    own = np.arange(4000), codes
    assert told.recall > 0.95
    assert abs((found[own] - truth[own]).mean() / 10) <= told.error


ODD = {
    "equal": np.zeros((300, 4)),
    "two points": np.repeat([[0.0, 0.0], [1.0, 1.0]], 150, axis=0),
    "far from the origin": plain(300) + 1e8,
    "huge": plain(300) * 1e30,
    "denormal": plain(300) * 1e-310,
    "grid": grid(300, high=3),
    "one column": np.arange(300.0)[:, None],
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("X", ODD.values(), ids=ODD)
def test_odd_data(X):
    codes = np.r_[labels(297, 2), [2, 2, 2]]
    found, truth, told = both_shares(X, codes, 10)
    np.testing.assert_allclose(found.sum(axis=1), 10)
    own = np.arange(300), codes
    assert abs((found[own] - truth[own]).mean() / 10) <= told.error
    rows, removals = Rows(X), [(0,), (1,), (2,)]
    search = ApproximateSearch()
    lists = search.surviving_neighbours(
        rows, codes, rows, k=100, removals=removals, workers=Workers(2), own=np.arange(300)
    )
    assert search.approximation.recall > 0.95
    for removed in [(), *removals]:
        distance, index = lists.without(removed, 100)
        assert (index != np.arange(300)[:, None]).all()
        assert not np.isin(codes[index], removed).any()
        assert all(len(set(row)) == 100 for row in index.tolist())
        assert (np.diff(distance, axis=1) >= 0).all()
