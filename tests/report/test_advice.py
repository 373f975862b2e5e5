from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pytest_splitcheck import Thresholds, judge
from pytest_splitcheck.measure.advice import glance
from pytest_splitcheck.measure.results import Dominance, Proposal
from pytest_splitcheck.report.failure import failure_message
from pytest_splitcheck.report.record import record
from pytest_splitcheck.report.text import cells
from tests.builders import integrity, leakage, report

INVERTED = {"knn": {"a": 0.2, "b": 0.9, "c": 0.9, "d": 0.3}}
CALL = "ClassSplit(X, y, name='a benchmark of a long name', merge=[('a', 'b'), ('c', 'd')])"


def proposal(kind="merge", classes=(("a", "b"),), *, n=3, value=0.25, aurocs=None, call=CALL):
    names = "abcdefg"[:n]
    found = report(
        {"knn": dict.fromkeys(names, 0.9)} if aurocs is None else aurocs,
        leakage=leakage(value, classes=names),
    )
    change = {"merge": tuple(classes)} if kind == "merge" else {"drop": tuple(classes)}
    return Proposal(kind=kind, classes=tuple(classes), report=found, change=change, call=call)


def message(width=80, found=None, limits=None, declared=None, **changes):
    found = found or report(INVERTED)
    advice = dataclasses.replace(glance(found), **changes)
    named = [label for one in (*advice.proposals, *advice.rejected) for label in one.classes]
    advice = dataclasses.replace(
        advice, names={**advice.names, **{label: "+".join(label) for label in named}}
    )
    verdict = judge(found, Thresholds(**(limits or {})))
    entry = {**record(found, verdict, "it", advice), "declared": declared}
    return failure_message(entry, width)


def block(*args, **changes):
    """Return the block, its lines as one, and with single spaces."""
    text = message(*args, **changes)
    return " ".join(text[text.index("way out") :].split())


