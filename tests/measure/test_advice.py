from __future__ import annotations

import copy
import dataclasses
import datetime
import json
import pickle

import numpy as np
import pytest

from pytest_splitcheck import ClassSplit, InputError, Thresholds, evaluate, judge
from pytest_splitcheck.measure import advice as advice_module
from pytest_splitcheck.measure.advice import MEASUREMENTS, glance, is_quick, will_do
from pytest_splitcheck.measure.protocol import Protocol
from tests import builders
from tests.builders import FirstColumn, clusters, labels, leakage, plain, report, sampled

CORNERS = [[0.0, 0.0], [20.0, 0.0], [0.0, 20.0]]


def twins(**options):
    """Classes a and b lie in one place, c and d each in its own."""
    rows, y = clusters([CORNERS[0], *CORNERS], 30)
    return ClassSplit(rows, np.array(list("abcd"))[y], folds=2, **options)


def among_others(**options):
    """Class m lies in the dense middle of each of the others."""
    rows, y = clusters(CORNERS, 40)
    middle, _ = clusters(CORNERS, 12, seed=1, scale=0.1)
    names = [*np.array(list("abc"))[y], *"m" * len(middle)]
    return ClassSplit(np.r_[rows, middle], names, folds=2, **options)


def ask(split, accepts=None, **options):
    options = {"k": 5, "detectors": ("knn",), **options}
    return evaluate(split, **options).advice(accepts)


def never(found):
    """Accept what is assumed, and nothing that was measured."""
    return len(found.leakage.rows) == 0


# --- what it proposes -----------------------------------------------------------------------


def test_classes_in_one_place_are_merged():
    advice = ask(twins())
    (merged, dropped) = advice.proposals
    assert (merged.kind, merged.classes) == ("merge", (("a", "b"),))
    assert merged.report.classes == (("a", "b"), "c", "d")
    assert merged.report.leakage.value == 0
    assert merged.report.instability.rho_dir == 0
    assert (dropped.kind, dropped.classes) == ("drop", ("a",))
    assert advice.rejected == ()
    assert advice.sought
    assert not advice.capped


def test_a_class_among_others_is_dropped():
    advice = ask(among_others())
    (dropped,) = [one for one in advice.proposals if one.kind == "drop"]
    assert dropped.classes == ("m",)
    assert will_do(dropped.report)
    assert dropped.report.instability.rho_dir == 0


def test_a_proposal_is_what_its_call_measures():
    split, names = among_others(), {"ClassSplit": ClassSplit}
    y = [split.classes[code] for code in split.codes]
    for proposal in ask(split).proposals:
        call = proposal.call
        assert call.startswith("ClassSplit(X, y, folds=2, ")
        again = eval(call, {**names, "X": split.X, "y": y})
        found = evaluate(again, k=5, detectors=("knn",))
        assert found.to_dict() == proposal.report.to_dict()


def test_as_few_classes_as_needed_are_dropped():
    rows, y = clusters([*CORNERS, [20.0, 20.0], [40.0, 0.0]], 30)
    middle, twice = (
        clusters(CORNERS, 10, seed=1, scale=0.1),
        clusters(CORNERS, 10, seed=2, scale=0.1),
    )
    names = [*np.array(list("abcde"))[y], *"m" * 30, *"n" * 30]
    split = ClassSplit(np.r_[rows, middle[0], twice[0]], names, folds=2)
    (dropped,) = [one for one in ask(split).proposals if one.kind == "drop"]
    assert len(dropped.classes) == 1
    assert dropped.classes[0] in ("m", "n")
    assert dropped.report.instability.rho_dir == pytest.approx(1 / 6)


def test_a_report_that_will_do_needs_no_other_split():
    rows, y = clusters(CORNERS, 30)
    advice = ask(ClassSplit(rows, y, folds=2))
    assert not advice.sought
    assert (advice.proposals, advice.rejected) == ((), ())


def test_of_two_classes_there_is_nothing_to_merge():
    advice = ask(ClassSplit(plain(40), labels(40, 2), folds=2))
    assert advice.sought
    assert (advice.proposals, advice.rejected, advice.fewest) == ((), (), 2)


@pytest.mark.parametrize(("n_classes", "fewest"), [(3, 2), (4, 3), (7, 3)])
def test_noise_has_no_way_out(n_classes, fewest):
    advice = ask(ClassSplit(plain(84), labels(84, n_classes), folds=2))
    assert advice.proposals == ()
    assert advice.fewest == fewest
    assert not any(will_do(one.report) for one in advice.rejected)


