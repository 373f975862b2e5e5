"""The detectors that a measurement asks for, at every k."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.adapters import named_detectors, resolve_detector
from pytest_splitcheck.measure.detectors import Detector
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.measure.recorded import Recorded

__all__ = ["Asked", "asked_detectors"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A detector at one k.

    Attributes
    ----------
    name : str
    k : int
    detector : Detector or Recorded
    key : hashable
        Equal for detectors that give the same scores: one that does not read `k` neighbours has the same
        at every k.
    """

    name: str
    k: int
    detector: Detector | Recorded
    key: Hashable


def asked_detectors(
    benchmark: ClassSplit, protocol: Protocol, identify: Callable[[object], Hashable]
) -> list[Asked]:
    """Return every detector of `protocol` at every k.

    Parameters
    ----------
    benchmark : ClassSplit
    protocol : Protocol
    identify : callable
        Returns equal values for detectors that give the same scores at the same k.

    Raises
    ------
    InputError
        If an entry is no detector.
    """
    seeds, approximate = tuple(map(int, protocol.seeds)), protocol.neighbors == "approximate"
    asked = []
    for name, entry in named_detectors(protocol.detectors).items():
        identity = identify(entry)
        for k in protocol.ks:
            one = resolve_detector(name, entry, k, seeds, benchmark)
            asked.append(Asked(name, k, one, (identity, one.list_size, seeds, approximate)))
    return asked
