"""Scores from a training run elsewhere: arrays and files, and what is wrong with them."""

from __future__ import annotations

import csv
import pickle
import sys
from decimal import Decimal

import numpy as np
import pytest

from pytest_splitcheck import (
    ClassSplit,
    HighIsNormal,
    InputError,
    RecordedScores,
    Thresholds,
    evaluate,
    judge,
)
from pytest_splitcheck.cache.identity import identify
from tests.builders import auroc, clusters, plain

LABELS = np.repeat([3, 5, 8], [4, 5, 6])
M = len(LABELS)


def split(labels=LABELS, **options):
    return ClassSplit(plain(len(labels)), labels, **{"folds": 3, **options})


def scores(n_seeds=1, classes=(3, 5, 8), seed=0):
    """Return columns of random scores for every class, row and seed, in random order."""
    rng = np.random.default_rng(seed)
    n = len(classes) * n_seeds * M
    label, number, row = np.unravel_index(rng.permutation(n), (len(classes), n_seeds, M))
    return {
        "held_out": np.array(classes)[label],
        "row": row,
        "score": rng.normal(size=n),
        "seed": number,
    }


def recorded(**changes):
    columns = {**scores(), **changes}
    return RecordedScores(columns["held_out"], columns["row"], columns["score"])


def result(detector, benchmark=None, **options):
    found = evaluate(
        split() if benchmark is None else benchmark, k=2, detectors={"it": detector}, **options
    )
    return found.detectors["it"]


def expected(columns, label, labels=LABELS):
    """Return the AUROC over all rows at once, computed apart."""
    chosen = columns["held_out"] == label
    by_row = np.empty(M)
    by_row[columns["row"][chosen]] = columns["score"][chosen]
    return auroc(by_row, labels == label)


# --- what is measured -----------------------------------------------------------------------


@pytest.mark.parametrize("train", [None, (plain(9, seed=3), [3, 5, 8] * 3)], ids=["folds", "pool"])
def test_the_auroc_is_taken_over_all_rows_at_once(train):
    columns = scores()
    found = result(recorded(), split(train=train))
    assert found.auroc == {label: expected(columns, label) for label in (3, 5, 8)}
    assert (found.seeds, found.far_auroc, found.no_ranking, found.hard_labels) == ((), None, (), ())


def test_several_fits_of_a_class_are_averaged():
    columns = scores(n_seeds=3)
    columns["seed"] = np.array([7, 0, 21])[columns["seed"]]
    found = result(RecordedScores(**columns))
    for label in (3, 5, 8):
        by_seed = [
            expected({name: one[columns["seed"] == seed] for name, one in columns.items()}, label)
            for seed in (0, 7, 21)
        ]
        assert found.auroc[label] == pytest.approx(np.mean(by_seed))
        assert found.spread[label] == pytest.approx(np.std(by_seed))
    assert found.seeds == (0, 7, 21)


def test_no_pool_is_needed_and_none_is_used():
    class Untouched:
        def fit(self, X):
            raise AssertionError("fitted")

        def transform(self, X):
            return X

    benchmark = split(train=(plain(1), [8]))  # the pool without 8 is empty
    assert result(recorded(), benchmark).auroc[8] == expected(scores(), 8)
    found = evaluate(
        split(), k=2, detectors={"it": recorded(), "mine": lambda pool, rows: rows[:, 0]}
    )
    assert found.detectors["it"].auroc[8] == expected(scores(), 8)
    assert found.detectors["mine"].auroc[8] != found.detectors["it"].auroc[8]


def test_scores_high_for_normal_rows_are_declared():
    up, down = result(recorded()).auroc, result(HighIsNormal(recorded())).auroc
    assert [up[c] + down[c] for c in up] == pytest.approx([1.0] * 3)
    with pytest.raises(InputError, match="is known; pass it without"):
        HighIsNormal(HighIsNormal(recorded()))


def test_ties_count_one_half():
    y = [0, 1, 1, 0]
    benchmark = ClassSplit(plain(4), y, folds=2, held_out=[1])
    found = result(RecordedScores([1] * 4, range(4), [9, 9, 5, 5]), benchmark)
    assert found.auroc == {1: 0.5}


