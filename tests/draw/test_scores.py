from __future__ import annotations

import pytest

from pytest_splitcheck.draw import draw_scores
from tests.draw.artists import legend

SCORES = {
    "detector": "knn",
    "class": "shirt",
    "edges": [0.0, 1.0, 2.0, 4.0],
    "normal": [6, 3, 1],
    "anomalous": [0, 1, 3],
}


def test_each_group_is_drawn_as_shares_of_its_own_rows(ax):
    draw_scores(ax, SCORES)
    normal, anomalous = (patch.get_data() for patch in ax.patches)
    assert normal.values.tolist() == pytest.approx([0.6, 0.3, 0.1])
    assert anomalous.values.tolist() == [0, 0.25, 0.75]
    assert normal.edges.tolist() == anomalous.edges.tolist() == SCORES["edges"]
    assert legend(ax) == ["normal (10 rows)", "shirt (4 rows)"]
    assert ax.get_xlabel() == "score of knn; higher is more anomalous"
    assert ax.get_xlim() == (0, 4)


def test_groups_are_told_apart_without_colour(ax):
    draw_scores(ax, SCORES)
    normal, anomalous = ax.patches
    assert normal.get_hatch() != anomalous.get_hatch()
