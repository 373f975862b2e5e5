"""What a check does about a verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.protocol import check_word

__all__ = ["Policy", "Undecided"]

Undecided = Literal["fail", "warn", "pass"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a check does about an undecided verdict; the verdict is the same whatever it is.

    Attributes
    ----------
    undecided : "fail", "warn" or "pass", default "fail"

    Raises
    ------
    InputError
        If it is another word.
    """

    undecided: Undecided = field(
        default="fail",
        metadata={"help": "what an undecided verdict does to its test: fail, warn or pass"},
    )

    def __post_init__(self) -> None:
        check_word(self.undecided, "undecided", get_args(Undecided))
