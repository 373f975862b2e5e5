"""Rows and labels of pandas, whose indexes may say that they do not go together as they stand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, InputError

pd = pytest.importorskip("pandas")

X = np.arange(12.0).reshape(6, 2)
Y = list("aabbcc")


def declare(ours, theirs, **options):
    return ClassSplit(pd.DataFrame(X, index=ours), pd.Series(Y, index=theirs), **options)


BY_LABEL = (
    "Pass y in the order of X, y.loc[X.index], if the index tells which label belongs to a row, "
    "y.to_numpy() if the position does."
)
BY_POSITION = "Pass y.to_numpy() if the position tells which label belongs to a row."
SAME_ROWS = "Take the same rows of both, or pass y.to_numpy() if the position tells which label belongs to a row."
SHUFFLED = "the same index in another order"
DAYS = pd.date_range("2026-01-01", periods=6)


@pytest.mark.parametrize(
    ("ours", "theirs", "told"),
    [
        ([0, 1, 2, 3, 5, 4], None, f"{SHUFFLED}: row 4 is 5 in X, 4 in y. {BY_LABEL}"),
        (None, [5, 4, 3, 2, 1, 0], f"{SHUFFLED}: row 0 is 0 in X, 5 in y. {BY_LABEL}"),
        (list("uvwxyz"), list("uvwxzy"), f"{SHUFFLED}: row 4 is 'y' in X, 'z' in y. {BY_LABEL}"),
        ([1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 3, 3], f"{SHUFFLED}: row 1 is 1 in X, 2 in y. {BY_POSITION}"),
        ([1, 2, 3, 5, 6, 7], [1, 2, 3, 4, 5, 6], f"different indexes: row 3 is 5 in X, 4 in y. {SAME_ROWS}"),
        (list("uvwxyz"), list("UVWXYZ"), f"different indexes: row 0 is 'u' in X, 'U' in y. {SAME_ROWS}"),
        ([1, 2, 3, 4, 5, np.nan], [1, 2, 3, 4, 5, 6], f"different indexes: row 5 is nan in X, 6 in y. {SAME_ROWS}"),
        ([np.nan, 1, 2, 3, 5, 6], [np.nan, 1, 2, 3, 7, 8], f"different indexes: row 4 is 5.0 in X, 7.0 in y. {SAME_ROWS}"),
        ([("a", i) for i in range(6)], [("a", i) for i in range(1, 7)], f"different indexes: row 0 is ('a', 0) in X, ('a', 1) in y. {SAME_ROWS}"),
        (["x" * 99, *"vwxyz"], list("uvwxyz"), f"different indexes: row 0 is '{'x' * 12}...{'x' * 13}' in X, 'u' in y. {SAME_ROWS}"),
        (["\x1b[31m\u202e\n", *"vwxyz"], list("uvwxyz"), f"different indexes: row 0 is '\\x1b[31m\\u202e\\n' in X, 'u' in y. {SAME_ROWS}"),
        (DAYS, DAYS[::-1], f"{SHUFFLED}: row 0 is Timestamp('2026-01-01 00:00:00') in X, Timestamp('2026-01-06 00:00:00') in y. {BY_LABEL}"),
    ],
)  # fmt: skip
def test_indexes_that_contradict_each_other(ours, theirs, told):
    pattern = re.escape(f"X and y have {told}")
    with pytest.raises(InputError, match=f"^{pattern}$"):
        declare(ours, theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (None, None),
        (list("uvwxyz"), list("uvwxyz")),
        ([1, 1, 2, 2, 3, 3], [1, 1, 2, 2, 3, 3]),
        ([3, 1, 2, np.nan, 5, 6], [3, 1, 2, np.nan, 5, 6]),
        ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], None),
        (pd.CategoricalIndex(list("uvwxyz")), list("uvwxyz")),
        # What has no index of its own, from a transformer or after reset_index, says nothing.
        ([7, 3, 9, 11, 2, 0], None),
        (None, list("uvwxyz")),
        (None, DAYS),
        (None, [1, 2, 3, 4, 5, pd.NA]),
    ],
)
def test_indexes_that_do_not(ours, theirs):
    split = declare(ours, theirs)
    assert split.X.tolist() == X.tolist()
    assert [split.classes[code] for code in split.codes] == Y


def test_one_index_has_nothing_to_contradict():
    series = pd.Series(Y, index=[5, 4, 3, 2, 1, 0])
    frame = pd.DataFrame(X, index=[5, 4, 3, 2, 1, 0])
    for rows, labels in ((X, series), (X.tolist(), series), (frame, Y), (frame, np.array(Y))):
        assert ClassSplit(rows, labels).codes.tolist() == [0, 0, 1, 1, 2, 2]


def test_the_remedies():
    series = pd.Series(Y, index=[5, 4, 3, 2, 1, 0])
    frame = pd.DataFrame(X)
    for labels, codes in (
        (series.loc[frame.index], [2, 2, 1, 1, 0, 0]),
        (series.to_numpy(), [0, 0, 1, 1, 2, 2]),
    ):
        assert ClassSplit(frame, labels).codes.tolist() == codes


def test_a_training_pool_too():
    pool = pd.DataFrame(X + 1), pd.Series(Y, index=[5, 4, 3, 2, 1, 0])
    with pytest.raises(
        InputError, match=r"^train X and train y have the same index in another order: row 0"
    ):
        declare(None, None, train=pool)
    assert declare(None, None, train=(pool[0], pool[1].to_numpy())).train is not None


def test_a_wrong_length_is_told_first():
    with pytest.raises(InputError, match=r"^y has 5 labels for 6 rows"):
        ClassSplit(pd.DataFrame(X), pd.Series(Y[:5], index=[4, 3, 2, 1, 0]))
