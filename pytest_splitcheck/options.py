"""Every option, once: its ini key, command-line flag, marker keyword, default and help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any, Final, Literal, NamedTuple

from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.run_options import RunOptions
from pytest_splitcheck.verdict.policy import Policy
from pytest_splitcheck.verdict.thresholds import THRESHOLDS

__all__ = ["BY_NAME", "FLAG", "MARK", "OPTIONS", "PREFIX", "Option", "misspelt"]

MARK: Final = "splitcheck"
PREFIX: Final = "splitcheck_"
FLAG: Final = "--splitcheck-"

Kind = Literal["int", "float", "string", "args", "bool", "path"]

Scope = Literal["marker", "call", "run"]
"""Where an option can be set beside the command line and the ini file: by the marker and by a call of the
fixture, by a call alone, or, as it is the same for the whole run, nowhere."""


class Option(NamedTuple):
    """One option.

    Attributes
    ----------
    name : str
        The keyword of the marker and of the fixture; ``splitcheck_NAME`` in the ini file and
        ``--splitcheck-NAME``, with dashes, on the command line.
    kind : "int", "float", "string", "args", "bool" or "path"
        Type of the ini key; "args" is a list, on the command line split at commas and spaces. A "bool"
        has two flags, neither of which takes a value. A "path" counts from pytest's rootdir in the ini
        file, and on the command line from where pytest was called.
    default : object
    help : str
    scope : "marker", "call" or "run"
    in_ini : bool
        Whether there is an ini key.
    """

    name: str
    kind: Kind
    default: Any
    help: str
    scope: Scope = "marker"
    in_ini: bool = True

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
            if self.kind == "path":
                return "none"
            return "off" if self.name.startswith(("max_", "min_")) else "auto"
        if isinstance(self.default, tuple):
            return " ".join(map(str, self.default))
        if self.kind == "bool":
            return "on" if self.default else "off"
        return str(self.default)


def _kind(one: Field[Any]) -> Kind:
    if one.metadata.get("path"):
        return "path"
    if one.name in ("k", "detectors", "seeds"):
        return "args"
    if isinstance(one.default, bool):
        return "bool"
    if isinstance(one.default, str):
        return "string"
    return "int" if one.name in ("n_jobs", "min_positives") else "float"


def _scope(one: Field[Any]) -> Scope:
    if one in fields(RunOptions):
        return "run"
    return "call" if one.name in ("n_jobs", "memory") else "marker"


def _help(one: Field[Any]) -> str:
    before = {"max_": "largest ", "min_": "least "}.get(one.name[:4], "")
    behind = "; on the command line separated by commas" if _kind(one) == "args" else ""
    return before + str(one.metadata["help"]) + behind


OPTIONS: Final = tuple(
    Option(
        name=one.name,
        kind=_kind(one),
        default=one.default,
        help=_help(one),
        scope=_scope(one),
        in_ini=one.metadata.get("in_ini", True),
    )
    for one in (*THRESHOLDS, *fields(Policy), *fields(Protocol), *fields(RunOptions))
)

BY_NAME: Final = {option.name: option for option in OPTIONS}


def misspelt(what: str, name: str, known: Sequence[str]) -> str:
    """Return the message for an unknown name, with the nearest known one."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
    return f"splitcheck has no {what} {name}; {hint}"
