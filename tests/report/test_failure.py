from __future__ import annotations

import pytest

from pytest_splitcheck import Thresholds, judge
from pytest_splitcheck.report.failure import failure_message
from pytest_splitcheck.report.record import record, title
from pytest_splitcheck.report.text import cells
from tests.builders import leakage, report, sampled

ODD = ["漢字" * 8, "a\x1b[31m\n", "\u202eevil", "a long name of many words " * 4]


def entry(found, name="fixture", **limits):
    sources = {limit: f"marker {limit}" for limit in limits if limit != "confident"}
    return record(found, judge(found, Thresholds(**limits, sources=sources)), name)


def message(found, width=80, **limits):
    return failure_message(entry(found, **limits), width)


def inverted(classes="abcde", n=2, **options):
    aurocs = {label: 0.2 if i < n else 0.9 for i, label in enumerate(classes)}
    return report({"knn": aurocs}, **options)


def test_the_first_line_tells_the_whole_verdict():
    found = inverted(leakage=leakage(0.7, classes="abcde"), representation="pixels")
    first = message(found).splitlines()[0]
    assert first == "ill posed: bench (pixels): L_10 = 0.700 > 0.5, rho_dir = 0.400 > 0.2"


def test_the_first_line_begins_with_what_makes_the_verdict():
    found = inverted(leakage=sampled(0.5, (0.4, 0.6), classes="abcde"))
    first = message(found).splitlines()[0]
    assert first.startswith("ill posed: bench: rho_dir = 0.400 > 0.2, ")
    assert "L_10 is between 0.400 and 0.600" in first


def test_an_undecided_verdict_says_so():
    found = report(positives={"a": 3, "b": 30, "c": 30})
    assert message(found).startswith("undecided: bench: 1 of 3 held-out classes have fewer")


def test_each_limit_comes_with_its_value_its_source_and_its_classes():
    text = " ".join(message(inverted(), max_rho_dir=0.1).split())
    assert "max_rho_dir rho_dir = 0.400 > 0.1 marker max_rho_dir" in text
    assert "a (knn 0.200), b (knn 0.200)" in text
    assert "c (knn" not in text


def test_where_a_table_does_not_fit_each_limit_has_a_paragraph():
    lines = message(inverted(), 40, max_rho_dir=0.1).splitlines()
    assert "max_rho_dir: rho_dir = 0.400 > 0.1" in lines
    assert "    set by marker max_rho_dir" in lines


def test_a_finding_without_limit_is_told_too():
    found = report(no_ranking={"knn": ("b",)}, constant=True)
    text = message(found)
    assert "constant representation: all 90 rows are equal" in text
    assert "no ranking: detector knn gives all rows the same score in 1 of 3 splits" in text


def test_what_the_first_line_says_is_not_said_again():
    first, *rest = message(report(far_auroc={"knn": 0.0}, hard_labels={"knn": ("b",)})).splitlines()
    assert first == (
        "undecided: bench: detector knn gives two distinct scores only, as labels are, in 1 of 3 splits, "
        "detector knn ranks far-away rows as normal (AUROC 0.000)"
    )
    told = " ".join(" ".join(rest).split())
    assert "hard labels: Pass the scores of knn, such as" in told
    assert (
        "looks reversed: knn gives rows far outside the pool lower scores than normal rows." in told
    )
    assert "two distinct" not in told
    assert "far-away" not in told


def test_what_the_numbers_depend_on_is_told():
    text = " ".join(message(inverted()).split())
    assert "m = 150 rows, K = 5 classes, k = 10" in text
    assert "L_10 by chance 0.8054" in text
    assert "detectors knn; cross-fitted over 5 folds" in text


def test_a_training_pool_is_told():
    text = " ".join(message(inverted(n_train=600, folds=None)).split())
    assert "fitted on 600 training rows" in text


def test_seeds_are_told():
    text = " ".join(message(inverted(seeds=(0, 1, 2))).split())
    assert "knn (3 seeds)" in text
    text = " ".join(message(inverted(seeds=(0,))).split())
    assert "knn (1 seed)" in text


def test_without_detectors_there_is_nothing_to_tell_of_them():
    assert "detectors" not in message(report({}, leakage=leakage(0.7)))