def test_infinite_scores_are_ranked():
    columns = scores()
    columns["score"][0] = np.inf
    assert result(recorded(score=columns["score"])).auroc == {
        label: expected(columns, label) for label in (3, 5, 8)
    }


def test_constant_and_two_valued_scores_are_found():
    columns = scores()
    flat = np.where(columns["held_out"] == 3, 0.5, columns["score"])
    binary = np.where(columns["held_out"] == 5, columns["score"] > 0, flat)
    found = result(recorded(score=binary))
    assert (found.no_ranking, found.hard_labels, found.auroc[3]) == ((3,), (5,), 0.5)


def test_a_constant_up_to_rounding_has_the_rounding_of_its_type():
    rng = np.random.default_rng(0)
    single = (0.5 + 6e-8 * rng.integers(0, 2, 3 * M)).astype(np.float32)
    assert result(recorded(score=single)).no_ranking == (3, 5, 8)
    assert result(recorded(score=single.astype(float))).no_ranking == ()


def test_a_useless_record_is_never_well_posed():
    y = np.repeat(["a", "b"], 30)
    X = np.r_[plain(30), plain(30) + 50]
    record = RecordedScores(np.repeat(["a", "b"], 60), np.tile(np.arange(60), 2), np.zeros(120))
    report = evaluate(ClassSplit(X, y), detectors={"it": record})
    assert judge(report, Thresholds(max_rho_dir=None)).status == "undecided"


# --- forms of the columns -------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        list,
        lambda column: column.astype(np.float32),
        lambda column: column[:, None] if column.dtype == float else column,
        lambda column: pytest.importorskip("torch").tensor(column),
        lambda column: pytest.importorskip("pandas").Series(column, index=column.argsort()),
        lambda column: column.astype(object),
    ],
    ids=["list", "float32", "column", "torch", "pandas", "objects"],
)
def test_forms_of_columns(form):
    columns = scores()
    columns["score"] = np.round(columns["score"], 2)
    found = result(RecordedScores(*(form(columns[name]) for name in ("held_out", "row", "score"))))
    assert found.auroc == {label: expected(columns, label) for label in (3, 5, 8)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"row": [0, 1]}, "row has 2 values for 45 recorded scores"),
        ({"held_out": [3]}, "held_out has 1 labels for 45 rows"),
        (
            {"row": np.arange(45) + 0.5},
            "row must be whole numbers; 45 of 45 are not.* 0.5 at position 0",
        ),
        ({"row": [np.nan] * 45}, "row must be whole numbers"),
        ({"row": [1e300] * 45}, "row must be whole numbers"),
        ({"row": ["one"] * 45}, "row cannot be read as numbers"),
        ({"score": ["high"] * 45}, "the recorded scores cannot be read as numbers"),
        ({"score": np.zeros((45, 2))}, r"score must have one value.*\(45, 2\)"),
        ({"score": 0.5}, r"score must have one value.*its shape is \(\)"),
        ({"score": []}, "the recorded scores are empty"),
        ({"held_out": [None] * 45}, "held_out has no label in 45 of 45 rows"),
    ],
)
def test_columns_that_are_none_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        recorded(**changes)


# --- rows -----------------------------------------------------------------------------------


def changed(**cells):
    """Return a record in which the entries of class 5, in the order of their rows, are changed."""
    columns = scores()
    of_class = np.flatnonzero(columns["held_out"] == 5)
    of_class = of_class[columns["row"][of_class].argsort()]
    for name, changes in cells.items():
        for row, value in changes.items():
            columns[name][of_class[row]] = value
    return recorded(**columns)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            lambda: changed(row={4: 2, 9: 2}),
            "'it', held-out class 5: 1 of 15 rows have more than one recorded score: row 2; .*seed",
        ),
        (
            lambda: changed(row={4: -1}),
            "class 5: 1 of 15 recorded rows are outside the evaluation set, whose rows are 0 to 14: row -1",
        ),
        (
            lambda: changed(row={row: row + 15 for row in range(9)}),
            "class 5: 9 of 15 .* 0 to 14: rows 15, 16, 17, 18, 19 and others",
        ),
        (
            lambda: changed(score={4: np.nan, 11: np.nan}),
            "'it', held-out class 5: 2 of 15 recorded scores are NaN: rows 4, 11",
        ),
        (
            lambda: changed(held_out={2: 77}),
            "'it': 1 recorded scores are for held-out class 77, which is not a class of y; there are 3, 5, 8",
        ),
    ],
)
def test_every_row_is_there_once_for_every_class(record, message):
    with pytest.raises(InputError, match=message):
        result(record())


