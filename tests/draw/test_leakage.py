from __future__ import annotations

import pytest

from pytest_splitcheck.draw import draw_leakage
from tests import builders
from tests.draw.artists import legend, names


def report(leakage):
    return builders.report({}, leakage=leakage).to_dict()


def test_bars_and_lines_are_the_figures(ax):
    per_class = {"a": 0.1, "b": 0.4, "c": 0.7}
    said = report(builders.leakage(0.4, per_class=per_class))
    draw_leakage(ax, said)
    assert [bar.get_width() for bar in ax.patches] == [0.1, 0.4, 0.7]
    assert [bar.get_y() + bar.get_height() / 2 for bar in ax.patches] == pytest.approx([0, 1, 2])
    value, chance = (line.get_xdata()[0] for line in ax.lines)
    assert (value, chance) == (0.4, said["leakage"]["chance"])
    assert names(ax) == ["a", "b", "c"]
    assert legend(ax) == ["L_10 0.400", f"chance {chance:.3f}"]


def test_of_a_sample_the_interval_is_shaded(ax):
    draw_leakage(ax, report(builders.sampled(0.4, (0.3, 0.6))))
    span = ax.patches[-1]
    assert (span.get_x(), span.get_width()) == pytest.approx((0.3, 0.3))
    assert legend(ax)[0] == "L_10 ~0.400"


def test_a_class_of_which_a_sample_has_no_row_has_no_bar(ax):
    per_class = {"a": 0.1, "b": None, "c": 0.7}
    draw_leakage(ax, report(builders.leakage(0.4, per_class=per_class, macro=None)))
    places = [bar.get_y() + bar.get_height() / 2 for bar in ax.patches]
    assert places == pytest.approx([0, 2])
    assert names(ax) == ["a", "b", "c"]
