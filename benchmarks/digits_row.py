"""The smallest real benchmark, in a process that starts cold."""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import checks, data
from benchmarks.data import Arrays
from benchmarks.harness import ROUNDS, Contender, Run, compete, run_once, run_python
from benchmarks.outcome import Figure, Line, Outcome
from benchmarks.split_rows import EVERY_DETECTOR, OURS, SCIKIT_LEARN
from benchmarks.stopwatch import ALL, Seconds

MOST_CPU_SECONDS = 3.0

_DETECTORS = {"detectors": EVERY_DETECTOR}
_MOVED = 1e-3
_IMPORT = """
import contextlib, importlib, json, sys
for name in json.load(open(sys.argv[1])):
    with contextlib.suppress(Exception):  # some modules cannot be imported by the name they carry
        importlib.import_module(name)
"""


def digits(short: bool) -> Outcome:
    """Measure all detectors on digits, with a training pool and cross-fitted.

    The short form compares the results alone.
    """
    outcome = Outcome(complaints=_against_scikit_learn())
    if short:
        outcome.lines.append(Line(work="digits, half of them the pool: results only"))
        return outcome
    for pool in (True, False):
        arrays = data.digits(pool=pool)
        how = "half of them the pool" if pool else "cross-fitted"
        seeds: list[tuple[str, dict[str, Any], float | None]] = [
            ("one seed", {"seeds": [0]}, MOST_CPU_SECONDS),
            ("five seeds", {}, None),
        ]
        for number, options, wanted in seeds:
            ours = Contender(name=OURS.name, call=OURS.call, options={**_DETECTORS, **options})
            run, beyond = _cold(ours, arrays)
            outcome.lines.append(
                Line(
                    work=f"digits, {how}, {number}, cold process",
                    ours=Seconds(run.parts[ALL].wall, run.parts[ALL].cpu),
                    figure=Figure(
                        value=beyond, unit="CPU s beyond imports", wanted=wanted, at_least=False
                    ),
                )
            )
    return outcome


def _cold(contender: Contender, arrays: Arrays) -> tuple[Run, float]:
    """Return the first run, and the median CPU seconds of a process less those of its imports alone."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "input.npz"), **arrays)  # type: ignore[arg-type]
        modules = Path(folder, "modules.json")
        runs, beyond = [], []
        for _ in range(ROUNDS):
            run = run_once(contender, Path(folder))
            modules.write_text(json.dumps(run.modules))
            imports = run_python(["-c", _IMPORT, str(modules)], {}, "imports alone")
            runs.append(run)
            beyond.append(run.process.minus(imports).cpu)
    return runs[0], statistics.median(beyond)


def _against_scikit_learn() -> list[str]:
    """Compare on digits that are moved a little.

    Their whole numbers tie so often that scikit-learn's choice of the 20th neighbour, one of several at
    the same distance, moves the AUROC of LOF by up to 1e-3.
    """
    rng = np.random.default_rng(0)
    arrays = {
        name: values + rng.uniform(-_MOVED, _MOVED, values.shape) if values.ndim == 2 else values
        for name, values in data.digits(pool=True).items()
    }
    runs = compete([OURS, SCIKIT_LEARN], arrays, None, rounds=1)
    ours, peer, name = runs.arrays(OURS.name), runs.arrays(SCIKIT_LEARN.name), SCIKIT_LEARN.name
    return [
        *checks.aurocs(ours, peer, name),
        *checks.leakage(ours, peer, name, tied_slots=0, slots=10 * len(arrays["X"])),
    ]
