from __future__ import annotations

import time

import numpy as np
from matplotlib.legend import Legend

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
    assert legend(ax) == ["a", "b"]


def test_what_an_edge_means_stands_apart_from_the_classes_within_the_figure(ax):
    draw_embedding(ax, embedding("abab", [False, True, False, True]))
    (above,) = (one for one in ax.artists if isinstance(one, Legend))
    assert [text.get_text() for text in above.get_texts()] == ["edge: leaking"]
    ax.figure.canvas.draw()
    boxes = [one.get_window_extent() for one in (above, ax.get_legend())]
    assert not boxes[0].overlaps(boxes[1])
    whole = ax.figure.get_tightbbox().transformed(ax.figure.dpi_scale_trans)
    for box in boxes:
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1 + 1
        assert box.y1 <= whole.y1 + 1
    ax.clear()
    draw_embedding(ax, embedding("ab"))
    assert [one for one in ax.artists if isinstance(one, Legend)] == []


def test_ten_classes_have_ten_colours_and_seventy_a_mark_each(ax):
    draw_embedding(ax, embedding([f"{i}" for i in range(70)]))
    drawn = ax.collections
    colours = [tuple(one.get_facecolor()[0]) for one in drawn]
    marks = [one.get_paths()[0].vertices.tobytes() for one in drawn]
    assert len(set(colours[:10])) == 10
    assert len(set(zip(colours, marks, strict=True))) == 70


def test_of_many_classes_the_number_is_told(ax):
    draw_embedding(ax, embedding([f"{i}" for i in range(30)], [True] + [False] * 29))
    assert legend(ax) == ["edge: leaking"]
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
