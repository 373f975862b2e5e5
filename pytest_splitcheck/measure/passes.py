"""The detectors of a measurement that are still to be run, all in one pass over the pools."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.authors import AuthorsDetector
from pytest_splitcheck.measure.detectors import Detector
from pytest_splitcheck.measure.integrity import Inspection
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.recorded import Recorded
from pytest_splitcheck.measure.rows import Integers
from pytest_splitcheck.measure.tally import Tally, tally_detectors
from pytest_splitcheck.measure.workers import Workers

__all__ = ["run_detectors"]


def run_detectors(
    benchmark: ClassSplit,
    detectors: Mapping[Hashable, Detector | Recorded],
    memory: Memory,
    inspection: Inspection,
    workers: Workers,
    *,
    approximate: bool,
    fold_of: Integers | None,
) -> dict[Hashable, Tally]:
    """Return the tally of each of `detectors`, by its key; those that no shelf has are run.

    What `inspection` has still to see in the neighbour lists takes all who read them, unless a shelf has it.

    Raises
    ------
    InputError
        If an author's detector wrote to the data.
    """
    found = {key: one for key in detectors if (one := memory.recall(("tally", key)))}
    readers = [key for key, one in detectors.items() if one.list_size]
    if approximate and any(key not in found for key in readers):
        # What an index finds for one depends on all who read it.
        found = {key: one for key, one in found.items() if key not in readers}
    if readers and inspection.is_new:
        inspection.adopt(memory.recall(inspection.lasting_key))
        if inspection.is_new:
            found = {key: one for key, one in found.items() if key not in readers}
    made = tally_detectors(
        benchmark,
        {key: one for key, one in detectors.items() if key not in found},
        workers,
        approximate=approximate,
        look=inspection.look,
        fold_of=fold_of,
    )
    if any(isinstance(detectors[key], AuthorsDetector) for key in made):
        _check_unchanged(benchmark, memory)
    for key, tally in made.items():
        memory.keep(("tally", key), tally)
    if readers and inspection.is_new:
        memory.keep(inspection.lasting_key, inspection.crowds)
    return {**found, **made}


def _check_unchanged(benchmark: ClassSplit, memory: Memory) -> None:
    """Refuse what was measured partly of other data, before any of it is kept under the name of the first."""
    if benchmark.fingerprint != memory.fingerprint:
        raise InputError(
            "the data changed while they were measured: a detector writes to the arrays that the benchmark was "
            "made of. Give the benchmark a copy, or let the detector write to one."
        )