def test_what_is_accepted_is_the_callers_choice():
    split = twins()
    strict = ask(
        split, lambda found: judge(found, Thresholds(max_leakage=0.01)).status == "well posed"
    )
    assert {one.kind for one in strict.proposals} == {"merge", "drop"}
    hopeless = ask(split, lambda found: len(found.classes) > 4)
    assert (hopeless.proposals, hopeless.rejected) == ((), ())


def test_leakage_alone_is_asked_of_without_detectors():
    rows, y = clusters([CORNERS[0]] * 3 + CORNERS[1:], 30)
    advice = ask(ClassSplit(rows, y, folds=2), lambda r: r.leakage.value < 0.3, detectors=())
    merged = advice.proposals[0]
    assert merged.report.leakage.value < 0.3
    assert merged.report.instability is None
    assert advice.resolved == ()


def test_what_was_declared_is_kept():
    rows, y = clusters([CORNERS[0], *CORNERS, [20.0, 20.0]], 30)
    names = np.array(list("abcde"))[y]
    split = ClassSplit(rows, names, folds=2, drop=["e"], held_out=["a", "b", "c"], name="n")
    merged, dropped = ask(split).proposals
    assert merged.call == (
        "ClassSplit(X, y, name='n', held_out=[('a', 'b'), 'c'], folds=2, merge=[('a', 'b')], drop=['e'])"
    )
    assert merged.report.positives == {("a", "b"): 60, "c": 30}
    assert "drop=['a', 'e']" in dropped.call


def test_what_is_declared_otherwise_is_told():
    merged, dropped = ask(twins()).proposals
    assert merged.change == {"merge": (("a", "b"),)}
    assert dropped.change == {"drop": ("a",)}
    rows, y = clusters([CORNERS[0], *CORNERS, [20.0, 20.0]], 30)
    split = ClassSplit(rows, y, folds=2, drop=[4], held_out=[0, 1, (2, 3)])
    merged, dropped = ask(split).proposals
    assert merged.change == {"merge": ((0, 1),), "held_out": ((0, 1), (2, 3))}
    assert dropped.change == {"drop": (0, 4), "held_out": (1, (2, 3))}
    assert merged.to_dict({(0, 1): "0+1"})["change"] == {
        "merge": [[0, 1]],
        "held_out": [[0, 1], [2, 3]],
    }


def test_a_group_that_is_dropped_is_no_group_any_more():
    rows, y = clusters([CORNERS[0], CORNERS[0], *CORNERS], 30)
    split = ClassSplit(rows, y, folds=2, merge=[(0, 1)])
    dropped = [one for one in ask(split).proposals if one.kind == "drop"]
    assert dropped[0].change == {"merge": (), "drop": (0, 1)}


@pytest.mark.parametrize("label", [datetime.date(2020, 1, 1), float("inf"), "\ud800", b"a", None])
def test_a_change_that_is_no_plain_data_is_left_out(label):
    proposal = ask(twins()).proposals[0]
    for change in ({"drop": (label,)}, {"merge": (("a", label),)}):
        told = dataclasses.replace(proposal, change=change).to_dict({("a", "b"): "a+b"})
        assert told["change"] is None


def test_a_representation_is_fitted_anew():
    from sklearn.preprocessing import StandardScaler

    advice = ask(twins(representation=StandardScaler()))
    assert advice.proposals[0].classes == (("a", "b"),)
    assert "representation=StandardScaler()" in advice.proposals[0].call


def test_a_training_pool_is_kept():
    rows, y = clusters([CORNERS[0], *CORNERS], 30, seed=5)
    advice = ask(twins(train=(rows, np.array(list("abcd"))[y])))
    assert advice.proposals[0].call.startswith("ClassSplit(X, y, train=(X_train, y_train), ")
    assert advice.proposals[0].report.n_train == 120
    assert advice.proposals[1].report.n_train == 90


def test_a_sample_will_do_to_begin_with():
    options = {"sampling": "always", "leakage_limits": [0.1]}
    found = evaluate(twins(), k=5, detectors=("knn",), **options)
    assert found.leakage.sampled
    assert found.advice().proposals[0].classes == (("a", "b"),)


def test_the_number_of_threads_changes_nothing():
    one, other = ask(among_others(), n_jobs=1), ask(among_others(), n_jobs=3)
    assert one.to_dict() == other.to_dict()


