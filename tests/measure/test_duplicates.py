"""Rows that a pool and the evaluation set share, and equal rows with different labels."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, InputError, evaluate
from pytest_splitcheck.measure.duplicates import find_duplicates
from pytest_splitcheck.measure.equal import equal_sets
from pytest_splitcheck.measure.splits import pools
from tests import reference
from tests.builders import FirstColumn, labelled_grids, labels, plain

X = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 1]])
Y = ["a", "b"] * 3
POOL = np.array([[1, 1, 1], [0, 0, 1], [0, 1, 1]])
"""Of `X`, rows 0 and 2 are in it."""


def ab(rows):
    return ["ab"[i % 2] for i in range(len(rows))]


def found(X, y=None, train=None, k=1, detectors=(), **options):
    """Measure rows whose labels are a and b in turn, unless others are given."""
    train = None if train is None else (train, ab(train))
    split = ClassSplit(X, ab(X) if y is None else y, train=train, **options)
    return evaluate(split, k=k, detectors=detectors, seeds=(0,)).integrity


def pandas():
    return pytest.importorskip("pandas")


def torch():
    return pytest.importorskip("torch")


def on_disk(rows, tmp_path):
    path = tmp_path / f"{len(rows)} rows.npy"
    np.save(path, rows)
    return np.load(path, mmap_mode="r")


KINDS = {
    "list": lambda rows, tmp: rows.tolist(),
    "bool": lambda rows, tmp: rows.astype(bool),
    "uint8": lambda rows, tmp: rows.astype(np.uint8),
    "int8": lambda rows, tmp: rows.astype(np.int8),
    "int64": lambda rows, tmp: rows.astype(np.int64),
    "uint64": lambda rows, tmp: rows.astype(np.uint64),
    "float16": lambda rows, tmp: rows.astype(np.float16),
    "float32": lambda rows, tmp: rows.astype(np.float32),
    "float64": lambda rows, tmp: rows.astype(np.float64),
    "big-endian": lambda rows, tmp: rows.astype(">f8"),
    "fortran": lambda rows, tmp: np.asfortranarray(rows.astype(float)),
    "strided": lambda rows, tmp: np.repeat(rows, 2, axis=1)[:, ::2],
    "images": lambda rows, tmp: rows.reshape(len(rows), 3, 1),
    "memmap": on_disk,
    "frame": lambda rows, tmp: pandas().DataFrame(rows),
    "mixed frame": lambda rows, tmp: pandas().DataFrame(rows).astype({0: "uint8", 1: "Float32"}),
    "nullable booleans": lambda rows, tmp: pandas().DataFrame(rows == 1).astype("boolean"),
    "torch": lambda rows, tmp: torch().tensor(rows, dtype=torch().float32, requires_grad=True),
    "bfloat16": lambda rows, tmp: torch().tensor(rows, dtype=torch().bfloat16),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", ["uint8", "float16", "float64", "memmap"])
def test_equal_rows_are_found_by_value_whatever_the_types(kind, other, tmp_path):
    shared = found(KINDS[kind](X, tmp_path), Y, KINDS[other](POOL, tmp_path)).shared
    assert shared.rows.tolist() == [0, 2]
    assert shared.partners.tolist() == [2, 0]
    assert (shared.exact, shared.near, shared.scale) == (2, None, None)
    assert shared.drop.tolist() == [0, 2]


def test_minus_zero_is_zero():
    assert found(
        [[-0.0, 1.0], [2.0, 3.0]], train=[[0.0, 1.0], [5.0, 5.0]]
    ).shared.rows.tolist() == [0]


def test_values_that_do_not_fit_the_other_type_are_told_apart():
    rows = np.array([[300, 0], [44, 0], [-1, 7], [255, 7]], dtype=np.int16)
    pool = np.array([[44, 0], [255, 7]], dtype=np.uint8)  # 300 and -1 wrap to these
    assert found(rows, train=pool).shared.rows.tolist() == [1, 3]
    far = np.array([[512695.0], [512804.0]], dtype=np.float32)
    assert found(far, train=np.array([[512804.0], [512695.03125]])).shared.rows.tolist() == [1]


@pytest.mark.parametrize("value", [1e308, 5e-324, 2.0**53, -1e-300])
def test_extreme_values(value):
    rows = np.array([[value, 0.0], [0.0, value], [value, value]])
    shared = found(rows, train=rows[[1, 1]]).shared
    assert (shared.rows.tolist(), shared.partners.tolist()) == ([1], [0])


def test_position_counts_and_not_the_index_of_a_frame():
    frame, pool = pandas().DataFrame(X, index=[5, 4, 3, 3, 1, 0]), pandas().DataFrame(POOL[::-1])
    assert found(frame, Y, pool).shared.partners.tolist() == [0, 2]


def test_rows_of_several_blocks_are_numbered_together():
    sets = equal_sets(lambda: [np.array([[1, 2], [3, 4]]), np.array([[3, 4], [1, 3]])])
    assert sets[1] == sets[2]
    assert len(set(sets.tolist())) == 3


def test_rows_on_disk_are_read_block_by_block(tmp_path):
    rows = np.random.default_rng(0).integers(0, 255, size=(30_000, 1_000), dtype=np.uint8)
    rows[20_000] = rows[10]
    mapped = on_disk(rows, tmp_path)
    split = ClassSplit(mapped[:15_000], labels(15_000), train=(mapped[15_000:], labels(15_000)))
    tracemalloc.start()
    partner = find_duplicates(split).partner
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.flatnonzero(partner >= 0).tolist() == [10]
    assert partner[10] == 5_000
    assert peak < rows.nbytes / 2


# --- cross-fitted ---------------------------------------------------------------------------


@settings(deadline=None)
@given(labelled_grids(), st.booleans())
def test_what_is_shared_left_and_in_conflict_equals_a_definition_by_hand(grid, crossed):
    X, codes, k = grid
    half = len(X) // 2
    train = None if crossed else (X[:half].astype(np.float32), codes[:half])
    split = ClassSplit(X, codes, train=train, folds=2)
    try:
        integrity = evaluate(split, k=k, detectors=[FirstColumn()]).integrity
    except InputError:  # a pool without a normal row, or a fold without an anomaly
        reject()
    values = [tuple(map(float, row)) for row in X.tolist()]
    shared, left = {}, {label: [] for label in split.classes}
    for pool in pools(split):
        members = range(half) if pool.rows.index is None else pool.rows.index.tolist()
        for i in pool.scored.tolist():
            equal = [j for j in members if values[j] == values[i]]
            if equal:
                shared[i] = equal[0]
            if any(codes[j] != codes[i] for j in equal):
                left[int(codes[i])].append(i)
    rows = sorted(shared)
    assert integrity.shared.rows.tolist() == rows
    assert integrity.shared.partners.tolist() == [shared[i] for i in rows]
    assert {c: r.tolist() for c, r in integrity.contaminated.items()} == {
        c: sorted(r) for c, r in left.items() if r
    }
    mixed = [
        i
        for i in range(len(X))
        if any(values[j] == values[i] and codes[j] != codes[i] for j in range(len(X)))
    ]
    assert integrity.conflicts.rows.tolist() == mixed
    assert integrity.conflicts.groups == len({values[i] for i in mixed})
    drop = rows if not crossed else [i for i in range(len(X)) if values[i] in values[:i]]
    assert integrity.shared.drop.tolist() == drop


@settings(deadline=None)
@given(labelled_grids())
def test_equal_rows_with_different_labels_bound_leakage_from_below(grid):
    X, codes, k = grid
    floor = evaluate(ClassSplit(X, codes, folds=2), k=k, detectors=()).integrity.conflicts.floor
    assert floor <= float(sum(reference.pointwise(X, codes, k))) / len(X) + 1e-12


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 30])
def test_the_bound_is_reached_where_the_rest_is_pure(k):
    y = np.repeat([0, 1], 40)
    X = np.where(y == 0, -100.0, 100.0)[:, None] + plain(80, 1)
    X[:3], y[:3] = -100.5, [0, 0, 1]  # among rows of class 0
    integrity = evaluate(ClassSplit(X, y), k=k, detectors=()).integrity
    of_zeros, of_one = (1 / max(k, 2), 2 / max(k, 2))
    assert integrity.conflicts.floor == pytest.approx((2 * of_zeros + of_one) / 80)
    pointwise = evaluate(ClassSplit(X, y), k=k, detectors=()).leakage.pointwise
    assert pointwise[:2] == pytest.approx([of_zeros] * 2)


def test_six_equal_rows_of_two_labels():
    integrity = found(np.zeros((6, 2)), [0, 0, 0, 1, 1, 1], k=2, folds=2)
    assert integrity.conflicts.floor == pytest.approx(0.6)
    assert (integrity.conflicts.groups, len(integrity.conflicts.rows)) == (1, 6)


@pytest.mark.parametrize("options", [{"metric": "cosine"}, {"representation": "fitted"}])
def test_without_a_bound_where_other_rows_can_be_at_distance_0(options):
    class Identity:
        def fit(self, X):
            pass

        def transform(self, X):
            return X

    if "representation" in options:
        options = {"representation": Identity()}
    rows = [[1, 0], [1, 0], [2, 0], [5, 1]]
    conflicts = found(rows, ["a", "b", "a", "b"], folds=2, **options).conflicts
    assert (conflicts.rows.tolist(), conflicts.floor) == ([0, 1], None)


def test_folds_that_nobody_makes_use_of_share_nothing():
    X, y = np.zeros((60, 1)), labels(60)
    assert len(found(X, y, detectors=("iforest",)).shared.rows) == 60
    alone = found(X, y)
    assert (len(alone.shared.rows), alone.contaminated) == (0, {})
    assert alone.conflicts.groups == 1


def test_dropping_what_is_told_leaves_nothing_shared():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(120, 3)), labels(120)
    keep = np.ones(120, dtype=bool)
    keep[found(X, y, detectors=("knn",)).shared.drop] = False
    again = found(X[keep], y[keep], detectors=("knn",))
    assert len(again.shared.rows) == 0
    assert again.contaminated == {}
    assert keep.sum() == len(np.unique(X, axis=0))
