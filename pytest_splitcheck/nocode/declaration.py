"""What a file declares, checked as far as that goes without its data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.nocode.lines import key_lines
from pytest_splitcheck.nocode.schema import NUMBER, SCORES, TABLES, Key, contradiction
from pytest_splitcheck.options import misspelt
from pytest_splitcheck.report.text import escape

__all__ = ["Declaration", "read"]

_RECORDED: Final = "recorded"
_LONGEST: Final = 60

_KEY: Final = re.compile(r"[ \t]*([^\s=\[#][^=#]*?)[ \t]*=")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]*[.]?[0-9]+")


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
        If it is no TOML, or says what a declaration does not: a line for each fault, which begins with file and
        line.
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
    if told.startswith("Cannot overwrite a value"):
        return _twice(file, int(line), text.splitlines())
    where = f", column {place[2]}" if place[2] else ", at the end of the file"
    return f"{file} line {line}{where}: {told[: place.start()]}."


def _twice(file: str, line: int, lines: Sequence[str]) -> str:
    """Return the message for a key whose second value ends on `line`; a value may have several lines."""
    keys = [_KEY.match(one) for one in lines[:line]]
    at = max((number for number, key in enumerate(keys) if key), default=None)
    if at is None:
        return f"{file} line {line}: a key has a value already."
    name = keys[at][1]  # type: ignore[index]
    table = max((number for number in range(at) if lines[number].startswith("[")), default=0)
    before = [number + 1 for number in range(table, at) if (key := keys[number]) and key[1] == name]
    where = f", in line {before[-1]}" if before else ""
    return f"{file} line {at + 1}: {escape(name)} has a value already{where}; leave one of them."


def _check(declaration: Declaration, has_train: bool) -> None:
    wrong = [
        f"{declaration.place(table, name)}: {told}"
        for table in (*TABLES, _RECORDED)
        for name, value in declaration.tables[table].items()
        if (told := _complaint(table, name, value))
    ]
    if not wrong:  # else it may follow from those
        wrong = [
            f"{declaration.place(table)}: {both}."
            for table in ("data", *(["train"] if has_train else []))
            if (both := contradiction(declaration.tables[table], table))
        ]
    if wrong:
        raise InputError("\n".join(wrong))


def _complaint(table: str, name: str, value: Any) -> str:
    """Return what is wrong with a key and its value; nothing if they are right."""
    keys = (Key(name, SCORES, ""),) if table == _RECORDED else TABLES[table]
    key = next((key for key in keys if key.name == name), None)
    if key is None:
        return _unknown(table, name)
    if key.kind.takes(value):
        return ""
    shown = repr(value)
    shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."
    quoted = key.kind is NUMBER and isinstance(value, str) and _DECIMAL.fullmatch(value)
    meant = " Write it without quotes." if quoted else f" It is: {key.help}." if key.help else ""
    return f"{escape(name)} must be {key.kind.told}; got {shown}.{meant}"


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