# --- what it costs --------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [5, 12, 30])
def test_few_splits_are_measured_down_to_the_fewest_classes(n_classes):
    rows, y = plain(10 * n_classes), labels(10 * n_classes, n_classes)
    advice = ask(ClassSplit(rows, y, folds=2), never)
    for kind in ("merge", "drop"):
        sizes = [len(one.report.classes) for one in advice.rejected if one.kind == kind]
        assert sizes[0] == n_classes - 1
        assert sizes[-1] == 3
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == min(MEASUREMENTS, n_classes - 3)
    assert advice.capped == (n_classes - 3 > MEASUREMENTS)


class Counting(FirstColumn):
    fits = 0

    def fit(self, X):
        Counting.fits += 1


def test_nothing_is_measured_before_it_is_asked_for():
    Counting.fits = 0
    evaluate(twins(), k=5, detectors={"it": Counting()})
    assert Counting.fits == 8


def test_detectors_that_are_fitted_one_by_one_are_spared_where_others_tell():
    found = evaluate(twins(), k=5, detectors={"it": Counting(), "knn": "knn"})
    Counting.fits = 0
    advice = found.advice(lambda one: never(one) or not one.detectors["knn"].auroc)
    assert Counting.fits == 0
    assert [list(one.report.detectors) for one in advice.rejected] == [["knn"]] * 2
    found.advice(lambda one: never(one) or one.detectors["it"].mean == 1)
    assert Counting.fits > 0


class Choosy(FirstColumn):
    def fit(self, X):
        if len(X) < 40:
            raise RuntimeError("too few rows")


def test_a_split_that_cannot_be_measured_is_not_proposed():
    found = evaluate(twins(), k=5, detectors={"it": Choosy(), "knn": "knn"})
    advice = found.advice(lambda one: len(one.classes) < 4)
    assert (advice.proposals, advice.rejected) == ((), ())


# --- where it is not to be had --------------------------------------------------------------


@pytest.mark.parametrize("lose", [copy.deepcopy, lambda found: pickle.loads(pickle.dumps(found))])
def test_a_report_that_lost_its_benchmark_says_so(lose):
    found = lose(evaluate(twins(), k=5, detectors=()))
    with pytest.raises(
        InputError, match=r"this report has lost its benchmark.* evaluate\(benchmark\)"
    ):
        found.advice()


def test_a_report_made_by_hand_has_no_benchmark():
    with pytest.raises(InputError, match="has lost its benchmark"):
        report().advice()


def test_a_proposal_does_not_keep_its_rows():
    assert ask(twins()).proposals[0].report.source is None


def test_the_benchmark_is_no_part_of_the_report():
    found = evaluate(twins(), k=5, detectors=())
    assert "source" not in repr(found)
    assert "source" not in found.to_dict()
    assert len(pickle.dumps(found)) < 20_000


# --- what is known without a measurement ----------------------------------------------------


def test_the_pairs_that_leak_most_come_first():
    matrix = np.array([[0.5, 0.4, 0.1], [0.0, 0.7, 0.3], [0.3, 0.0, 0.7]])
    found = report(leakage=leakage(classes="abc", matrix=matrix))
    assert glance(found).pairs == (
        ("a", "b", 0.4),
        ("b", "c", 0.3),
        ("c", "a", 0.3),
        ("a", "c", 0.1),
    )


def test_a_class_without_a_sampled_row_has_no_pairs():
    matrix = np.array([[0.9, 0.1, 0.0], [np.nan] * 3, [0.2, 0.0, 0.8]])
    found = report(leakage=sampled(0.1, (0.0, 0.2), matrix=matrix))
    assert glance(found).pairs == (("c", "a", 0.2), ("a", "b", 0.1))


def test_a_class_is_resolved_if_every_detector_ranks_it_the_right_way():
    aurocs = {"knn": {"a": 0.9, "b": 0.9, "c": 0.1}, "lof": {"a": 0.6, "b": 0.52, "c": 0.9}}
    assert glance(report(aurocs)).resolved == ("a",)
    assert not glance(report(aurocs)).sought


# --- rows -----------------------------------------------------------------------------------

LINE = np.array([[0.0], [1.0], [1.9], [10.0], [11.0], [11.9], [30.0], [31.0], [31.9]])


def test_the_rows_that_leak_most_with_their_neighbours():
    advice = ask(ClassSplit(LINE, list("aabcccddd"), folds=2), k=2, detectors=())
    first, *rest = advice.rows
    assert (first.row, first.label, first.leakage) == (2, "b", 1.0)
    assert first.neighbours == ((1, "a"), (0, "a"))
    assert [(row.row, row.leakage) for row in rest] == [(0, 0.5), (1, 0.5)]
    assert rest[1].neighbours == ((2, "b"), (0, "a"))


