"""Lines of a TOML file, for those who declare their benchmarks there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_splitcheck.text import is_plain

__all__ = ["toml_lines"]


def toml_lines(values: Mapping[str, Any]) -> list[str]:
    """Return a line for each key (TOML 1.0): printable whatever is in it, and the same value when it is read.

    Parameters
    ----------
    values : mapping from str to value
        Keys that need no quotes; plain text, numbers, booleans and lists of these.
    """
    return [f"{name} = {_written(value)}" for name, value in values.items()]


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str):
        return f'"{"".join(map(_character, value))}"'
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _character(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if is_plain(char):
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 1 << 16 else f"\\U{ord(char):08x}"
