"""Every option, once: its ini key, command-line flag, marker keyword, default and help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.verdict.thresholds import LIMITS

__all__ = ["BY_NAME", "FLAG", "MARK", "OPTIONS", "PREFIX", "Option", "misspelt"]

MARK: Final = "splitcheck"
PREFIX: Final = "splitcheck_"
FLAG: Final = "--splitcheck-"

Kind = Literal["int", "float", "string", "args"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option.

    Attributes
    ----------
    name : str
        The keyword of the marker and of the fixture; ``splitcheck_NAME`` in the ini file and
        ``--splitcheck-NAME``, with dashes, on the command line.
    kind : "int", "float", "string" or "args"
        Type of the ini key; "args" is a list, on the command line split at commas and spaces.
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
    def dest(self) -> str:
        """The attribute of pytest's option namespace."""
        return PREFIX + self.name

    @property
    def shown_default(self) -> str:
        """The default as text."""
        if self.default is None:
            return "off" if self.name.startswith(("max_", "min_")) else "auto"
        if self.kind == "args":
            return " ".join(map(str, self.default))
        return str(self.default)


def _kind(name: str) -> Kind:
    if name in ("detectors", "seeds"):
        return "args"
    if name in ("neighbors", "sampling", "advice"):
        return "string"
    return "int" if name in ("k", "n_jobs", "min_positives") else "float"


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
    for one in (*LIMITS, *fields(Protocol))
)

BY_NAME: Final = {option.name: option for option in OPTIONS}


def misspelt(what: str, name: str, known: Sequence[str]) -> str:
    """Return the message for an unknown name, with the nearest known one."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
    return f"splitcheck has no {what} {name}; {hint}"
