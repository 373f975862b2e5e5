"""Parts of a measurement come back from bytes as they were; what is no such bytes counts for nothing."""

from __future__ import annotations

import copy
import datetime
import json
import zlib

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest

from pytest_splitcheck import ClassSplit, HighIsNormal, RecordedScores
from pytest_splitcheck.cache.fields import array, record
from pytest_splitcheck.cache.identity import identify
from pytest_splitcheck.cache.outline import Outline
from pytest_splitcheck.cache.parts import packed, unpacked
from pytest_splitcheck.measure import approximate, descent
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.leaking import leaking_rows
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.pictures import embedding_picture
from pytest_splitcheck.measure.protocol import Protocol
from tests.builders import clusters
from tests.cache.shelves import Packed, counted_work, plain
from tests.measure.test_approximate import BruteForce

X, NUMBERS = clusters([[0, 0, 0], [1.5, 0, 0], [0, 1.5, 0]], 40, seed=3)
POOL, OF_POOL = clusters([[0, 0, 0], [1.5, 0, 0], [0, 1.5, 0]], 60, seed=4)


class Odd:
    """A label that is equal to itself alone."""

    def __repr__(self):
        return "odd"


ODD = [Odd(), frozenset("ab"), ("a", Odd())]


def named(names, numbers=NUMBERS):
    return [names[number] for number in numbers]


def recorded(split):
    scores = np.random.default_rng(0).normal(size=(len(split.held_out), 2, len(split.X)))
    held_out, seed, row = np.indices(scores.shape).reshape(3, -1)
    return RecordedScores(
        [split.held_out[one].label for one in held_out], row, scores.ravel(), seed
    )


def dominated():
    return X * [1e4, 1, 1]


SPLITS = {
    "folds": lambda: ClassSplit(X, NUMBERS, folds=3),
    "pool": lambda: ClassSplit(X, NUMBERS, train=(POOL, OF_POOL)),
    "cosine": lambda: ClassSplit(X + 3, NUMBERS, metric="cosine"),
    "representation": lambda: ClassSplit(X, NUMBERS, representation=PCA(2), folds=2),
    "duplicates": lambda: ClassSplit(
        np.round(X), NUMBERS, train=(np.round(np.tile(POOL, (3, 1))), np.tile(OF_POOL, 3))
    ),
    "dominated": lambda: ClassSplit(dominated(), NUMBERS),
    "groups": lambda: ClassSplit(X, NUMBERS, held_out=[(0, 1), 2]),
    "merged": lambda: ClassSplit(X, NUMBERS, merge=[(0, 2)]),
    "dropped": lambda: ClassSplit(X, NUMBERS, drop=[1], train=(POOL, OF_POOL)),
    "odd labels": lambda: ClassSplit(X, named(ODD)),
    "odd groups": lambda: ClassSplit(X, named(ODD), held_out=[(ODD[0], ODD[1]), ODD[2]]),
    "hostile labels": lambda: ClassSplit(X, named(["\x1b[31m", "<script>\n", "\u202e\ud800"])),
    "dates": lambda: ClassSplit(X, named([datetime.date(2020, 1, day) for day in (1, 2, 3)])),
    "numpy dates": lambda: ClassSplit(
        X, np.array(["2020-01", "2020-02", "2020-03"], dtype="M8[M]")[NUMBERS]
    ),
    "booleans": lambda: ClassSplit(X, NUMBERS == 1),
}

PROTOCOLS = {
    "defaults": lambda split: Protocol(seeds=(0, 1)),
    "several k": lambda split: Protocol(k=(3, 5), detectors=("knn", "lof")),
    "leakage alone": lambda split: Protocol(detectors=()),
    "sampled": lambda split: Protocol(detectors=("iforest",), sampling="always", seeds=(0,)),
    "recorded": lambda split: Protocol(detectors={"it": HighIsNormal(recorded(split))}),
    "of scikit-learn": lambda split: Protocol(
        detectors={"it": IsolationForest(n_estimators=10), "knn": "knn"}, seeds=(1, 2)
    ),
}


