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
        at every k; with approximate neighbours, those that read them differ by all who do.
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
    found = [
        (name, k, identity, resolve_detector(name, entry, k, seeds, benchmark))
        for name, entry in named_detectors(protocol.detectors).items()
        for identity in [identify(entry)]
        for k in protocol.ks
    ]
    # What an index finds depends on how many neighbours are needed, and for which rows.
    readers = tuple((identity, one.list_size) for _, _, identity, one in found if one.list_size)

    def key(identity: Hashable, one: Detector | Recorded) -> Hashable:
        together = readers if approximate and one.list_size else None
        return identity, one.list_size, seeds, together

    return [Asked(name, k, one, key(identity, one)) for name, k, identity, one in found]
