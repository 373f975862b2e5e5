"""JSON to be read and compared by people too."""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = ["plain_json"]

_WIDTH: Final = 100


def plain_json(value: Any) -> str:
    """Return plain data as JSON in ASCII: what fits goes on one line, the rest one member a line.

    Raises
    ------
    ValueError
        If there is a number in it that JSON does not have, such as NaN.
    """
    return _laid_out(value, "", "") + "\n"


def _laid_out(value: Any, indent: str, before: str) -> str:
    line = json.dumps(value, allow_nan=False)
    if not value or not isinstance(value, dict | list):
        return line
    if len(indent) + len(before) + len(line) < _WIDTH:
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        parts = [deeper + _laid_out(one, deeper, "") for one in value]
        return "[\n" + ",\n".join(parts) + f"\n{indent}]"
    parts = []
    for name, one in value.items():
        key = f"{json.dumps(name)}: "
        parts.append(deeper + key + _laid_out(one, deeper, key))
    return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
