"""What an AUROC depends on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pytest_splitcheck import ClassSplit, InputError, evaluate
from tests.builders import grid
from tests.traps.scored import auroc_of, report_of


@pytest.mark.parametrize("change", [lambda s: s, lambda s: 1e6 * s, lambda s: np.exp(s)])
def test_22_scores_of_any_range_count_by_rank(change):
    scores = change(np.array([98, 98.5, 99, 99.5, 97]))
    assert auroc_of(scores, [0, 1, 1, 1, 0], 1) == 1.0


@pytest.mark.parametrize(
    ("y", "scores", "expected"),
    [([0, 1, 1], [0.5, 0.9, 0.5], 0.75), ([1, 0, 1, 0], [9, 9, 5, 5], 0.5)],
)
def test_23_a_tie_counts_one_half(y, scores, expected):
    assert auroc_of(scores, y, 1) == expected


@pytest.mark.parametrize(
    ("normal", "anomaly"),
    [
        ("normal", "anomaly"),
        ("inlier", "outlier"),
        ("outlier", "inlier"),
        (False, True),
        (True, False),
        (1, -1),
        (-1, -2),
        (0.5, "odd"),
        (("a", 1), ("b", 2)),
        (b"n", b"a"),
    ],
)
@pytest.mark.parametrize("form", [list, lambda y: pd.Series(y, dtype="category")])
def test_24_the_held_out_class_is_positive_whatever_its_name(normal, anomaly, form):
    y = [normal] * 6 + [anomaly] * 6
    rows = np.r_[np.arange(6.0), np.arange(6.0) + 10][:, None]
    split = ClassSplit(rows, form(y), held_out=[anomaly], train=([[0.5]], [normal]))
    found = evaluate(split, k=1, detectors=("knn",)).detectors["knn"]
    assert found.auroc == {anomaly: 1.0}


def test_25_without_both_classes_there_is_no_auroc():
    with pytest.raises(InputError, match=r"y has one class only \('a'\)"):
        ClassSplit(grid(12), ["a"] * 12)
    with pytest.raises(InputError, match="held-out class 'a' is undefined: no fold has"):
        evaluate(ClassSplit(grid(12), list("abc") * 4, folds=12), k=2, detectors=("knn",))
    with pytest.raises(InputError, match="group of all classes"):
        ClassSplit(grid(12), list("abc") * 4, held_out=[("a", "b", "c")])


@pytest.mark.parametrize("positives", [1, 2, 20])
@pytest.mark.parametrize(("sign", "auroc"), [(1, 1.0), (-1, 0.0)])
def test_28_an_interval_has_a_width_at_1_and_0(positives, sign, auroc):
    scores = sign * np.arange(40.0)
    y = ["normal"] * (40 - positives) + ["odd"] * positives
    found = report_of(scores, y, "odd").detectors["it"]
    assert found.auroc == {"odd": auroc}
    low, high = found.interval["odd"]
    assert 0.0 <= low < high <= 1.0
    assert auroc in (low, high)
