"""Where a report comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_splitcheck.declare.class_split import ClassSplit
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.measure.protocol import Protocol

if TYPE_CHECKING:
    from pytest_splitcheck.measure.results.report import Report

__all__ = ["Source", "needed"]


@dataclass(frozen=True, eq=False)
class Source:
    """What it takes to measure other splits of the same data. Pickles and deep copies leave it behind.

    Attributes
    ----------
    benchmark : ClassSplit
    protocol : Protocol
    measure : callable
        Returns the report of another benchmark by a protocol, under the limits and with the memory of
        this one.
    """

    benchmark: ClassSplit
    protocol: Protocol
    measure: Callable[[ClassSplit, Protocol], Report]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


def needed(source: Source | None, why: str, call: str) -> Source:
    """Return the source of a report; `why` and `call` tell what it is for, and what to call.

    Raises
    ------
    InputError
        If there is none.
    """
    if source is None:
        raise InputError(
            f"this report has lost its benchmark, {why}: it was unpickled, copied or made by hand. "
            f"Call evaluate(benchmark){call and '.' + call}."
        )
    return source