def test_missing_rows_are_named():
    columns = scores()
    gone = (columns["held_out"] == 5) & np.isin(columns["row"], [1, 12])
    left = {name: column[~gone] for name, column in columns.items()}
    with pytest.raises(
        InputError, match="class 5: 2 of 15 rows have no recorded score: rows 1, 12"
    ):
        result(recorded(**left))
    none = {name: column[columns["held_out"] != 5] for name, column in columns.items()}
    with pytest.raises(
        InputError, match="class 5: 15 of 15 rows have no recorded score: rows 0, 1,"
    ):
        result(recorded(**none))


def test_missing_rows_of_a_seed_are_named():
    columns = scores(n_seeds=2)
    gone = (columns["held_out"] == 5) & (columns["seed"] == 1)
    left = {name: column[~gone] for name, column in columns.items()}
    with pytest.raises(InputError, match="class 5, seed 1: 15 of 15 rows have no recorded score"):
        result(RecordedScores(**left))


def test_what_is_wrong_is_told_before_anything_is_measured():
    told = []
    with pytest.raises(InputError, match="not a class of y"):
        result(recorded(held_out=np.full(45, 9)), progress=lambda *stage: told.append(stage))
    assert told == []


# --- labels ---------------------------------------------------------------------------------


def test_classes_that_are_not_held_out_are_left_alone():
    assert result(recorded(), split(held_out=[5])).auroc == {5: expected(scores(), 5)}


@pytest.mark.parametrize("group", [(3, 5), "3+5"])
def test_groups_are_matched(group):
    benchmark = split(held_out=[(3, 5)])
    score = np.arange(M)[::-1]
    held_out = [group] * M if isinstance(group, str) else [tuple(group) for _ in range(M)]
    assert result(RecordedScores(held_out, np.arange(M), score), benchmark).auroc == {(3, 5): 1.0}


@pytest.mark.parametrize(
    ("labels", "form"),
    [
        (LABELS, str),
        (LABELS.astype(str), int),
        (LABELS, float),
        (LABELS == 3, str),
        (LABELS.astype("datetime64[D]"), str),
    ],
    ids=["text for int", "int for text", "float for int", "text for bool", "text for dates"],
)
def test_labels_are_matched_as_text_where_they_differ_in_type(labels, form):
    classes = list(dict.fromkeys(labels.tolist() if labels.dtype.kind != "M" else list(labels)))
    held_out = [form(label) for label in classes for _ in range(M)]
    score = np.concatenate([labels == label for label in classes]) + np.arange(len(held_out)) / 1e3
    record = RecordedScores(held_out, np.tile(np.arange(M), len(classes)), score)
    assert set(result(record, split(labels)).auroc.values()) == {1.0}


def test_an_ambiguous_text_is_refused():
    benchmark = split(["1", 1, 2] * 5)
    texts = RecordedScores(np.repeat(["1", "2"], M), np.tile(np.arange(M), 2), np.arange(2 * M))
    with pytest.raises(InputError, match="recorded held-out class '1' may be any of 1, '1'"):
        result(texts, benchmark)
    exact = [label for label in (1, "1", 2) for _ in range(M)]
    record = RecordedScores(exact, np.tile(np.arange(M), 3), np.arange(3 * M))
    assert set(result(record, benchmark).auroc) == {1, "1", 2}


def test_two_labels_of_one_text_are_refused():
    held_out = ["3"] * M + [3] * M
    record = RecordedScores(held_out, np.tile(np.arange(M), 2), np.arange(2 * M))
    with pytest.raises(InputError, match="may be any of 3, as text"):
        result(record, split(held_out=[3, 5]))


def test_a_misspelt_class_is_offered_the_nearest():
    benchmark = split(np.repeat(["cat", "dog", "truck"], 5))
    record = RecordedScores(["trukc"] * M, np.arange(M), np.arange(M))
    with pytest.raises(InputError, match=r"class 'trukc', .*; did you mean 'truck'"):
        result(record, benchmark)


