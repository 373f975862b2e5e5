"""What an author's names may not do to a figure."""

from __future__ import annotations

import matplotlib
import pytest

from pytest_splitcheck import draw
from pytest_splitcheck.text import escape
from tests import builders
from tests.draw.artists import legend, names, svg, texts
from tests.draw.conftest import HOSTILE

LEAKY = builders.leakage(0.4, classes=HOSTILE)
REPORT = builders.report(
    {name: dict.fromkeys(HOSTILE, 0.9) for name in HOSTILE},
    geometry=dict.fromkeys(HOSTILE, 0.8),
    leakage=LEAKY,
).to_dict()
SCORES = [
    {
        "detector": name,
        "class": name,
        "edges": [0.0, 1.0, 2.0],
        "normal": [1, 2],
        "anomalous": [2, 1],
    }
    for name in HOSTILE
]
EMBEDDING = {
    "kind": "pca",
    "points": [[float(i), 0.0] for i in range(len(HOSTILE))],
    "labels": list(HOSTILE),
    "leaking": [True] * len(HOSTILE),
    "rows": list(range(len(HOSTILE))),
}
FIGURES = [
    (draw.draw_auroc, REPORT),
    (draw.draw_leakage, REPORT),
    (draw.draw_leakage_matrix, REPORT),
    (draw.draw_embedding, EMBEDDING),
    *((draw.draw_scores, one) for one in SCORES),
]


@pytest.mark.parametrize(("figure", "data"), FIGURES)
def test_hostile_names_stay_text(ax, figure, data):
    figure(ax, data)
    drawn = svg(ax)  # formulas would be parsed here, and the broken one refused
    assert "<script" not in drawn
    shown = texts(ax)
    assert not [char for char in shown if char != "\n" and escape(char) != char]
    assert any(escape(name) in shown for name in HOSTILE)


def test_none_is_left_out_or_changed(axes):
    wanted = [escape(name) for name in HOSTILE]
    ax = axes()
    draw.draw_auroc(ax, REPORT)
    assert names(ax) == wanted
    assert legend(ax)[: len(wanted)] == wanted
    ax = axes()
    draw.draw_embedding(ax, EMBEDDING)
    assert legend(ax) == wanted
    assert "$x^{2$</" in svg(ax).replace("\n", "")


def test_names_are_not_given_to_latex(axes):
    """Authors may have it on for a paper; a name would end the run there."""
    with matplotlib.rc_context({"text.usetex": True}):
        ax = axes()
        draw.draw_auroc(ax, REPORT)
        draw.draw_scores(axes(), SCORES[0])
    assert not any(label.get_usetex() for label in ax.get_yticklabels())
    assert not any(text.get_usetex() for text in ax.get_legend().get_texts())


def test_a_long_name_is_cut_in_the_middle(ax):
    long = {"a" * 50 + "z" * 50: 0.9, "b": 0.8}
    draw.draw_auroc(ax, builders.report({"d" * 100: long}).to_dict())
    assert names(ax)[0] == "a" * 12 + "…" + "z" * 11
    assert legend(ax) == ["d" * 12 + "…" + "d" * 11]