def test_pairs_and_resolved_classes_are_always_told():
    matrix = np.array([[0.9, 0.1, 0, 0], [0.3, 0.7, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    found = report(INVERTED, leakage=leakage(classes="abcd", matrix=matrix))
    text = block(found=found)
    assert "leaks most (share of neighbours): b->a 0.300, a->b 0.100 ranked" in text
    assert "ranked the right way by every detector: b, c " in text


def test_that_no_class_is_ranked_the_right_way_is_told():
    found = report({"knn": dict.fromkeys("abc", 0.5)})
    assert "ranked the right way by every detector: no class" in block(found=found)


def test_without_detectors_none_ranks_a_class():
    found = report({}, leakage=leakage(0.7))
    assert "ranked" not in block(found=found)


def test_how_to_get_proposals_where_none_were_measured():
    text = block()
    assert "No other splits were measured to propose one" in text
    assert "--splitcheck-advice=always measures them." in text


def test_of_the_fault_of_detectors_alone_no_split_is_the_way_out():
    found = report(
        {"mine": {"a": 0.2, "b": 0.9, "c": 0.9}, "knn": dict.fromkeys("abc", 0.9)},
        geometry=dict.fromkeys("abc", 0.9),
        attribution={"mine": {"a": "detector"}},
    )
    text = block(found=found, sought=True, proposals=(proposal(),), limits={"max_rho_dir": 0.1})
    assert text == (
        "way out The split is sound by its geometry (rho_dir of geometry alone = 0.000): what is wrong is "
        "mine. Look at its scores, or use another detector."
    )
    shared = dataclasses.replace(
        found, attribution={"mine": {"a": "detector"}, "knn": {"b": "geometry"}}
    )
    text = block(found=shared, sought=True, proposals=(proposal(),), limits={"max_rho_dir": 0.1})
    assert "merge a+b" in text


@pytest.mark.parametrize(("standardised", "told"), [(0.2, True), (0.65, False)])
def test_features_of_equal_variance_come_first_where_they_help(standardised, told):
    dominance = Dominance(column=3, share=0.95, standardised=leakage(standardised))
    found = report(
        INVERTED, leakage=leakage(0.7, classes="abcd"), integrity=integrity(dominance=dominance)
    )
    text = block(found=found, limits={"max_leakage": None})
    first = "way out first: standardise the features (representation=StandardScaler()). Column 3 has 0.950"
    assert text.startswith(first) == told
    assert ("L_10 is 0.200 in the place of 0.700" in text) == told
    text = block(found=found, limits={"max_leakage": None}, declared=TOML)
    assert text.startswith("way out first: standardise the features. Column 3 has 0.950") == told
    assert ("; AUROCs were not measured with these. standardise = true " in text) == told
    assert text.endswith(WHERE) == told


@pytest.mark.parametrize(
    ("limits", "still"),
    [
        ({"max_leakage": 0.19}, "max_leakage = 0.19"),
        ({"max_leakage": None, "max_leakage_ratio": 0.2}, "max_leakage_ratio = 0.2"),
        (
            {"max_leakage": 0.1, "max_leakage_ratio": 0.2},
            "max_leakage = 0.1 and max_leakage_ratio = 0.2",
        ),
    ],
)
def test_features_of_equal_variance_that_will_not_do_come_last(limits, still):
    dominance = Dominance(column=3, share=0.95, standardised=leakage(0.2))
    found = report({}, leakage=leakage(0.7), integrity=integrity(dominance=dominance))
    text = block(found=found, limits=limits, sought=True, proposals=(proposal(aurocs={}),))
    told = "of the variance; with features of equal variance L_10 is 0.200 in the place of 0.700"
    if still:
        assert "also: standardise the features" in text
        assert text.endswith(f"{told}, still above {still}: not enough alone.")
        assert "first" not in text
    text = block(found=found, limits=limits, sought=True)  # nothing else will do
    assert text.startswith("way out first: standardise")
    assert f"{told}, still above {still}: not enough alone. No well-posed split" in text


FAILED = {"max_rho_inv": 0.1, "max_rho_rnd": 0.1, "min_auroc": 0.95, "max_leakage_ratio": 0.01}


def test_a_proposal_is_told_with_every_figure_that_failed():
    found = report({"knn": {"a": 0.2, "b": 0.5, "c": 0.9}}, geometry={"a": 0.2, "b": 0.9, "c": 0.9})
    text = block(found=found, limits=FAILED, sought=True, proposals=(proposal(),))
    ratio = proposal().report.leakage.ratio
    assert (
        f"merge a+b: L_10 = 0.250, rho_dir = 0.000, L_10/chance = {ratio:.3f}, rho_inv = 0.000, "
        "rho_rnd = 0.000, mean AUROC = 0.900, K = 3"
    ) in text
    text = block(found=found, limits=FAILED, sought=True, rejected=(proposal(),))
    assert "measured: merge to 3 (L_10 = 0.250, rho_dir = 0.000, L_10/chance" in text
    assert "mean AUROC = 0.900)" in text


@pytest.mark.parametrize("limit", ["max_rho_dir", "max_rho_dir_geo"])
def test_a_proposal_without_detectors_is_told_with_its_geometry(limit):
    found = report({}, geometry={"a": 0.2, "b": 0.9, "c": 0.9})
    other = proposal(aurocs={})
    alone = report({}, geometry=dict.fromkeys("abc", 0.9), leakage=leakage(0.25))
    other = dataclasses.replace(other, report=alone)
    text = block(found=found, limits={limit: 0.1}, sought=True, proposals=(other,))
    assert "merge a+b: L_10 = 0.250, rho_dir_geo = 0.000, K = 3" in text


def test_a_mean_auroc_that_geometry_keeps_is_no_matter_of_the_split():
    good = dict.fromkeys("abc", 0.9)
    found = report({"weak": dict.fromkeys("abc", 0.7), "knn": good}, geometry=good)
    text = message(found=found, sought=True, proposals=(proposal(),), limits={"min_auroc": 0.85})
    assert "    fault (below the limit): weak alone: a, b, c\n" in text
    assert " ".join(text[text.index("way out") :].split()) == (
        "way out The split is sound by its geometry (rho_dir of geometry alone = 0.000, its mean AUROC = "
        "0.900): what is wrong is weak. Look at its scores, or use another detector."
    )


def test_a_proposal_is_told_with_its_figures_and_its_call():
    text = block(sought=True, proposals=(proposal(),))
    assert "merge a+b: L_10 = 0.250, rho_dir = 0.000, K = 3, m = 90 ClassSplit(X, y," in text
    assert "No well-posed" not in text


def test_a_proposal_without_detectors_has_no_rate():
    found = report({}, leakage=leakage(0.7))
    text = block(found=found, sought=True, proposals=(proposal(aurocs={}),))
    assert "merge a+b: L_10 = 0.250, K = 3" in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_call_is_one_line_however_long(width):
    lines = message(width, sought=True, proposals=(proposal(),)).splitlines()
    assert f"      {CALL}" in lines
    rest = [line for line in lines[1:] if CALL not in line]
    assert [line for line in rest if cells(line) > width] == []


def test_a_call_has_no_control_characters():
    text = message(sought=True, proposals=(proposal(call="ClassSplit(X, y, drop=[\x1b\n])"),))
    assert r"ClassSplit(X, y, drop=[\x1b\n])" in text


TOML = {"file": "it.splitcheck.toml", "lines": {}}
WHERE = "Lines to paste go above the first [table] of it.splitcheck.toml, in the place of those with the same keys."


def test_in_a_toml_file_a_proposal_is_toml():
    both = (proposal(), proposal("drop", ['\x1b\u202e"', "c"]))
    text = block(declared=TOML, sought=True, proposals=both)
    assert 'K = 3, m = 90 merge = [["a", "b"]] drop' in text
    assert r'K = 3, m = 90 drop = ["\u001b\u202e\"", "c"] Lines' in text
    assert text.endswith(WHERE)
    assert "ClassSplit" not in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_line_of_toml_is_one_however_long(width):
    long = proposal("drop", ["x" * 300])
    lines = message(width, declared=TOML, sought=True, proposals=(long,)).splitlines()
    assert f'      drop = ["{"x" * 300}"]' in lines


def test_a_label_that_toml_does_not_have_leaves_the_figures():
    text = block(declared=TOML, sought=True, proposals=(proposal("drop", ["\ud800"]),))
    assert "drop \\ud800: L_10 = 0.250, rho_dir = 0.000, K = 3, m = 90" in text
    assert " = [" not in text
    assert WHERE not in text


def test_that_nothing_was_found_is_told_with_what_was_tried():
    wrong = {"knn": {"a": 0.2, "b": 0.9, "c": 0.9}}
    tried = (proposal(n=4), proposal("drop", ["a"], value=0.45, aurocs=wrong))
    text = block(sought=True, rejected=tried)
    assert (
        "No well-posed split found down to 3 classes; measured: merge to 4 (L_10 = 0.250, "
        "rho_dir = 0.000), drop to 3 (L_10 = 0.450, rho_dir = 0.333)."
    ) in text
    assert "passed over" not in text


def test_that_nothing_was_worth_a_measurement_is_told():
    text = block(sought=True)
    assert "No well-posed split found down to 3 classes, by the leakage to be expected." in text


def test_that_not_every_number_of_classes_was_tried_is_told():
    text = block(sought=True, rejected=(proposal(),), capped=True)
    assert "Some numbers of classes were passed over." in text


def test_the_detectors_that_rejected_a_split_are_told():
    both = {"knn": INVERTED["knn"], "lof": INVERTED["knn"]}
    text = block(found=report(both), sought=True, rejected=(proposal(),))
    assert "rho_dir = 0.000 of knn)" in text


def test_two_classes_leave_no_way_out():
    found = report({"knn": {"a": 0.2, "b": 0.9}})
    assert "With two classes there is none to merge or to drop." in block(found=found, sought=True)


def test_names_are_spelled_out():
    found = report({"knn": {"a\x1b": 0.2, "b\n": 0.9, "c": 0.9}})
    text = message(found=found)
    assert text.replace("\n", "").isprintable()


def test_without_advice_there_is_no_block():
    found = report(INVERTED)
    assert "way out" not in failure_message(record(found, judge(found), "it"), 80)
