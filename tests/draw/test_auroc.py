from __future__ import annotations

import itertools

import numpy as np
import pytest

from pytest_splitcheck.draw import draw_auroc
from tests import builders
from tests.draw.artists import legend, names, points, texts

AUROCS = {"knn": {"a": 0.9, "b": 0.2, "c": 0.51}, "lof": {"a": 0.8, "b": 0.45, "c": 1.0}}


def report(aurocs=AUROCS, **changes):
    return builders.report(aurocs, **changes).to_dict()


def dots_and_lines(ax):
    dots = [one for one in ax.collections if len(one.get_offsets()) > 1 and one.get_sizes().any()]
    lines = [one for one in ax.collections if hasattr(one, "get_segments")]
    return dots, lines


def test_every_class_of_every_detector_is_at_its_auroc(ax):
    draw_auroc(ax, report())
    dots, lines = dots_and_lines(ax)
    assert len(dots) == len(lines) == 2
    for one, line, aurocs in zip(dots, lines, AUROCS.values(), strict=True):
        found = points(one)
        assert found[:, 0].tolist() == list(aurocs.values())
        assert found[:, 1].round().tolist() == [0, 1, 2]
        ends = np.array(line.get_segments())
        assert ends[:, 0, 0] == pytest.approx([max(0, value - 0.02) for value in aurocs.values()])
        assert ends[:, 1, 0] == pytest.approx([min(1, value + 0.02) for value in aurocs.values()])
        assert (ends[:, :, 1] == found[:, 1:]).all()
    assert names(ax) == ["a", "b", "c"]
    assert ax.get_ylim() == (2.5, -0.5)


def test_detectors_do_not_lie_on_each_other(ax):
    draw_auroc(ax, report())
    (knn, lof), _ = dots_and_lines(ax)
    assert points(lof)[:, 1] - points(knn)[:, 1] == pytest.approx(np.full(3, 0.35))
    assert knn.get_edgecolor().tolist() != lof.get_edgecolor().tolist()
    assert len(knn.get_paths()[0]) != len(lof.get_paths()[0])  # another marker


def test_chance_and_the_band(ax):
    draw_auroc(ax, report(epsilon=0.1))
    (band,) = ax.patches
    assert (band.get_x(), band.get_width()) == pytest.approx((0.4, 0.2))
    assert [one.get_xdata() for one in ax.lines if len(one.get_xdata()) == 2] == [[0.5, 0.5]]
    assert "1/2 ± 0.1" in ax.get_xlabel()


def test_unresolved_classes_are_hollow(ax):
    draw_auroc(ax, report(intervals={"knn": {"c": (0.45, 0.57)}}))
    (knn, lof), _ = dots_and_lines(ax)
    paper = list(ax.get_facecolor())
    assert [face == paper for face in knn.get_facecolor().tolist()] == [False, False, True]
    assert paper not in lof.get_facecolor().tolist()
    assert legend(ax) == ["knn", "lof", "not resolved"]


def test_geometry_stands_beside_detectors(ax):
    draw_auroc(ax, report(geometry={"a": 0.7, "b": 0.6, "c": 0.5}))
    (bars,) = [one for one in ax.lines if len(one.get_xdata()) == 3]
    assert bars.get_xdata().tolist() == [0.7, 0.6, 0.5]
    assert legend(ax) == ["knn", "lof", "geometry alone"]


def test_geometry_alone_takes_the_place_of_detectors(ax):
    draw_auroc(ax, report({}, geometry={"a": 0.7, "b": 0.6, "c": 0.5}))
    ((dots,), _) = dots_and_lines(ax)
    assert points(dots)[:, 0].tolist() == [0.7, 0.6, 0.5]
    assert "geometry" in legend(ax)


def test_without_any_auroc_it_says_so(ax):
    draw_auroc(ax, report({}))
    assert ax.get_legend() is None
    assert "no detectors, and no geometry" in texts(ax)


@pytest.mark.parametrize(("n", "height"), [(3, 2), (10, 3), (100, 14), (100, 4), (1000, 10)])
def test_names_do_not_run_into_each_other(axes, n, height):
    ax = axes(6, height)
    classes = [f"class number {i} of very many classes" for i in range(n)]
    draw_auroc(ax, report({"knn": dict.fromkeys(classes, 0.9)}))
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) == n or n > 72 * height / 6
    assert all(upper.y0 >= lower.y1 - 1 for upper, lower in itertools.pairwise(boxes))
    assert min(label.get_size() for label in ax.get_yticklabels()) >= 5
