from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_splitcheck import ClassSplit, InputError, evaluate
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.protocol import Protocol
from tests import reference
from tests.builders import FirstColumn, clusters, grid, labelled_grids, labels, plain

X = grid(36, 3, high=9)
Y = labels(36, 3).tolist()
ALL = ("knn", "lof", "iforest")
NAMES = ["cat", "dog", "eel"]


def report(X, y, *, detectors=("knn",), k=3, **options):
    return evaluate(ClassSplit(X, y, folds=3), detectors=detectors, k=k, **options)


def figures(found):
    """Return all that a report says, but for the digest of the data's bytes and the names of features."""
    said = found.to_dict()
    del said["fingerprint"]
    if said["integrity"]["dominance"]:
        del said["integrity"]["dominance"]["feature"]
    return said


def pandas():
    return pytest.importorskip("pandas")


def torch():
    return pytest.importorskip("torch")


def frame(**columns):
    return pandas().DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], **columns})


def on_disk(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def read_only(tmp_path):
    frozen = X.copy()
    frozen.flags.writeable = False
    return frozen


# --- kinds of input -------------------------------------------------------------------------

ROWS = {
    "list": lambda tmp: X.tolist(),
    "tuples": lambda tmp: tuple(map(tuple, X.tolist())),
    "list of arrays": lambda tmp: list(X),
    "float64": lambda tmp: X.astype(float),
    "float32": lambda tmp: X.astype(np.float32),
    "float16": lambda tmp: X.astype(np.float16),
    "longdouble": lambda tmp: X.astype(np.longdouble),
    "uint8": lambda tmp: X.astype(np.uint8),
    "int8": lambda tmp: X.astype(np.int8),
    "big-endian": lambda tmp: X.astype(">f8"),
    "fortran": lambda tmp: np.asfortranarray(X),
    "strided": lambda tmp: np.repeat(X, 2, axis=0)[::2],
    "images": lambda tmp: X.reshape(36, 3, 1),
    "memmap": on_disk,
    "read-only": read_only,
    "frame": lambda tmp: frame(),
    "shuffled index": lambda tmp: frame().set_index(np.arange(36)[::-1]),
    "repeated index": lambda tmp: frame().set_index(np.zeros(36, dtype=int)),
    "repeated columns": lambda tmp: frame().set_axis(["a", "a", "a"], axis="columns"),
    "mixed columns": lambda tmp: frame().astype({"a": "uint8", "b": "float32"}),
    "nullable": lambda tmp: frame().astype({"a": "Int64", "b": "Float32", "c": "UInt8"}),
    "torch": lambda tmp: torch().tensor(X, dtype=torch().float32, requires_grad=True),
    "bfloat16": lambda tmp: torch().tensor(X, dtype=torch().bfloat16, requires_grad=True),
    "half": lambda tmp: torch().tensor(X, dtype=torch().float16),
    "torch integers": lambda tmp: torch().tensor(X),
    "torch strided": lambda tmp: torch().tensor(X.T.copy()).T,
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_of_any_kind_give_the_same_numbers(kind, tmp_path):
    assert figures(report(ROWS[kind](tmp_path), Y)) == figures(report(X, Y))


@pytest.mark.parametrize("kind", ["float64", "uint8", "memmap", "read-only", "images"])
def test_arrays_are_not_copied(kind, tmp_path):
    rows = ROWS[kind](tmp_path)
    assert np.shares_memory(rows, ClassSplit(rows, Y).X)


def test_frames_of_one_type_are_not_copied():
    rows = pandas().DataFrame(X.astype(float))
    assert np.shares_memory(rows.to_numpy(), ClassSplit(rows, Y).X)


BITS = X > 4


@pytest.mark.parametrize(
    "form",
    [
        lambda: BITS.tolist(),
        lambda: BITS,
        lambda: pandas().DataFrame(BITS),
        lambda: pandas().DataFrame(BITS).astype("boolean"),
        lambda: torch().tensor(BITS),
    ],
    ids=["list", "numpy", "frame", "nullable", "torch"],
)
def test_booleans_are_0_and_1(form):
    assert figures(report(form(), Y)) == figures(report(BITS.astype(float), Y))


def test_a_frame_of_numbers_and_booleans():
    mixed = pandas().DataFrame({"a": X[:, 0] / 2, "b": BITS[:, 1]})
    expected = np.column_stack([X[:, 0] / 2, BITS[:, 1]])
    assert figures(report(mixed, Y)) == figures(report(expected, Y))


def test_a_vector_is_one_value_per_row():
    assert figures(report(X[:, 0], Y)) == figures(report(X[:, :1], Y))


def named():
    return [NAMES[code] for code in Y]


LABELS = {
    "list": named,
    "tuple": lambda: tuple(named()),
    "numpy": lambda: np.array(named()),
    "objects": lambda: np.array(named(), dtype=object),
    "list of numpy strings": lambda: list(np.array(named())),
    "series": lambda: pandas().Series(named()),
    "shuffled index": lambda: pandas().Series(named(), index=np.arange(36)[::-1]),
    "repeated index": lambda: pandas().Series(named(), index=[0] * 36),
    "index": lambda: pandas().Index(named()),
    "string type": lambda: pandas().Series(named(), dtype="string"),
    "categorical": lambda: pandas().Series(named(), dtype="category"),
    "unused category": lambda: pandas().Categorical(named(), ["ant", "eel", "dog", "cat"]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind_give_the_same_numbers(kind):
    assert figures(report(X, LABELS[kind]())) == figures(report(X, named()))


NUMBERS = {
    "numpy": lambda: np.array(Y),
    "uint8": lambda: np.array(Y, dtype=np.uint8),
    "list of numpy numbers": lambda: list(np.array(Y)),
    "nullable": lambda: pandas().Series(Y, dtype="Int64"),
    "categorical": lambda: pandas().Series(Y, dtype="category"),
    "torch": lambda: torch().tensor(Y),
    "list of torch numbers": lambda: list(torch().tensor(Y)),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_whole_numbers_as_labels(kind):
    assert figures(report(X, NUMBERS[kind]())) == figures(report(X, Y))


# --- what cannot be measured ----------------------------------------------------------------


def test_something_else_than_a_benchmark():
    with pytest.raises(InputError, match="a ClassSplit is needed; got ndarray"):
        evaluate(X)


# --- what is measured -----------------------------------------------------------------------


def test_leakage_alone():
    found = report(X, Y, detectors=())
    assert found.detectors == {}
    assert found.instability is None
    assert found.leakage.value == pytest.approx(float(sum(reference.pointwise(X, Y, 3)) / 36))


def test_classes_go_by_the_authors_labels():
    found = report(X, named())
    assert found.classes == ("cat", "dog", "eel")
    assert found.counts == {"cat": 12, "dog": 12, "eel": 12}
    assert list(found.detectors["knn"].auroc) == ["cat", "dog", "eel"]


def test_auroc_with_a_training_pool_equals_its_definition():
    T, t = grid(30, 3, high=9, seed=5), labels(30, 3, seed=6)
    found = evaluate(ClassSplit(X, Y, train=(T, t)), k=3, detectors=("knn",)).detectors["knn"]
    for c in range(3):
        scores = reference.mean_distance(T[t != c], X, 3)
        assert found.auroc[c] == float(reference.auroc(scores, [y == c for y in Y]))


def test_a_class_of_one_row():
    rows = np.r_[plain(30), [[50, 50, 50]]]
    found = report(rows, ["a", "b"] * 15 + ["c"])
    assert found.detectors["knn"].auroc["c"] == 1.0
    assert found.leakage.per_class["c"] == 1.0
    assert found.positives["c"] == 1


def test_groups_are_positive_together():
    split = ClassSplit(X, Y, held_out=[(0, 1), 2], folds=3)
    found = evaluate(split, k=3, detectors=("knn",))
    assert found.positives == {(0, 1): 24, 2: 12}
    assert list(found.detectors["knn"].auroc) == [(0, 1), 2]


@pytest.mark.parametrize("value", [0, 7.5, -1e300])
def test_a_representation_of_one_value_is_reported_as_constant(value):
    pool = np.full((66, 2), value), Y + Y[:30]
    split = ClassSplit(np.full((36, 2), value), Y, train=pool)
    found = evaluate(split, k=3, detectors=ALL, seeds=(0,))
    assert found.constant
    assert found.leakage.ratio == pytest.approx(1)
    assert all(result.no_ranking == (0, 1, 2) for result in found.detectors.values())


def test_one_row_that_differs_is_no_constant():
    assert not report(np.r_[np.zeros((35, 2)), [[0, 1]]], Y).constant


def test_the_forest_and_the_authors_detector_ignore_the_metric():
    rows, y = clusters([[5.0, 1], [1, 5]], 15)
    by_metric = [
        evaluate(
            ClassSplit(rows, y, folds=2, metric=metric, held_out=[0]),
            k=2,
            detectors=("iforest", FirstColumn()),
            seeds=(0,),
        ).detectors
        for metric in ("euclidean", "cosine")
    ]
    assert by_metric[0] == by_metric[1]


def test_cosine_is_euclidean_on_rows_of_unit_length():
    rows, y = plain(40) + 1, labels(40)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = evaluate(ClassSplit(rows, y, metric="cosine"), k=4, detectors=("knn",))
    euclidean = evaluate(ClassSplit(unit, y), k=4, detectors=("knn",))
    np.testing.assert_allclose(cosine.leakage.pointwise, euclidean.leakage.pointwise)
    assert cosine.detectors["knn"].auroc == euclidean.detectors["knn"].auroc


# --- what is remembered ---------------------------------------------------------------------


class Counting(FirstColumn):
    fits = 0

    def fit(self, X):
        Counting.fits += 1


def remembered(memory, **options):
    options = {"k": 3, "detectors": {"it": Counting()}, "seeds": (0,), **options}
    Counting.fits = 0
    return measure(ClassSplit(X, Y, folds=2), Protocol(**options), memory, type), Counting.fits


def test_a_detector_is_not_fitted_again():
    memory = Memory()
    first, fits = remembered(memory)
    again, refits = remembered(memory)
    assert (fits, refits) == (6, 0)
    assert again.to_dict() == first.to_dict()


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        ({"epsilon": 0.1}, 0),
        ({"detectors": {"other": Counting()}}, 0),
        ({"n_jobs": 1}, 0),
        ({"k": 4}, 0),
        ({"seeds": (1,)}, 6),
    ],
)
def test_what_a_fit_depends_on(options, fits):
    memory = Memory()
    remembered(memory)
    assert remembered(memory, **options)[1] == fits


def test_what_is_remembered_changes_no_figure():
    memory = Memory()
    remembered(memory, k=2, detectors=("knn",))
    found, _ = remembered(memory, k=3, detectors={"it": Counting(), "knn": "knn"}, epsilon=0.1)
    fresh = evaluate(
        ClassSplit(X, Y, folds=2), k=3, detectors={"it": Counting(), "knn": "knn"}, epsilon=0.1
    )
    assert found.to_dict() == fresh.to_dict()


# --- what must change nothing ---------------------------------------------------------------


def json_bytes(found):
    return json.dumps(found.to_dict(), allow_nan=False).encode()


@pytest.fixture(scope="module")
def real_rows():
    return clusters([[0, 0, 0], [2, 1, 0], [0, 2, 2]], 40)


def whole(rows, y, **options):
    split = ClassSplit(rows, y, train=(rows[::-1] + 0.25, y[::-1]), held_out=[0, 1])
    return evaluate(split, k=5, detectors=ALL, seeds=(0, 1), **options)


def test_the_same_input_gives_the_same_bytes(real_rows):
    assert json_bytes(whole(*real_rows)) == json_bytes(whole(*real_rows))


def leakage_and_auroc(X, y, T, t, k):
    found = evaluate(ClassSplit(X, y, folds=2, train=(T, t)), k=k, detectors=("knn",))
    return found.leakage.per_class, found.detectors["knn"].auroc


@settings(max_examples=30)
@given(labelled_grids(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_figure(data, random):
    rows, y, k = data
    T, t = grid(40, rows.shape[1], seed=3), labels(40)
    order = list(range(len(rows)))
    random.shuffle(order)
    k = min(k, 10)
    expected = leakage_and_auroc(rows, y, T, t, k)
    assert leakage_and_auroc(rows[order], y[order], T, t, k) == expected
    assert leakage_and_auroc(rows, y, T[::-1], t[::-1], k) == expected


@settings(max_examples=20)
@given(labelled_grids())
def test_renaming_the_classes_renames_the_figures(data):
    rows, y, k = data
    T, t = grid(40, rows.shape[1], seed=3), labels(40)
    k, names = min(k, 10), np.array(["z", "y", "x"])
    plain_names = leakage_and_auroc(rows, y, T, t, k)
    renamed = leakage_and_auroc(rows, names[y], T, names[t], k)
    for before, after in zip(plain_names, renamed, strict=True):
        assert after == {str(names[code]): value for code, value in before.items()}


@settings(max_examples=20)
@given(labelled_grids(), st.sampled_from([(1, 1e8), (1, -(2.0**40)), (2.0**-10, 0), (1024, 0)]))
def test_offset_and_scale_change_no_figure(data, change):
    rows, y, k = data
    scale, offset = change
    T, t = grid(40, rows.shape[1], seed=3), labels(40)
    k = min(k, 10)
    moved = leakage_and_auroc(rows / 4 * scale + offset, y, T / 4 * scale + offset, t, k)
    assert moved == leakage_and_auroc(rows / 4, y, T / 4, t, k)


def test_negated_scores_swap_the_directions():
    class LastFirst(FirstColumn):
        def score(self, X):
            return -X[:, 0]

    both = report(X, Y, detectors={"up": FirstColumn(), "down": LastFirst()}).detectors
    up, down = both["up"], both["down"]
    assert down.auroc == pytest.approx({c: 1 - value for c, value in up.auroc.items()})
    assert down.direction == {c: -sign for c, sign in up.direction.items()}
    assert (down.rho_rnd, down.rho_dir) == (up.rho_rnd, up.rho_dir)
