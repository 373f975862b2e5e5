"""What is found on scores that are not what they should be."""

from __future__ import annotations

import pytest

from pytest_splitcheck import Thresholds, judge
from tests.builders import leakage, report

GOOD = dict.fromkeys("abcde", 0.9)
TWO_OF_FIVE = {**GOOD, "b": 0.2, "d": 0.5}
OFF = Thresholds(max_leakage=None, max_rho_dir=None)


def one(found):
    """Return the only finding, without any limit."""
    verdict = judge(found, OFF)
    assert verdict.status == "undecided"
    (finding,) = verdict.findings
    return finding


def test_labels_in_the_place_of_scores_are_undecided():
    finding = one(report({"knn": GOOD, "mine": GOOD}, hard_labels={"mine": ("b", "c")}))
    assert (finding.kind, finding.status, finding.limit) == ("hard labels", "undecided", None)
    assert (finding.classes, finding.details) == (("b", "c"), ("b", "c"))
    assert finding.message == (
        "detector mine gives two distinct scores only, as labels are, in 2 of 5 splits; pass its scores, "
        "such as score_samples or decision_function, not predict"
    )


@pytest.mark.parametrize("far", [0.0, 0.2499999])
def test_far_rows_that_rank_as_normal_are_undecided(far):
    finding = one(report({"knn": GOOD, "mine": GOOD}, far_auroc={"mine": far}))
    assert (finding.kind, finding.status, finding.limit) == ("looks reversed", "undecided", None)
    assert (finding.value, finding.classes) == (far, ())
    assert finding.message == (
        "detector mine ranks rows far outside the pool as more normal than normal rows "
        f"(AUROC {far:.3f}); if its scores are high for normal rows, turn their sign: with "
        "HighIsNormal(...), or in its own class where that derives from a library's"
    )


@pytest.mark.parametrize("far", [0.25, 0.5, 1.0])
def test_far_rows_that_rank_otherwise_are_no_finding(far):
    found = report({"mine": GOOD}, far_auroc={"mine": far})
    assert judge(found, OFF).status == "well posed"


@pytest.mark.parametrize("doubt", [{"hard_labels": {"knn": ("a",)}}, {"far_auroc": {"knn": 0.1}}])
def test_such_scores_prove_no_limit_on_rates_exceeded(doubt):
    verdict = judge(report({"knn": TWO_OF_FIVE}, **doubt))
    assert verdict.status == "undecided"
    assert [finding.limit for finding in verdict.findings] == ["max_rho_dir", None]
    leaking = report({"knn": TWO_OF_FIVE}, leakage=leakage(0.7), **doubt)
    assert judge(leaking).status == "ill posed"