def measured(split, protocol, shelf, limits=(0.9,)):
    return measure(split, protocol, Memory(shelf), identify, limits, again=lambda *_: None)


@pytest.fixture
def index(monkeypatch):
    """Let the index be one that takes no minute to compile, and let few rows do for it."""
    monkeypatch.setattr(approximate, "_LEAST_ROWS", 8)
    monkeypatch.setattr(approximate, "_ROWS_PER_NEIGHBOUR", 1)
    monkeypatch.setattr(approximate, "_LEAST_QUERIES", 1)
    monkeypatch.setattr(descent, "nn_descent", lambda: BruteForce)


@pytest.mark.parametrize(
    ("split", "protocol"),
    [*((split, "defaults") for split in SPLITS), *(("pool", one) for one in PROTOCOLS)],
)
def test_a_report_from_the_shelf_is_the_one_that_was_measured(split, protocol):
    split = SPLITS[split]()
    protocol = PROTOCOLS[protocol](split)
    shelf = Packed(split)
    with counted_work() as first:
        report = measured(split, protocol, shelf)
    assert first["searches"]
    with counted_work() as second:
        again = measured(split, protocol, shelf)
    assert not second
    assert plain(again) == plain(report)
    assert json.dumps(again.to_dict()) == json.dumps(report.to_dict())
    assert plain(measured(split, protocol, None)) == plain(report)


@pytest.mark.usefixtures("index")
def test_approximate_neighbours_come_back_too():
    split = ClassSplit(X, NUMBERS)
    shelf = Packed(split)
    protocol = Protocol(neighbors="approximate", detectors=("knn", "lof"))
    with counted_work() as first:
        report = measured(split, protocol, shelf)
    assert report.leakage.approximation is not None
    assert report.detectors["lof"].approximation is not None
    assert first["indices"]
    with counted_work() as second:
        assert plain(measured(split, protocol, shelf)) == plain(report)
    assert not second


@pytest.mark.usefixtures("index")
def test_what_was_measured_for_another_purpose_changes_nothing():
    """Memory lets a value of all rows stand in for that of a sample; a shelf must not."""
    split = ClassSplit(X, NUMBERS)
    shelf = Packed(split)
    asked = [
        (Protocol(sampling=sampling, neighbors=neighbors, detectors=detectors, k=k), limits)
        for sampling in ("never", "always")
        for neighbors in ("exact", "approximate")
        for detectors in ((), ("knn",), ("lof", "knn"))
        for k in (5,)
        for limits in ((), (0.9,), (0.01, 0.9))
    ]
    order = np.random.default_rng(0).permutation(len(asked))
    for protocol, limits in [asked[number] for number in order]:
        fresh = measured(split, protocol, None, limits)
        assert plain(measured(split, protocol, shelf, limits)) == plain(fresh)
        assert plain(measured(split, protocol, shelf, limits)) == plain(fresh)


# --- what is no part ------------------------------------------------------------------------


SPLIT = ClassSplit(np.round(X, 1), NUMBERS, train=(np.round(POOL, 1), OF_POOL))


@pytest.fixture(scope="module")
def parts():
    shelf = Packed(SPLIT)
    report = measured(SPLIT, Protocol(k=3, seeds=(0, 1)), shelf)
    memory = Memory(shelf)
    list(leaking_rows(report, report.source, memory=memory))
    embedding_picture(report, "pca", memory=memory)
    measured(SPLIT, Protocol(k=3, sampling="always", detectors=()), shelf)
    cross_fitted = ClassSplit(X, NUMBERS)
    folded = Packed(cross_fitted)
    measured(cross_fitted, Protocol(k=3, detectors=()), folded)
    found = {key: (data, shelf.outline) for key, data in shelf.data.items()}
    found["folds"] = folded.data["folds"], folded.outline
    kinds = sorted(key if isinstance(key, str) else key[0] for key in found)
    assert set(kinds) == {
        "crowds", "duplicates", "embedding", "folds", "leakage", "leaking", "spacing", "tally"
    }  # fmt: skip
    return found