def test_rows_and_neighbours_go_by_the_authors_numbers():
    split = ClassSplit(np.r_[LINE[6:], LINE[:6]], list("dddaabccc"), folds=2, drop=["d"])
    first = ask(split, k=2, detectors=()).rows[0]
    assert (first.row, first.label) == (5, "b")
    assert first.neighbours == ((4, "a"), (3, "a"))


def test_a_tie_lists_the_first():
    split = ClassSplit([[0.0], [1.0], [-1.0], [1.0]], list("abab"), folds=2)
    rows = {one.row: one.neighbours for one in ask(split, k=1, detectors=()).rows}
    assert rows[0] == ((1, "b"),)


def test_few_rows_are_listed():
    assert len(ask(ClassSplit(plain(60), labels(60), folds=2), detectors=()).rows) == 10


# --- how it is told -------------------------------------------------------------------------


def test_advice_is_plain():
    said = ask(among_others()).to_dict()
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert all(type(row["row"]) is int for row in said["rows"])


@pytest.mark.parametrize("odd", ['it\'s "so"', "a\nb", b"\xff", 7, ("t", 1), "\u202e"])
def test_classes_of_any_name(odd):
    rows, y = clusters([CORNERS[0], *CORNERS], 30)
    y = [[odd, "b", "c", "d"][code] for code in y]
    split = ClassSplit(rows, y, folds=2)
    advice = ask(split)
    assert sorted(map(repr, advice.proposals[0].classes[0])) == sorted(map(repr, [odd, "b"]))
    for proposal in advice.proposals:
        again = eval(proposal.call, {"ClassSplit": ClassSplit, "X": rows, "y": y})
        assert again.fingerprint == proposal.report.fingerprint
    advice.to_dict()


def test_a_merged_class_is_named_by_its_members():
    assert ask(twins()).to_dict()["proposals"][0]["classes"] == ["a+b"]


@pytest.mark.parametrize("value", [0.5, 0.5 + 1e-12, 0.5 + 1e-6])
@pytest.mark.parametrize("low", [0, 1, 2, 3])
def test_what_will_do_by_default_is_what_the_default_limits_pass(value, low):
    names = "abcdefghij"
    aurocs = {"knn": {label: 0.2 if place < low else 0.9 for place, label in enumerate(names)}}
    found = report(aurocs, leakage=builders.leakage(value, classes=names))
    assert will_do(found) == (judge(found, Thresholds()).status == "well posed")


def test_the_default_limits_are_those_of_the_verdict():
    from pytest_splitcheck.measure import advice

    limits = Thresholds()
    assert limits.max_leakage == advice._LEAKAGE
    assert limits.max_rho_dir == advice._RHO_DIR


@pytest.mark.parametrize(
    ("rows", "columns", "classes", "options", "quick"),
    [
        (2000, 2, 10, {}, True),
        (2001, 2, 10, {}, False),
        (1001, 2, 10, {"train": 1000}, False),
        (2000, 1500, 10, {}, True),
        (2000, 1501, 10, {}, False),
        (1500, 1280, 10, {}, True),
        (1000, 1000, 11, {}, True),
        (1000, 1001, 11, {}, False),
        (400, 2, 30, {}, True),
        (400, 2, 31, {}, False),
        (400, 2, 31, {"held_out": range(30)}, True),
    ],
)
def test_what_is_quick_is_told_by_the_size(rows, columns, classes, options, quick):
    options = dict(options)
    if "train" in options:
        pool = np.zeros((options["train"], columns))
        options["train"] = pool, np.arange(len(pool)) % classes
    split = ClassSplit(np.zeros((rows, columns)), np.arange(rows) % classes, **options)
    assert is_quick(split, Protocol(detectors=("knn", "lof"))) is quick
    assert not is_quick(split, Protocol(detectors=("knn", "iforest")))
    assert not is_quick(split, Protocol(detectors={"mine": np.linalg.norm}))


def test_the_help_tells_what_is_quick():
    (told,) = (one.metadata["help"] for one in dataclasses.fields(Protocol) if one.name == "advice")
    one = advice_module
    assert (
        f"{one._QUICK_ROWS:,} rows, {one._QUICK_SPLITS} held-out classes and {one._QUICK_VALUES:,} values "
        f"({one._QUICK_VALUES_OF_MANY:,} with more than {one._FEW_SPLITS} held-out classes) at most"
    ) in told