# --- classes that are dropped or merged ------------------------------------------------------

DEALT = np.array([3, 5, 8] * 5)


@pytest.mark.parametrize("left_out", ["nothing", "rows", "fits", "both"])
def test_a_record_serves_with_and_without_drop(left_out):
    """Rows are numbered as in X, whatever is dropped; what is recorded of dropped classes is left alone."""
    columns = scores()
    stays = np.flatnonzero(DEALT != 5)
    keep = np.ones(3 * M, dtype=bool)
    if left_out in ("rows", "both"):
        keep &= np.isin(columns["row"], stays)
    if left_out in ("fits", "both"):
        keep &= columns["held_out"] != 5
    left = {name: column[keep] for name, column in columns.items()}
    found = result(recorded(**left), split(DEALT, drop=[5])).auroc
    assert list(found) == [3, 8]
    for label in found:
        by_row = np.empty(M)
        chosen = columns["held_out"] == label
        by_row[columns["row"][chosen]] = columns["score"][chosen]
        assert found[label] == auroc(by_row[stays], DEALT[stays] == label)


@pytest.mark.parametrize("wrong", ["NaN", "twice"])
def test_what_is_wrong_with_rows_that_are_dropped_does_not_matter(wrong):
    columns = scores()
    gone = DEALT[columns["row"]] == 5
    if wrong == "twice":
        columns["row"][gone] = 1
    else:
        columns["score"][gone] = np.nan
    assert list(result(recorded(**columns), split(DEALT, drop=[5])).auroc) == [3, 8]


def test_rows_numbered_as_if_dropped_ones_had_never_been_are_refused():
    record = RecordedScores(np.repeat([3, 8], 10), np.tile(np.arange(10), 2), np.arange(20.0))
    message = (
        "held-out class 3: 3 of 10 rows have no recorded score: rows 11, 12, 14; rows are "
        "numbered as in X, those of dropped classes included, from 0 to 14"
    )
    with pytest.raises(InputError, match=message):
        result(record, split(DEALT, drop=[5], folds=2))
    with pytest.raises(InputError, match="outside the evaluation set, whose rows are 0 to 14"):
        result(changed(row={2: 15}), split(DEALT, drop=[8], folds=2))


@pytest.mark.parametrize("group", [(3, 5), "3+5"])
def test_a_merged_class_goes_by_all_of_its_members(group):
    held_out = [group] * M + [8] * M + [3] * M
    record = RecordedScores(held_out, np.tile(np.arange(M), 3), np.arange(3.0 * M))
    found = result(record, split(merge=[(3, 5)])).auroc
    assert found == {(3, 5): 0.0, 8: 1.0}


def test_fits_without_one_member_are_none_without_the_merged_class():
    message = (
        r"class \(3, 5\): 15 of 15 rows .*; its classes are merged, .* \(3, 5\), or 3\+5 in a file"
    )
    with pytest.raises(InputError, match=message):
        result(recorded(), split(merge=[(3, 5)]))


# --- files ----------------------------------------------------------------------------------


def write_csv(path, columns, head="", encoding="utf-8"):
    with open(path, "w", newline="", encoding=encoding) as file:
        file.write(head)
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def write_npz(path, columns):
    np.savez(path, **columns)


def write_parquet(path, columns):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)


WRITE = {".csv": write_csv, ".npz": write_npz, ".parquet": write_parquet}


@pytest.mark.parametrize("as_text", [False, True], ids=["int", "text"])
@pytest.mark.parametrize("n_seeds", [None, 2])
@pytest.mark.parametrize("suffix", WRITE)
def test_files_give_what_arrays_give(tmp_path, suffix, n_seeds, as_text):
    columns = scores(n_seeds or 1)
    if n_seeds is None:
        del columns["seed"]
    arrays = RecordedScores(**columns)
    more = {"fold": np.zeros(len(columns["row"])), **columns}  # a column that nobody asked for
    if as_text:
        more["held_out"] = columns["held_out"].astype(str)
    path = tmp_path / f"scores{suffix}"
    WRITE[suffix](path, more)
    found, wanted = result(RecordedScores.read(path)), result(arrays)
    assert (found.auroc, found.spread, found.seeds) == (wanted.auroc, wanted.spread, wanted.seeds)
    assert found.seeds == (() if n_seeds is None else (0, 1))