def test_a_sample_is_told():
    text = message(report({}, leakage=sampled(0.761, (0.6, 0.9))), 120)
    assert text.startswith(
        "ill posed: bench: L_10 = 0.761 > 0.5 (sampled: 64 of 1,000,000 rows, alpha 0.001)\n"
    )
    assert (
        "L_10 is estimated from 64 of 1,000,000 rows drawn at random: between 0.600 and 0.900, wrong "
        "with probability 0.001 at most."
    ) in " ".join(text.split())
    assert "estimated" not in message(report({}, leakage=leakage(0.761)))


def test_an_open_limit_is_told_with_its_source():
    text = " ".join(message(report({}, leakage=sampled(0.5, (0.4, 0.6)))).split())
    assert "undecided: bench: L_10 is between 0.400 and 0.600, on either side of 0.5" in text
    assert "set by default" in text


def test_classes_of_k_rows_or_fewer_are_told():
    found = report(
        {"knn": dict.fromkeys("abc", 0.5)},
        leakage=leakage(0.7, floor={"a": 0.0, "b": 0.8, "c": 0.0}),
        counts={"a": 30, "b": 3, "c": 30},
    )
    text = " ".join(message(found).split())
    assert "Classes of k = 10 rows or fewer" in text
    assert "b (3 rows, at least 0.80)" in text


UNSURE = {"knn": {"b": (0.44, 0.61)}, "lof": {"a": (0.4, 0.6), "c": (0.5, 0.7)}}


def unsure(**options):
    aurocs = {"knn": {"a": 0.2, "b": 0.52, "c": 0.9}, "lof": {"a": 0.5, "b": 0.2, "c": 0.6}}
    return report(aurocs, intervals=UNSURE, **options)


def test_unresolved_classes_are_told_with_their_intervals():
    text = " ".join(message(unsure()).split())
    assert (
        "Unresolved (95 % interval of AUROC includes 1/2): knn: b (0.440-0.610); lof: a "
        "(0.400-0.600), c (0.500-0.700)."
    ) in text
    assert "nresolved" not in message(inverted())


def test_a_class_that_is_known_to_be_random_is_not_unresolved():
    found = report({"knn": {"a": 0.5, "b": 0.5, "c": 0.1}}, intervals={"knn": {"a": (0.46, 0.54)}})
    assert "nresolved" not in message(found)


def test_a_limit_that_is_unresolved_is_told_with_both_rates():
    text = message(unsure(), confident=True, max_rho_dir=0.5, max_rho_inv=None)
    first, *rest = text.splitlines()
    assert first == "undecided: bench: rho_dir = 0.667 > 0.5 (resolved: 0.333)"
    told = " ".join(" ".join(rest).split())
    assert "max_rho_dir rho_dir = 0.667 > 0.5 (resolved: 0.333) marker max_rho_dir" in told
    assert "classes (95 % interval of AUROC): b (knn 0.440-0.610), a (lof 0.400-0.600)" in told


def test_directions_that_depend_on_the_seed_are_told():
    by_seed = {"a": [0.2, 0.6, 0.3], "b": [0.9, 0.8, 0.4], "c": [0.1, 0.2, 0.1]}
    text = message(report({"mine": by_seed}, seeds=(0, 1, 2)))
    assert "mine: the direction depends on the seed for a (1 of 3), b (1 of 3).\n" in text + "\n"
    assert "depends on the seed" not in message(unsure())


def test_many_unresolved_classes_are_not_all_listed():
    classes = [f"class {number}" for number in range(40)]
    aurocs = {label: [0.2, 0.2, 0.9] for label in classes}
    found = report(
        {"knn": aurocs}, seeds=(0, 1, 2), intervals={"knn": dict.fromkeys(classes, (0.4, 0.6))}
    )
    text = " ".join(message(found, max_rho_inv=0.1).split())
    assert "class 11 (0.400-0.600) and 28 more." in text
    assert "class 11 (1 of 3) and 28 more." in text


@pytest.mark.parametrize("width", [40, 80, 140])
def test_notes_on_unresolved_classes_keep_the_width(width):
    classes = [*ODD, "c"]
    aurocs = {label: [0.2, 0.2, 0.9] for label in classes}
    found = report(
        {"m\x1bne": aurocs},
        seeds=(0, 1, 2),
        intervals={"m\x1bne": dict.fromkeys(classes, (0.4, 0.6))},
        leakage=leakage(classes=classes),
    )
    lines = message(found, width, confident=True, max_rho_inv=0.1).splitlines()[1:]
    assert [line for line in lines if cells(line) > width or not line.isprintable()] == []
    assert r"m\x1bne: the direction" in " ".join(" ".join(lines).split())


