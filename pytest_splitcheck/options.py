"""Every option, once: its ini key, command-line flag, marker keyword, default and help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.verdict.policy import Policy
from pytest_splitcheck.verdict.thresholds import THRESHOLDS

__all__ = ["BY_NAME", "FLAG", "MARK", "OPTIONS", "PREFIX", "Option", "misspelt"]

MARK: Final = "splitcheck"
PREFIX: Final = "splitcheck_"
FLAG: Final = "--splitcheck-"

Kind = Literal["int", "float", "string", "args", "bool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option.

    Attributes
    ----------
    name : str
        The keyword of the marker and of the fixture; ``splitcheck_NAME`` in the ini file and
        ``--splitcheck-NAME``, with dashes, on the command line.
    kind : "int", "float", "string", "args" or "bool"
        Type of the ini key; "args" is a list, on the command line split at commas and spaces. A "bool"
        has two flags, neither of which takes a value.
    default : object
    help : str
    on_marker : bool
        Whether the marker takes it too; the fixture takes every option.
    """

    name: str
    kind: Kind
    default: Any
    help: str
    on_marker: bool = True

    @property
    def ini(self) -> str:
        """The ini key."""
        return PREFIX + self.name

    @property
    def flag(self) -> str:
        """The command-line flag."""
        return FLAG + self.name.replace("_", "-")

    @property
    def flags(self) -> tuple[str, ...]:
        """All flags: that one and, of a "bool", the one that says no."""
        return (
            (self.flag, self.flag.replace(FLAG, FLAG + "no-"))
            if self.kind == "bool"
            else (self.flag,)
        )

    @property
    def dest(self) -> str:
        """The attribute of pytest's option namespace."""
        return PREFIX + self.name

    @property
    def shown_default(self) -> str:
        """The default as text."""
        if self.default is None:
            return "off" if self.name.startswith(("max_", "min_")) else "auto"
        if isinstance(self.default, tuple):
            return " ".join(map(str, self.default))
        if self.kind == "bool":
            return "on" if self.default else "off"
        return str(self.default)


def _kind(name: str) -> Kind:
    if name in ("k", "detectors", "seeds"):
        return "args"
    if name in ("neighbors", "sampling", "undecided", "advice"):
        return "string"
    if name == "confident":
        return "bool"
    return "int" if name in ("n_jobs", "min_positives") else "float"


OPTIONS: Final = tuple(
    Option(
        name=one.name,
        kind=_kind(one.name),
        default=one.default,
        help=("largest " if one.name[:4] == "max_" else "least " if one.name[:4] == "min_" else "")
        + one.metadata["help"]
        + ("; on the command line separated by commas" if _kind(one.name) == "args" else ""),
        on_marker=one.name not in ("n_jobs", "memory"),
    )
    for one in (*THRESHOLDS, *fields(Policy), *fields(Protocol))
)

BY_NAME: Final = {option.name: option for option in OPTIONS}


def misspelt(what: str, name: str, known: Sequence[str]) -> str:
    """Return the message for an unknown name, with the nearest known one."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
    return f"splitcheck has no {what} {name}; {hint}"
