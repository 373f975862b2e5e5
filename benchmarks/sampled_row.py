"""The verdict on the leakage of a million rows from a sample of them, against all of them."""

from __future__ import annotations

from benchmarks import data
from benchmarks.data import Arrays
from benchmarks.harness import ROUNDS, Contender, Run, compete, median
from benchmarks.outcome import Figure, Line, Outcome
from benchmarks.stopwatch import Seconds

LIMIT = 0.5
MOST_QUERIES = 200
SAMPLED = Contender(name="sampled", call="benchmarks.sampling:verdict", options={"limit": LIMIT})


def sampled(short: bool) -> Outcome:
    """Measure leakages near .24 and .76, far from the limit as real ones are."""
    n, d, part = (20_000, 16, 2_000) if short else (1_000_000, 64, 40_000)
    spreads = (0.9, 0.4) if short else (0.43, 0.225)
    outcome = Outcome()
    for spread in spreads:
        X, y = data.clusters(n, n_classes=10, d=d, spread=spread)
        _measure(outcome, {"X": X, "y": y}, part, short)
    return outcome


def _measure(outcome: Outcome, arrays: Arrays, part: int, short: bool) -> None:
    n, d = arrays["X"].shape
    full = Contender(
        name="full pass, estimated",
        call="benchmarks.sampling:shares_of_a_pass",
        options={"queries": [n // 200, n // 40] if short else [256, 2_048], "part": part},
    )
    X, y = data.clusters(300, n_classes=3, d=16, spread=1.0)
    runs = compete([SAMPLED], arrays, {"X": X, "y": y}, rounds=1 if short else ROUNDS)
    (pass_,) = compete([full], arrays, None, rounds=1).by_name[full.name]
    took = estimated_pass(pass_, full.options["queries"], n, part)
    found = runs.arrays(SAMPLED.name)
    seconds = median(runs.by_name[SAMPLED.name])
    queries, (low, high) = int(found["queries"]), found["interval"]
    value, error = float(pass_.arrays["value"]), float(pass_.arrays["error"])
    work = f"leakage about {value:.2f} against a limit of {LIMIT}, {n:,} x {d}"
    outcome.lines.append(
        Line(
            work=work,
            ours=seconds,
            runs=len(runs.by_name[SAMPLED.name]),
            peer="ours, in full",
            peer_took=took,
            figure=Figure(value=took.wall / seconds.wall, unit="x", wanted=200),
            note=f"the full pass is estimated from {full.options['queries'][1]:,} queries and a pass "
            f"over {part:,} rows",
        )
    )
    outcome.lines.append(
        Line(
            work=work,
            figure=Figure(value=queries, unit="queries", wanted=MOST_QUERIES, at_least=False),
            note=f"interval {low:.3f} to {high:.3f}",
        )
    )
    if (low > LIMIT) != (value > LIMIT) or low <= LIMIT <= high:
        outcome.complaints.append(f"{work}: the interval {low:.3f} to {high:.3f} decides wrongly.")
    if not low - 4 * error <= value <= high + 4 * error:
        outcome.complaints.append(
            f"{work}: {value:.3f} +- {error:.3f} lies outside of the interval {low:.3f} to {high:.3f}."
        )


def estimated_pass(run: Run, queries: list[int], n: int, part: int) -> Seconds:
    """Return what a pass over n rows would take.

    From the cost of one query more, which leaves out what is done once per base; times what a full pass
    over a part took against the same estimate for it, since a full pass may compute each pair once.
    """
    few, more = queries

    def from_shares(clock: int, prefix: str, rows: int) -> float:
        start, end = run.parts[f"{prefix}few"][clock], run.parts[f"{prefix}more"][clock]
        return end + (rows - more) * (end - start) / (more - few)

    wall, cpu = (
        from_shares(clock, "", n)
        * run.parts["part, all"][clock]
        / from_shares(clock, "part, ", part)
        for clock in (0, 1)
    )
    return Seconds(wall, cpu)