WRONG = [
    None,
    True,
    -1,
    2**70,
    0.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "AAAA",
    [],
    [[]],
    {},
    {"a": 1},
]


def places(tree, path=()):
    """Yield the way to every value in lists and dictionaries."""
    yield path
    if isinstance(tree, dict | list):
        for key in tree if isinstance(tree, dict) else range(len(tree)):
            yield from places(tree[key], (*path, key))


def changed(tree, path, value):
    if not path:
        return value
    tree = copy.deepcopy(tree)
    inner = tree
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return tree


def test_no_content_raises_or_comes_back_as_something_else(parts):
    """Every value of every part is put wrong in every way; what is read then is written again as it was read."""
    read = 0
    for key, (data, outline) in parts.items():
        tree = json.loads(zlib.decompress(data))
        every = list(places(tree))
        for path in every[:: max(1, len(every) // 60)]:
            for wrong in WRONG:
                text = json.dumps(changed(tree, path, wrong)).encode()
                found = unpacked(key, zlib.compress(text), outline)
                if found is not None:
                    read += 1
                    assert packed(key, found, outline) is not None, (key, path, wrong)
    assert read  # a flag is a flag, a real number a real number


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not zlib",
        zlib.compress(b""),
        zlib.compress(b"null"),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b"9" * 100_000),
        zlib.compress(b"\xff"),
        zlib.compress(b"0" * (1 << 28)),
    ],
    ids=["empty", "text", "nothing", "null", "deep", "long number", "no UTF-8", "bomb"],
)
def test_bytes_that_are_no_part(parts, data):
    for key, (_, outline) in parts.items():
        assert unpacked(key, data, outline) is None


def test_a_part_of_another_benchmark_or_of_another_name(parts):
    other = Outline.of(ClassSplit(X[1:], NUMBERS[1:] % 2, held_out=[0]))
    for key, (data, outline) in parts.items():
        if key != "spacing" and key[0] not in (
            "embedding",
            "leaking",
        ):  # no lengths of the benchmark
            assert unpacked(key, data, other) is None, key
        for name in [*parts, "unheard of", ("unheard of", 1)]:
            same_kind = {type(name), type(key)} == {tuple} and name[0] == key[0]
            if name != key and not same_kind:
                assert unpacked(name, data, outline) is None, (name, key)
    assert packed("unheard of", 1.0, other) is None


def test_cut_short(parts):
    for key, (data, outline) in parts.items():
        for length in range(0, len(data), max(1, len(data) // 50)):
            assert unpacked(key, data[:length], outline) is None


def test_a_new_attribute_is_not_lost_in_silence():
    """Whoever adds one to a result is told here, as then nothing is kept."""
    outline = Outline.of(SPLIT)
    kind = record(vars, dict, {"a": array("float", "m")})

    class Two:
        def __init__(self):
            self.a = np.zeros(len(X))

    one = Two()
    assert kind.write(one, outline)
    one.b = 1
    with pytest.raises(ValueError, match=r"not a value|argument"):
        kind.write(one, outline)


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(120, dtype=np.float32),
        np.zeros(119),
        np.zeros((120, 1)),
        [0.0] * 120,
        np.zeros(120, dtype=np.intp),
    ],
    ids=["type", "length", "axes", "list", "integers"],
)
def test_an_array_that_would_come_back_changed_is_not_written(values):
    outline = Outline.of(SPLIT)
    with pytest.raises(ValueError, match=r"not a value|argument"):
        array("float", "m").write(values, outline)


def test_floats_keep_every_bit():
    outline = Outline.of(SPLIT)
    values = np.random.default_rng(0).integers(0, 2**64, 120, dtype=np.uint64).view(float)
    values[:4] = [np.nan, -0.0, np.inf, 5e-324]
    kind = array("float", "m")
    found = kind.read(json.loads(json.dumps(kind.write(values, outline))), outline)
    assert found.tobytes() == values.tobytes()
    assert found.flags.writeable