def test_parquet_is_read_without_pandas(tmp_path, monkeypatch):
    path = tmp_path / "scores.parquet"
    write_parquet(path, scores())
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert result(RecordedScores.read(str(path))).auroc == result(RecordedScores(**scores())).auroc


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "scores.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"install pyarrow \(pip install pyarrow\), or save"):
        RecordedScores.read(path)


def test_csv_as_editors_and_spreadsheets_write_it(tmp_path):
    path = tmp_path / "scores.CSV"
    lines = ['\ufeff"score", row ,held_out', '"1e-3",0,"a, ""b"""', "", '-2.5,1.0,"a, ""b"""']
    path.write_text("\r\n".join(lines) + "\r\n\r\n", encoding="utf-8")
    found = RecordedScores.read(path)
    assert (found.labels, found.row.tolist(), found.score.tolist()) == (
        ('a, "b"',),
        [0, 1],
        [1e-3, -2.5],
    )


HEAD = "held_out,row,score\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"scores\.csv is empty; its first line must name the columns"),
        ("\n", r"scores\.csv has no column 'held_out', 'row', 'score'; it has none"),
        (HEAD, "the recorded scores are empty"),
        ("held_out,score\n3,1\n", "has no column 'row'; it has 'held_out', 'score'"),
        ("held_out,row,score,row\n3,0,1,0\n", "more than one column 'row'"),
        ("held_out;row;score\n3;0;0,5\n", "must be separated by commas"),
        ("held_out\trow\tscore\n3\t0\t0.5\n", "must be separated by commas"),
        (HEAD + "3,0,0.5\n3,1,0,5\n", "line 3: 4 values for 3 columns"),
        (HEAD + "3,0\n", "line 2: 2 values for 3 columns"),
        (HEAD + "3,0,high\n", "line 2: score is 'high', not a number"),
        (HEAD + "3,0,\n", r"line 2: score is empty; fill it in\.$"),
        (
            HEAD + "3,0,1\n3,1,NA\n",
            r"line 3: score is 'NA', not a number\. The lines above have numbers there: correct it\.$",
        ),
        (HEAD + "3,0.5,1\n", "row must be whole numbers"),
        (HEAD + '3,0,"1\n', "after line 2: unexpected end of data"),
    ],
)
def test_what_is_no_csv_of_scores_is_refused(tmp_path, text, message):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        RecordedScores.read(path)


@pytest.mark.parametrize(
    "content", ["held_out,row,score\nß,0,1\n".encode("latin-1"), b"PK\x03\x04\xff\xfe\x00"]
)
def test_what_is_no_text_is_refused(tmp_path, content):
    path = tmp_path / "scores.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"scores\.csv"):
        RecordedScores.read(path)


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def objects(path, bomb):
    np.savez(path, **{**scores(), "held_out": np.array([bomb, 3], dtype=object)})


def one_array(path, bomb):
    with open(path, "wb") as file:
        np.save(file, np.zeros(3))


def one_array_of_objects(path, bomb):
    with open(path, "wb") as file:
        np.save(file, np.array([bomb], dtype=object), allow_pickle=True)


def raw_pickle(path, bomb):
    path.write_bytes(pickle.dumps(bomb))


def nothing(path, bomb):
    path.write_bytes(b"")


def lacks_a_column(path, bomb):
    np.savez(path, held_out=[3], score=[0.5])


def truncated(part):
    def write(path, bomb):
        np.savez_compressed(path, **scores())
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * part)])

    return write


def corrupted(path, bomb):
    np.savez(path, **scores())
    content = bytearray(path.read_bytes())
    middle = len(content) // 3
    content[middle : middle + 20] = bytes(20)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (objects, "holds pickled objects, and nothing is ever unpickled"),
        (one_array_of_objects, "holds pickled objects"),
        (raw_pickle, "holds pickled objects"),
        (one_array, "holds one array without a name"),
        (lacks_a_column, "has no column 'row'; it has 'held_out', 'score'"),
        (nothing, "cannot be read as npz"),
        (truncated(0.5), "cannot be read as npz"),
        (truncated(0.98), "cannot be read as npz"),
        (corrupted, "cannot be read as npz"),
    ],
)
def test_what_is_no_npz_of_scores_is_refused(tmp_path, write, message):
    path, bomb = tmp_path / "scores.npz", Bomb(tmp_path / "went off")
    write(path, bomb)
    with pytest.raises(InputError, match=rf"scores\.npz {message}"):
        RecordedScores.read(path)
    assert not bomb.path.exists()


