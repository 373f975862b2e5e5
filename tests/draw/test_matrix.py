from __future__ import annotations

import time

import numpy as np
import pytest

from pytest_splitcheck.draw import draw_leakage_matrix
from pytest_splitcheck.draw.order import by_similarity
from tests import builders
from tests.draw.artists import names


def blocks(n, of, *, seed=0):
    """Return a leakage matrix of `of` blocks in random order, and the block of each class."""
    rng = np.random.default_rng(seed)
    block = rng.permutation(np.arange(n) % of)
    alike = (block[:, None] == block) * rng.uniform(1, 2, (n, n)) + rng.uniform(0, 0.1, (n, n))
    return alike / alike.sum(axis=1, keepdims=True), block


def report(matrix, classes, **changes):
    leakage = builders.leakage(0.5, classes=classes, matrix=np.asarray(matrix), **changes)
    return builders.report({}, classes=classes, leakage=leakage).to_dict()


@pytest.mark.parametrize("seed", range(5))
def test_blocks_stand_together(seed):
    matrix, block = blocks(12, 4, seed=seed)
    order = by_similarity(matrix.tolist())
    assert sorted(order) == list(range(12))
    assert (np.diff(block[order]) != 0).sum() == 3


def test_a_chain_is_put_in_line():
    near = np.exp(-np.abs(np.subtract.outer(np.arange(8), np.arange(8))) / 2.0)
    shuffled = np.array([3, 0, 6, 1, 7, 5, 2, 4])
    order = by_similarity(
        (near / near.sum(axis=1, keepdims=True))[np.ix_(shuffled, shuffled)].tolist()
    )
    line = shuffled[order].tolist()
    assert line in (list(range(8)), list(range(7, -1, -1)))


@pytest.mark.parametrize("n", [1, 2])
def test_few_classes_keep_their_order(n):
    assert by_similarity(np.eye(n).tolist()) == list(range(n))


def test_classes_that_do_not_mix_are_put_in_some_order_once():
    assert sorted(by_similarity(np.eye(5).tolist())) == list(range(5))
    assert by_similarity(np.eye(5).tolist()) == by_similarity(np.eye(5).tolist())


def test_cells_hold_the_shares_of_their_classes(ax):
    matrix, _ = blocks(6, 2)
    classes = tuple("abcdef")
    draw_leakage_matrix(ax, report(matrix, classes))
    shown = names(ax)
    assert names(ax, "x") == shown
    assert sorted(shown) == list(classes)
    order = ["abcdef".index(name) for name in shown]
    cells = ax.collections[0].get_array().reshape(6, 6)
    assert (np.asarray(cells) == matrix[np.ix_(order, order)]).all()
    values = [text.get_text() for text in ax.texts]
    assert values == [f"{share:.2f}"[1:] for share in matrix[np.ix_(order, order)].ravel()]


def test_one_is_written_as_one(ax):
    draw_leakage_matrix(ax, report(np.eye(3), tuple("abc")))
    assert [text.get_text() for text in ax.texts] == [
        "1.00",
        ".00",
        ".00",
        ".00",
        "1.00",
        ".00",
        ".00",
        ".00",
        "1.00",
    ]


def test_the_row_of_an_unseen_class_is_blank(ax):
    matrix = np.array([[0.8, 0.2, 0.0], [np.nan] * 3, [0.1, 0.0, 0.9]])
    draw_leakage_matrix(ax, report(matrix, tuple("abc"), per_class={"a": 0.2, "b": None, "c": 0.1}))
    cells = ax.collections[0].get_array().reshape(3, 3)
    assert np.ma.getmaskarray(cells).all(axis=1).tolist() == [name == "b" for name in names(ax)]
    assert len(ax.texts) == 6


def test_there_is_a_colour_bar(ax):
    draw_leakage_matrix(ax, report(np.eye(3), tuple("abc")))
    ax, bar = ax.figure.axes
    assert bar.get_ylabel() == "share of the 10 nearest rows"
    assert bar.get_ylim() == (0, 1)


def test_many_classes_have_no_values_and_are_an_image(ax):
    matrix, _ = blocks(40, 4)
    draw_leakage_matrix(ax, report(matrix, tuple(range(40))))
    assert not ax.texts
    assert ax.collections[0].get_rasterized()


def test_a_thousand_classes_take_seconds(axes):
    matrix, _ = blocks(1000, 20)
    said = report(np.eye(3), tuple("abc"))
    classes = [str(i) for i in range(1000)]
    said["leakage"] |= {"classes": classes, "matrix": matrix.tolist()}
    ax = axes(8, 8)
    start = time.process_time()
    draw_leakage_matrix(ax, said)
    ax.figure.canvas.draw()
    assert time.process_time() - start < 20