def test_many_classes_are_not_all_listed():
    classes = [f"class {number}" for number in range(40)]
    text = " ".join(message(inverted(classes, 20)).split())
    assert "class 11 (knn 0.200) and 8 more" in text
    assert "class 12 (knn" not in text


@pytest.mark.parametrize("width", [40, 80, 140])
@pytest.mark.parametrize("n", [1, 4])
def test_lines_keep_the_width(width, n):
    found = inverted(
        [*ODD, *"abcde"], n, name="漢字 " * 40, leakage=leakage(0.7, classes=[*ODD, *"abcde"])
    )
    lines = message(found, width, max_rho_inv=0.05, max_leakage_ratio=0.1).splitlines()[1:]
    assert [line for line in lines if cells(line) > width] == []


@pytest.mark.parametrize("width", [40, 80])
def test_a_class_name_without_spaces_keeps_the_width(width):
    found = inverted(["x" * 200, *"abcd"])
    assert [line for line in message(found, width).splitlines()[1:] if cells(line) > width] == []


def test_names_are_spelled_out():
    found = inverted([*ODD[1:3], "c", "d", "e"], name="a\x1b]0;\nb", representation="\u202e")
    text = message(found)
    assert r"a\x1b]0;\nb (\u202e)" in text.splitlines()[0]
    assert r"a\x1b[31m\n (knn 0.200)" in text
    assert text.replace("\n", "").isprintable()


def test_a_detector_goes_by_an_escaped_name():
    text = message(report({"m\x1bne": {"a": 0.2, "b": 0.9, "c": 0.5}}))
    assert r"m\x1bne 0.200" in text


def test_a_majority_that_points_down_is_told():
    found = report(
        {"m\x1bne": {"a": 0.2, "b": 0.9, "c": 0.1}, "knn": {"a": 0.2, "b": 0.9, "c": 0.9}}
    )
    assert (
        r"classes (AUROC of those that do not point the way of most; by m\x1bne most are below 1/2): b "
        r"(m\x1bne 0.900), a (knn 0.200)"
    ) in " ".join(message(found).split())


def test_no_line_ends_in_spaces():
    text = message(inverted())
    assert text == "\n".join(line.rstrip() for line in text.splitlines())


def test_title():
    assert title(entry(report())) == "bench"
    assert title(entry(report(representation="pixels"))) == "bench (pixels)"
    assert title(entry(report(name=None), name="the fixture")) == "the fixture"


# --- whose fault it is ----------------------------------------------------------------------


INVERTED = {"max_rho_dir": None, "max_rho_inv": 0.1}


def attributed(classes="abcde", n=3, at_fault=1):
    """Return a report of `n` inverted classes, of which geometry inverts all but `at_fault`."""
    geometry = {label: 0.2 if i < n - at_fault else 0.9 for i, label in enumerate(classes)}
    return inverted(classes, n, geometry=geometry)


def test_whose_fault_it_is_stands_below_the_classes():
    lines = message(attributed(), **INVERTED).splitlines()
    below = lines.index("    classes (AUROC): a (knn 0.200), b (knn 0.200), c (knn 0.200)") + 1
    assert lines[below] == "    fault (inverted or near random): geometry: a, b; knn alone: c"


def test_without_geometry_nothing_is_said_of_fault():
    assert "fault (" not in message(inverted())


def test_a_limit_on_geometry_is_told():
    text = " ".join(message(report({}, geometry={"a": 0.2, "b": 0.9, "c": 0.5})).split())
    assert "ill posed: bench: rho_dir_geo = 0.667 > 0.2" in text
    assert "classes (AUROC of geometry alone): a (0.200), c (0.500)" in text


def test_many_classes_at_fault_are_not_all_listed():
    text = " ".join(message(attributed([f"c{i}" for i in range(40)], 30, 15), **INVERTED).split())
    assert "random): geometry: c0, " in text
    assert "c11 and 3 more; knn alone: c15" in text


@pytest.mark.parametrize("width", [40, 80, 160])
def test_fault_keeps_the_width(width):
    text = message(attributed([*ODD, "x" * 200, *"abcdefgh"], 8, 5), width, **INVERTED)
    assert "fault (inverted" in text
    assert [line for line in text.splitlines()[1:] if cells(line) > width] == []
    assert text.replace("\n", "").isprintable()
