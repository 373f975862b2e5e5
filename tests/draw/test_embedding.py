from __future__ import annotations

import time

import numpy as np

from pytest_splitcheck.draw import draw_embedding
from tests.draw.artists import legend, points


def embedding(labels, leaking=None, **changes):
    n = len(labels)
    return {
        "kind": "pca",
        "points": [[float(i), float(-i)] for i in range(n)],
        "labels": list(labels),
        "leaking": [False] * n if leaking is None else leaking,
        "rows": list(range(n)),
        **changes,
    }


def test_every_row_is_a_point_of_its_class(ax):
    draw_embedding(ax, embedding("abab", [False, True, False, True]))
    drawn = [points(one).tolist() for one in ax.collections]
    assert drawn == [[[0, 0], [2, -2]], [[1, -1], [3, -3]]]
    plain, leaking = ax.collections
    assert len(plain.get_edgecolor()) == 0
    assert len(leaking.get_edgecolor()) == 1
    assert legend(ax) == ["a", "b", "leaking"]


def test_ten_classes_have_ten_colours_and_seventy_a_mark_each(ax):
    draw_embedding(ax, embedding([f"{i}" for i in range(70)]))
    drawn = ax.collections
    colours = [tuple(one.get_facecolor()[0]) for one in drawn]
    marks = [one.get_paths()[0].vertices.tobytes() for one in drawn]
    assert len(set(colours[:10])) == 10
    assert len(set(zip(colours, marks, strict=True))) == 70


def test_of_many_classes_the_number_is_told(ax):
    draw_embedding(ax, embedding([f"{i}" for i in range(30)], [True] + [False] * 29))
    assert legend(ax) == ["leaking"]
    assert "30 classes" in ax.get_xlabel()


def test_the_axes_say_what_they_are(axes):
    ax = axes()
    draw_embedding(ax, embedding("ab"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "first principal component",
        "second principal component",
    )
    ax = axes()
    draw_embedding(ax, embedding("ab", kind="tsne"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("t-SNE", "")


def test_a_thousand_classes_take_seconds(ax):
    start = time.process_time()
    draw_embedding(ax, embedding(np.repeat([f"{i}" for i in range(1000)], 2).tolist()))
    ax.figure.canvas.draw()
    assert time.process_time() - start < 20
