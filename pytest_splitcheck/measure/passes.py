"""The detectors of a measurement that are still to be run, all in one pass over the pools."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
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

    Detectors that read the neighbour lists are kept together, and with what `inspection` saw in the lists: how
    long these are, and which rows an index finds, depends on all who read them.
    """
    readers = [key for key, one in detectors.items() if one.list_size]
    together = ("readers", tuple(readers), inspection.lof, inspection.is_new)
    found: dict[Hashable, Tally] = {}
    if readers and (kept := memory.recall(together)):
        tallies, crowds = kept
        found.update(zip(readers, tallies, strict=True))
        inspection.adopt(crowds)
    alone = [key for key in detectors if key not in readers]
    found.update({key: one for key in alone if (one := memory.recall(("alone", key)))})
    sees = inspection.is_new
    made = tally_detectors(
        benchmark,
        {key: one for key, one in detectors.items() if key not in found},
        workers,
        approximate=approximate,
        look=inspection.look,
        fold_of=fold_of,
    )
    for key in alone:
        if key in made:
            memory.keep(("alone", key), made[key])
    if readers and readers[0] in made:
        seen = inspection.crowds if sees else None
        memory.keep(together, (tuple(made[key] for key in readers), seen))
    return {**found, **made}
