from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from benchmarks.harness import BenchmarkError, Contender, Run, Runs, compete, median
from benchmarks.outcome import Figure, Line, Outcome, ratios
from benchmarks.sampled_row import estimated_pass
from benchmarks.stopwatch import ALL, Seconds, Stopwatch

HERE = "tests.benchmarks.contenders"
X = {"X": np.arange(3.0)}


def run(wall, cpu=0.0, **parts):
    return Run(
        arrays={},
        parts={ALL: Seconds(wall, cpu), **{name: Seconds(*it) for name, it in parts.items()}},
        process=Seconds(wall, cpu),
        peak_bytes=0,
        modules=(),
    )


def test_a_contender_works_in_a_process_of_its_own():
    contender = Contender(name="it", call=f"{HERE}:doubled", options={"factor": 3})
    runs = compete([contender], X, {"X": np.zeros(1)}, rounds=2)
    assert runs.arrays("it")["doubled"].tolist() == [0.0, 3.0, 6.0]
    assert len(runs.by_name["it"]) == 2
    assert set(runs.by_name["it"][0].parts) == {ALL, "part"}


def test_patience_ends_the_rounds():
    contender = Contender(name="it", call=f"{HERE}:doubled")
    assert len(compete([contender], X, None, rounds=3, patience=1e-12).by_name["it"]) == 1


def test_an_error_of_a_contender_is_told():
    with pytest.raises(BenchmarkError, match=r"it ended with exit code 1:(.|\n)*no such luck"):
        compete([Contender(name="it", call=f"{HERE}:failing")], X, None)


def test_a_missing_peer_is_named_with_its_remedy_and_the_others_run():
    peer = Contender(name="peer", call="x:y", needs="no_such_module", install="pip install it")
    runs = compete([peer, Contender(name="it", call=f"{HERE}:doubled")], X, None, rounds=1)
    assert runs.skipped == ["peer: no_such_module is not installed; get it with `pip install it`."]
    assert list(runs.by_name) == ["it"]


def test_medians_of_what_counts():
    runs = [run(9.0, 5.0, forest=(1.0, 1.0)), run(3.0, 7.0, forest=(2.0, 2.0)), run(4.0, 6.0)]
    assert median(runs) == (4.0, 6.0)
    assert median(runs[:2], without=["forest"]) == (4.5, 4.5)


def test_parts_add_up():
    watch = Stopwatch()
    for _ in range(2):
        with watch.part(ALL), watch.part("inner"):
            sum(range(10_000))
    assert 0 < watch.parts["inner"].wall <= watch.parts[ALL].wall


def test_the_ratio_that_is_wanted_is_that_to_the_fastest_peer():
    runs = Runs({"ours": [run(2.0)], "slow": [run(20.0)], "fast": [run(6.0)]}, [])
    lines = ratios("work", runs, "ours", ["slow", "fast", "missing"], wanted=4)
    assert [(line.peer, line.figure.value, line.figure.wanted) for line in lines] == [
        ("slow", 10.0, None),
        ("fast", 3.0, 4),
    ]
    assert [line.figure.missed for line in lines] == [False, True]


def test_a_pass_is_estimated_from_what_one_query_more_costs():
    # 2 s of preparation and 10 ms per query; the part's full pass takes half of its own estimate.
    parts = {
        "few": (3.0, 3.0),
        "more": (4.0, 4.0),
        "part, few": (1.1, 1.1),
        "part, more": (1.2, 1.2),
        "part, all": (1.0, 1.0),
    }
    took = estimated_pass(run(0.0, **parts), [100, 200], 1_000_000, 1_000)
    assert took == pytest.approx((10_002 / 2, 10_002 / 2))


def test_an_outcome_survives_json():
    line = Line(work="it", ours=Seconds(1.0, 2.0), figure=Figure(value=3.0, unit="x", wanted=2))
    outcome = Outcome([line, dataclasses.replace(line, ours=None, figure=None)], ["a"], ["b"])
    assert Outcome.from_dict(outcome.to_dict()) == outcome