@pytest.mark.parametrize("part", [0, 0.5, 0.95])
def test_a_damaged_parquet_is_refused(tmp_path, part):
    path = tmp_path / "scores.parquet"
    write_parquet(path, scores())
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(InputError, match="cannot be read as parquet"):
        RecordedScores.read(path)


def test_a_parquet_without_a_column_is_refused(tmp_path):
    path = tmp_path / "scores.parquet"
    write_parquet(path, {"held_out": [3], "score": [0.5]})
    with pytest.raises(InputError, match="has no column 'row'; it has 'held_out', 'score'"):
        RecordedScores.read(path)


def test_missing_values_and_other_types_of_parquet(tmp_path):
    path = tmp_path / "scores.parquet"
    write_parquet(path, {"held_out": ["3", "3"], "row": [0, 1], "score": [Decimal("0.5"), None]})
    found = RecordedScores.read(path)
    np.testing.assert_array_equal(found.score, [0.5, np.nan])
    write_parquet(path, {"held_out": ["3", None], "row": [0, 1], "score": [1.0, 2.0]})
    with pytest.raises(
        InputError, match=r"scores\.parquet: held_out has no label in 1 of 2 rows: 1"
    ):
        RecordedScores.read(path)


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(
        InputError, match=r"scores\.pkl ends in none of \.csv, \.npz, \.parquet: save"
    ):
        RecordedScores.read(tmp_path / "scores.pkl")


@pytest.mark.parametrize("suffix", WRITE)
def test_a_file_that_cannot_be_opened_is_told_in_one_line(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"scores{suffix}"
    monkeypatch.chdir(tmp_path)
    told = {
        str(path): f"there is no {path}.",
        path.name: f"there is no {path.name}; the path counts from the current folder, {tmp_path}.",
    }
    for given, message in told.items():
        with pytest.raises(InputError) as caught:
            RecordedScores.read(given)
        assert str(caught.value) == message
    path.mkdir()
    with pytest.raises(InputError, match=rf"^scores\{suffix} cannot be read: Is a directory\.$"):
        RecordedScores.read(path.name)


# --- identity -------------------------------------------------------------------------------


def test_equal_records_are_one_and_others_are_not():
    columns = scores()
    one, same = (pickle.loads(pickle.dumps(RecordedScores(**columns))) for _ in range(2))
    other = recorded(score=columns["score"] + 1)
    assert identify(one) == identify(same)
    assert len({identify(one), identify(other), identify(HighIsNormal(one))}) == 3
    assert result(pickle.loads(pickle.dumps(one))).auroc == result(one).auroc


def test_a_record_tells_what_it_holds():
    assert repr(recorded()) == "RecordedScores(45 scores of 3 held-out classes)"


@pytest.mark.parametrize("what", ["row", "score", "seed"])
def test_masked_columns_are_refused(what):
    columns = {"row": [0, 1, 0, 1], "score": [1.0, 2.0, 3.0, 4.0], "seed": [0, 0, 0, 0]}
    columns[what] = np.ma.array(columns[what], mask=[0, 1, 0, 0])
    with pytest.raises(InputError, match=rf"{what}s? cannot be .*: 1 of 4 are masked"):
        RecordedScores(list("aabb"), **columns)


def test_dates_of_numpy_that_are_held_out_together():
    days = np.array(["2020", "2021", "2022"], dtype="datetime64[D]")
    X, y = clusters([[0, 0], [1, 0], [4, 4]], 30)
    groups = [(days[0], days[1]), days[2]]
    held_out = [group for group in groups for _ in y]
    recorded = RecordedScores(held_out, [*range(90)] * 2, [*(y != 2), *(y == 2)])
    split = ClassSplit(X, days[y], held_out=groups[::-1])
    found = evaluate(split, detectors={"it": recorded}).detectors["it"]
    assert found.auroc == {groups[0]: 1.0, groups[1]: 1.0}
