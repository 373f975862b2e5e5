"""The detectors that a measurement asks for, at every k."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.detectors import Detector, named_detectors, resolve_detector
from pytest_splitcheck.measure.protocol import Protocol

__all__ = ["Asked", "asked_detectors"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A detector at one k.

    Attributes
    ----------
    name : str
    k : int
    detector : Detector
    key : hashable
        Equal for detectors that give the same scores: one that does not read `k` neighbours has the same
        at every k.
    """

    name: str
    k: int
    detector: Detector
    key: Hashable


def asked_detectors(protocol: Protocol, identify: Callable[[object], Hashable]) -> list[Asked]:
    """Return every detector of `protocol` at every k.

    Parameters
    ----------
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
            one = resolve_detector(name, entry, k, seeds)
            asked.append(Asked(name, k, one, (identity, one.list_size, seeds, approximate)))
    return asked
