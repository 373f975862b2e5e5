from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.decomposition import PCA

from pytest_splitcheck import ClassSplit, InputError, evaluate
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.pictures import embedding_picture, pictures, scores_picture
from tests import builders
from tests.builders import FirstColumn, clusters, labels, plain
from tests.draw.artists import texts
from tests.measure.test_images import read


def split(n=20, **options):
    X, y = clusters([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], n)
    return ClassSplit(X, np.array(["a", "b", "c"])[y], **options)


def measured(benchmark, **options):
    return evaluate(benchmark, **{"k": 5, "detectors": (), **options})


def axes():
    return Figure().add_subplot()


# --- scores ---------------------------------------------------------------------------------


def test_scores_are_those_of_the_worst_class_by_the_worst_detector():
    report = measured(split(), detectors={"knn": "knn", "first": FirstColumn()})
    found = scores_picture(report)
    aurocs = {
        (name, label): auroc
        for name, result in report.detectors.items()
        for label, auroc in result.auroc.items()
    }
    assert (found["detector"], found["class"]) == min(aurocs, key=aurocs.get)
    histogram = report.detectors[found["detector"]].histogram[found["class"]]
    assert found["edges"] == list(histogram.edges)
    assert found["normal"] == list(histogram.normal)
    assert found["anomalous"] == list(histogram.anomalous)


def test_without_detectors_they_are_those_of_geometry():
    found = scores_picture(measured(split()))
    assert found["detector"] == "geometry"
    assert (sum(found["normal"]), sum(found["anomalous"])) == (40, 20)


def test_without_either_there_are_none():
    assert scores_picture(builders.report({})) is None
    with pytest.raises(InputError, match="neither detectors nor geometry"):
        builders.report({}).plot_scores(axes())


def test_of_a_group_the_name_is_told():
    report = measured(split(held_out=[("a", "b")]), detectors=[FirstColumn()])
    assert scores_picture(report)["class"] == "a+b"


# --- rows as points -------------------------------------------------------------------------


def test_every_row_is_there_with_its_class_and_its_leakage():
    benchmark = split()
    report = measured(benchmark)
    found = embedding_picture(report, "pca")
    assert found["kind"] == "pca"
    assert found["rows"] == list(range(60))
    assert found["labels"] == ["a"] * 20 + ["b"] * 20 + ["c"] * 20
    assert found["leaking"] == (report.leakage.pointwise > 0.5).tolist()
    expected = PCA(2).fit_transform(benchmark.X)
    points = np.array(found["points"])
    expected *= np.sign((expected * points).sum(axis=0))
    scale = np.abs(expected).max(axis=0) / np.abs(points).max(axis=0)
    assert points * scale == pytest.approx(expected, rel=1e-3)
    assert scale[0] == pytest.approx(scale[1], rel=1e-3)
    assert all(x == float(f"{x:.4g}") for x, _ in found["points"])


def test_rows_come_class_by_class_in_their_order():
    y = np.array(["b", "a", "b", "a", "c", "a"] * 4)
    report = measured(ClassSplit(plain(24), y, folds=2))
    found = embedding_picture(report, "pca")
    assert found["labels"] == sorted(y)
    assert found["rows"] == [row for name in "abc" for row in np.flatnonzero(y == name)]


def test_of_many_rows_small_classes_are_whole():
    sizes = [3000, 1500, 100]
    y = np.repeat(["a", "b", "c"], sizes)
    report = measured(ClassSplit(plain(4600, 2), y))
    found = embedding_picture(report, "pca")
    counts = {name: found["labels"].count(name) for name in "abc"}
    assert counts == {"a": 950, "b": 950, "c": 100}
    assert len(set(found["rows"])) == 2000
    assert [y[row] for row in found["rows"]] == found["labels"]
    assert embedding_picture(report, "pca") == found
    assert not set(range(950)) <= set(found["rows"])  # not simply the first


def test_more_classes_than_rows_to_show_is_no_fault():
    y = np.repeat(np.arange(2100), 2)
    report = measured(ClassSplit(plain(4200, 2), y, held_out=[0]), k=1)
    assert len(embedding_picture(report, "pca")["rows"]) == 2000


def test_where_leakage_was_sampled_its_rows_are_shown_first():
    X, y = plain(9000, 2), labels(9000)
    report = measured(ClassSplit(X, y), sampling="always", leakage_limits=[0.5], detectors=(), k=5)
    sample = {int(row) for row in report.leakage.rows}
    assert len(sample) < 2000
    found = embedding_picture(report, "pca")
    assert sample <= set(found["rows"])
    known = dict(zip(report.leakage.rows.tolist(), report.leakage.pointwise > 0.5, strict=True))
    assert found["leaking"] == [bool(known.get(row, False)) for row in found["rows"]]


