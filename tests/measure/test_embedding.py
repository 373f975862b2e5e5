from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from pytest_splitcheck.measure.embedding import embed, most_rows
from pytest_splitcheck.measure.rows import Rows
from tests.builders import clusters, plain

CORNERS = np.eye(8)[:4] * 50


@pytest.mark.parametrize(("n", "d"), [(60, 5), (20, 100), (30, 30)])
def test_components_are_those_of_scikit_learn(n, d):
    X = plain(n, d) * np.arange(1, d + 1)
    found = embed(Rows(X), "pca")
    expected = PCA(2).fit_transform(X)
    expected *= np.sign((expected * found).sum(axis=0))
    scale = np.abs(expected).max()
    assert found / np.abs(found).max() == pytest.approx(expected / scale, abs=1e-9)


def test_the_largest_coordinate_of_each_is_positive():
    X = plain(40, 6)
    found = embed(Rows(X), "pca")
    largest = np.abs(found).argmax(axis=0)
    assert (found[largest, [0, 1]] > 0).all()


@pytest.mark.parametrize("scale", [1e-300, 1e300, 1.0])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_neither_scale_nor_place_matters(scale, offset):
    X = np.round(plain(40, 6), 3)
    found = embed(Rows((X + offset) * scale), "pca")
    expected = embed(Rows(X), "pca")
    assert found / np.abs(found).max() == pytest.approx(expected / np.abs(expected).max(), abs=1e-6)


@pytest.mark.parametrize("kind", ["pca", "tsne"])
@pytest.mark.parametrize("shape", [(5, 1), (1, 3), (2, 2), (3, 4), (10, 3)])
def test_few_rows_and_columns_have_two_coordinates(shape, kind):
    assert embed(Rows(plain(*shape)), kind).shape == (shape[0], 2)


@pytest.mark.parametrize("kind", ["pca", "tsne"])
def test_equal_rows_are_one_point(kind):
    assert embed(Rows(np.ones((10, 3))), kind).tolist() == [[0, 0]] * 10


def test_tsne_is_the_same_each_time_and_keeps_clusters_apart():
    X, y = clusters(CORNERS, 15)
    first, second = (embed(Rows(X), "tsne") for _ in range(2))
    assert (first == second).all()
    distance = np.linalg.norm(first[:, None] - first[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (y[distance.argmin(axis=1)] == y).all()


def test_tsne_does_not_depend_on_the_global_seed():
    X, _ = clusters(CORNERS, 8)
    np.random.seed(1)  # noqa: NPY002
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = embed(Rows(X), "tsne")
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002
    np.random.seed(2)  # noqa: NPY002
    assert (embed(Rows(X), "tsne") == first).all()


def test_fewer_of_long_rows_are_shown():
    assert [most_rows(d) for d in (1, 3072, 150_528, 10**9)] == [2000, 2000, 222, 20]
