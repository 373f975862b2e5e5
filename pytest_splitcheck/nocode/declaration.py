"""What a file declares, checked as far as that goes without its data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.nocode.lines import key_lines
from pytest_splitcheck.nocode.schema import SCORES, TABLES, Key, contradiction
from pytest_splitcheck.options import misspelt
from pytest_splitcheck.report.text import escape

__all__ = ["Declaration", "read"]

_RECORDED: Final = "recorded"
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Declaration:
    """A benchmark in a file, before its data are read.

    Attributes
    ----------
    file : str
        Name of the file, for messages.
    tables : dict of dicts
        Values by table and key; "" is the table of the keys above the first one.
    lines : mapping
        Line of each (table, key) and each (table,), as far as known.
    """

    file: str
    tables: dict[str, dict[str, Any]]
    lines: Mapping[tuple[str, ...], int] = field(repr=False)

    def place(self, *key: str) -> str:
        """Return the file and the line of a table or a key; the file alone where the line is not known."""
        line = self.lines.get(key[1:] if key[0] == "" else key)
        return self.file if line is None else f"{self.file} line {line}"

    @property
    def settings(self) -> dict[str, Any]:
        """Limits and options by their names."""
        return {**self.tables["thresholds"], **self.tables["options"]}

    @property
    def sources(self) -> dict[str, str]:
        """Where each of `settings` stands."""
        return {
            name: self.place(table, name)
            for table in ("thresholds", "options")
            for name in self.tables[table]
        }

    @property
    def limit_lines(self) -> dict[str, int]:
        """The lines of the limits that the file sets, as far as known."""
        found = {name: self.lines.get(("thresholds", name)) for name in self.tables["thresholds"]}
        return {name: line for name, line in found.items() if line is not None}

    @property
    def first_line(self) -> int:
        """The line of the name or, without one, of the data; 1 where it is not known."""
        return self.lines.get(("name",)) or self.lines.get(("data",), 1)


def read(content: bytes, file: str) -> Declaration:
    """Read a declaration.

    Parameters
    ----------
    content : bytes
        UTF-8.
    file : str
        The name of the file, for messages.

    Raises
    ------
    InputError
        If it is no TOML, or says what a declaration does not: the message begins with file and line.
    """
    file = escape(file)
    try:
        text = content.decode("utf-8-sig")
        found = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{file} line {line}: this is not UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(_syntax(file, str(error), text)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} cannot be read: {error}.") from None
    tables: dict[str, dict[str, Any]] = {name: {} for name in (*TABLES, _RECORDED)}
    declaration = Declaration(file, tables, key_lines(text))
    for name, value in found.items():
        if name not in tables or not name:
            tables[""][name] = value
        elif isinstance(value, dict):
            tables[name].update(value)
        else:
            raise InputError(
                f"{declaration.place(name)}: {name} is a table; write [{name}] on a line of its own, and "
                "its keys below."
            )
    _check(declaration, has_train="train" in found)
    return declaration


def _syntax(file: str, told: str, text: str) -> str:
    """Return the message of the parser, with the line where our other messages have it."""
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", told)
    if place is None:
        return f"{file}: {told}."
    line = place[1] or str(len(text.splitlines()) or 1)
    where = f", column {place[2]}" if place[2] else ", at the end of the file"
    return f"{file} line {line}{where}: {told[: place.start()]}."


def _check(declaration: Declaration, has_train: bool) -> None:
    for table, keys in TABLES.items():
        for name, value in declaration.tables[table].items():
            key = next((key for key in keys if key.name == name), None)
            if key is None:
                raise InputError(f"{declaration.place(table, name)}: {_unknown(table, name)}")
            _check_kind(declaration, table, key, value)
    for name, value in declaration.tables[_RECORDED].items():
        _check_kind(declaration, _RECORDED, Key(name, SCORES, ""), value)
    for table in ("data", *(["train"] if has_train else [])):
        wrong = contradiction(declaration.tables[table], table)
        if wrong:
            raise InputError(f"{declaration.place(table)}: {wrong}.")


def _check_kind(declaration: Declaration, table: str, key: Key, value: Any) -> None:
    if key.kind.takes(value):
        return
    shown = repr(value)
    shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."
    meant = f" It is: {key.help}." if key.help else ""
    raise InputError(
        f"{declaration.place(table, key.name)}: {escape(key.name)} must be {key.kind.told}; got {shown}."
        f"{meant}"
    )


def _unknown(table: str, name: str) -> str:
    """Return the message for a key that a table does not have: where it belongs, or what is near."""
    homes = [home for home, keys in TABLES.items() if name in [key.name for key in keys]]
    if homes:
        place = f"below [{homes[0]}]" if homes[0] else "above the first [table]"
        return (
            f"{name} does not belong {f'below [{table}]' if table else 'here'}; write it {place}."
        )
    known = [key.name for key in TABLES[table]]
    if not table:
        known += [f"[{home}]" for home in (*TABLES, _RECORDED) if home]
    return misspelt(f"[{table}] key" if table else "key", escape(name), known)