def test_rows_are_numbered_as_the_author_does():
    X, y = clusters([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 20)
    report = measured(ClassSplit(X, y, drop=[0]))
    found = embedding_picture(report, "pca")
    assert found["rows"] == list(range(20, 60))
    assert found["labels"] == ["1"] * 20 + ["2"] * 20


def test_the_representation_is_what_is_shown():
    class Flat:
        def fit(self, X):
            pass

        def transform(self, X):
            return X * [1.0, 0.0]

    found = embedding_picture(measured(split(representation=Flat())), "pca")
    assert {y for _, y in found["points"]} == {0.0}


def test_tsne_is_reproducible():
    report = measured(split())
    first, second = (pictures(report, embedding="tsne")["embedding"] for _ in range(2))
    assert first == second
    assert first["kind"] == "tsne"
    assert first["points"] != embedding_picture(report, "pca")["points"]


def test_what_memory_holds_is_not_embedded_again(monkeypatch):
    report, memory = measured(split()), Memory()
    first = pictures(report, embedding="pca", memory=memory)
    monkeypatch.setattr("pytest_splitcheck.measure.pictures.embed", None)
    assert pictures(report, embedding="pca", memory=memory) == first


def test_a_row_leaks_if_most_of_its_neighbours_are_of_other_classes():
    X = [[0.0], [1.0], [3.0], [4.5], [6.5], [9.0]]
    report = measured(ClassSplit(X, list("aabbab"), folds=2), k=2)
    assert report.leakage.pointwise.tolist() == [0.5, 0.5, 0.5, 0.5, 1, 0.5]
    found = embedding_picture(report, "pca")
    assert dict(zip(found["rows"], found["leaking"], strict=True)) == {
        **dict.fromkeys(range(6), False),
        4: True,
    }


# --- thumbnails -----------------------------------------------------------------------------


def images(n=30, shape=(6, 5), seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (n, *shape)).astype(np.uint8), np.arange(n) % 3


@pytest.mark.parametrize("shape", [(6, 5), (6, 5, 3)])
def test_the_rows_that_leak_most_stand_beside_their_neighbours(shape):
    X, y = images(shape=shape)
    report = measured(ClassSplit(X, y, folds=2), k=7)
    found = pictures(report, embedding="pca")["thumbnails"]
    expected = report.advice().rows[:8]
    assert len(found) == 8
    for one, row in zip(found, expected, strict=True):
        assert (one["row"], one["label"], one["leakage"]) == (row.row, str(row.label), row.leakage)
        assert [(n["row"], n["label"]) for n in one["neighbours"]] == [
            (number, str(label)) for number, label in row.neighbours[:5]
        ]
        for shown in [one, *one["neighbours"]]:
            pixels = read(shown["image"])
            assert (pixels == X[shown["row"]]).all()


def test_images_of_dropped_classes_do_not_shift_the_others():
    X, y = images()
    found = pictures(measured(ClassSplit(X, y, drop=[0], folds=2)), embedding="pca")["thumbnails"]
    for one in found:
        pixels = read(one["image"])
        assert one["label"] == str(y[one["row"]])
        assert (pixels == X[one["row"]]).all()


def test_flat_rows_have_none():
    X, y = images()
    report = measured(ClassSplit(X.reshape(30, -1), y, folds=2))
    assert pictures(report, embedding="pca")["thumbnails"] is None


def test_no_row_that_leaks_is_no_thumbnail():
    X = np.repeat([0, 255], 20)[:, None, None] * np.ones((1, 4, 4)) + plain(40, 16).reshape(
        40, 4, 4
    )
    report = measured(ClassSplit(X, [0] * 20 + [1] * 20))
    assert report.leakage.value == 0
    assert pictures(report, embedding="pca")["thumbnails"] == []


# --- all of them ----------------------------------------------------------------------------


def test_they_are_plain_data():
    X, y = images()
    names = np.array(["x", "y", "z"])[y]
    found = pictures(measured(ClassSplit(X, names, folds=2)), embedding="pca")

    def kinds(value):
        yield type(value)
        for one in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        ):
            yield from kinds(one)

    assert set(kinds(found)) <= {dict, list, str, int, float, bool}
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("lost", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_report_that_lost_its_benchmark_says_so(lost):
    report = lost(measured(split(), detectors=("knn",)))
    for draw in (lambda: report.plot_embedding(axes()), lambda: pictures(report, embedding="pca")):
        with pytest.raises(
            InputError, match=r"lost its benchmark, .*: it was unpickled, copied or"
        ):
            draw()
    assert report.plot_scores(ax := axes()) is ax


def test_every_figure_returns_its_axes():
    report = measured(split(), detectors=("knn",))
    for name in ("auroc", "leakage", "leakage_matrix", "scores", "embedding"):
        ax = axes()
        assert getattr(report, f"plot_{name}")(ax) is ax
        assert ax.has_data()
    assert "t-SNE" in texts(report.plot_embedding(axes(), kind="tsne"))


def test_a_misspelt_kind_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="kind must be one of pca, tsne; got 'tnse'; did you mean"):
        measured(split()).plot_embedding(axes(), kind="tnse")
