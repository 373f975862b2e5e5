"""On which line each key of a TOML file stands, which the parser of Python's own does not tell."""

from __future__ import annotations

import contextlib
import re
import tomllib
from typing import Any, Final

__all__ = ["key_lines"]

Key = tuple[str, ...]

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_PART: Final = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_DOT: Final = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS: Final = re.compile(r"[ \t]*=[ \t]*")
_STRING: Final = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'''', re.DOTALL
)
_BARE: Final = re.compile(r"[^\s,\]}#][^,\]}#\n]*")


def key_lines(text: str) -> dict[Key, int]:
    """Return the line, from 1, on which each key and each table of a document first stands.

    Parameters
    ----------
    text : str
        A document that `tomllib` can parse.

    Returns
    -------
    dict from tuple of str to int
        ``("data", "file")`` for the key ``file`` of the table ``data``, however it is written. A key that
        is not found, or that a reading of the document by the parser does not have, is left out.
    """
    text = text.replace("\r\n", "\n")
    scanner = _Scanner(text)
    with contextlib.suppress(_LostError):  # what was found before is right all the same
        scanner.document()
    known = tomllib.loads(text)
    return {key: line for key, line in scanner.lines.items() if _has(known, key)}


class _LostError(Exception):
    """Something stands where the scanner does not expect it."""


class _Scanner:
    """Walks through a document that is known to be valid."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Key, int] = {}

    def document(self) -> None:
        """Note the keys of all tables."""
        table: Key = ()
        while self._blank() < len(self.text):
            if self.text[self.at] == "[":
                self.at += 2 if self.text.startswith("[[", self.at) else 1
                self._take(re.compile(r"[ \t]*"))
                table = self._key(())
                self._take(re.compile(r"[ \t]*\]{1,2}"))
            else:
                self._pair(table)

    def _pair(self, table: Key) -> None:
        key = self._key(table)
        self._take(_EQUALS)
        self._value(key)

    def _key(self, table: Key) -> Key:
        """Read a key, dotted or not, and note it with the tables that it makes."""
        line = self.text.count("\n", 0, self.at) + 1
        key = table
        while True:
            part = self._take(_PART)
            key += (part if part[0] not in "\"'" else tomllib.loads(f"k={part}")["k"],)
            self.lines.setdefault(key, line)
            if not _DOT.match(self.text, self.at):
                return key
            self._take(_DOT)

    def _value(self, key: Key) -> None:
        char = self.text[self.at : self.at + 1]
        if char in ("[", "{"):
            self._members(key, char)
        else:
            self._take(_STRING if char in ('"', "'") else _BARE)

    def _members(self, key: Key, opening: str) -> None:
        """Read an array, in which keys have no place of their own, or an inline table."""
        closing = {"[": "]", "{": "}"}[opening]
        self.at += 1
        while self._blank() < len(self.text) and self.text[self.at] != closing:
            if self.text[self.at] == ",":
                self.at += 1
            elif opening == "{":
                self._pair(key)
            else:
                self._value((*key, "[]"))
        self._take(re.compile(re.escape(closing)))

    def _blank(self) -> int:
        """Go to what is neither space nor comment."""
        self._take(_BLANK)
        return self.at

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _LostError
        self.at = found.end()
        return found.group()


def _has(table: Any, key: Key) -> bool:
    for part in key:
        if not isinstance(table, dict) or part not in table:
            return False
        table = table[part]
    return True
