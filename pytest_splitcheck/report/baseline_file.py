"""The baseline's file, which people merge and edit: checked word by word when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NoReturn

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.report.baseline import SCHEMA, Recorded
from pytest_splitcheck.report.text import escape
from pytest_splitcheck.verdict.baseline import FIGURES

__all__ = ["read_baseline"]


def read_baseline(path: Path, shown: str) -> Recorded:
    """Return what a file has recorded.

    Parameters
    ----------
    path : Path
    shown : str
        What it is called in messages.

    Raises
    ------
    InputError
        If it is damaged, with the line.
    OSError
        If it cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        content = json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise InputError(f"{shown}, line {error.lineno}: {error.msg}.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{shown}: {error}.") from None
    version = content.get("schema") if isinstance(content, dict) else None
    if version != SCHEMA:
        raise InputError(
            f'{shown} is no baseline of this version, which begins with "schema": "{SCHEMA}".'
        )
    benchmarks = content.get("benchmarks")
    if not isinstance(benchmarks, dict) or set(content) != {"schema", "benchmarks"}:
        raise InputError(f'{shown} must have "benchmarks", and nothing else beside "schema".')
    for title, entries in benchmarks.items():
        if complaint := _complaint(entries):
            line = text[: max(0, text.find(json.dumps(title)))].count("\n") + 1
            raise InputError(f"{shown}, line {line}: {escape(title)}: {complaint}.")
    return benchmarks


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{escape(name)} is there twice")
        found[name] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no figure")


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _are_names(value: object) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(name, str) for name in value)
        and len(value) == len(set(value))
    )


def _are_detectors(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(seeds, list) and all(type(seed) is int for seed in seeds)
        for seeds in value.values()
    )


def _is_interval(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(map(_is_share, value))
        and value[0] <= value[1]
    )


_MEMBERS: Final = {
    "m": (_is_count, "a whole number from 1"),
    "k": (_is_count, "a whole number from 1"),
    "classes": (_are_names, "a list of distinct names"),
    "fingerprint": (lambda value: isinstance(value, str), "text"),
    "epsilon": (_is_share, "a number from 0 to 1"),
    "neighbors": (lambda value: value in ("exact", "approximate"), "exact or approximate"),
    "detectors": (_are_detectors, "an object from names to lists of seeds"),
    **dict.fromkeys(
        FIGURES, (lambda value: value is None or _is_share(value), "a number from 0 to 1, or null")
    ),
    "leakage": (_is_share, "a number from 0 to 1"),
    "leakage_interval": (
        lambda value: value is None or _is_interval(value),
        "two numbers from 0 to 1 in order, or null",
    ),
}


def _complaint(entries: object) -> str:
    if not isinstance(entries, list) or not entries:
        return "must be a list of one entry or more"
    for entry in entries:
        if not isinstance(entry, dict):
            return "an entry must be an object"
        for name in entry:
            if name not in _MEMBERS:
                return f"there is no {escape(name)}"
        for name, (fits, wanted) in _MEMBERS.items():
            if name not in entry:
                return f"{name} is missing"
            if not fits(entry[name]):
                return f"{name} must be {wanted}"
    return ""
