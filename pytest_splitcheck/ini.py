"""What pytest's configuration files and ``-o`` say of our options, and where."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from iniconfig import IniConfig

from pytest_splitcheck.options import OPTIONS, PREFIX, Option, misspelt

__all__ = ["check_ini_keys", "ini_source", "ini_value"]


def ini_value(config: pytest.Config, option: Option) -> Any:
    """Return the value of an ini key, or None; a list as pytest has it, or as TOML does.

    Where TOML has its types, pytest takes a list of strings for a list, and neither a number nor numbers.

    Raises
    ------
    pytest.UsageError
        If it is of another type.
    """
    if not option.in_ini:
        return None
    try:
        return config.getini(option.ini)
    except (TypeError, ValueError, pytest.UsageError) as error:
        path = config.inipath
        if option.kind == "args" and path is not None and path.suffix == ".toml":
            native = _toml_table(path).get(option.ini)
            if native is not None:
                return native
        told = str(error)
        if found := re.search(r"(?:to float|base 10): ('.*')$", told):
            what = "a whole number" if option.kind == "int" else "a number"
            told = f"{option.name} must be {what}; got {found[1]}."
        raise pytest.UsageError(f"{ini_source(config, option)}: {told}") from None


def ini_source(config: pytest.Config, option: Option) -> str:
    """Return where an ini key was set, for messages."""
    if any(
        str(o).partition("=")[0].strip() == option.ini
        for o in config.getoption("override_ini") or []
    ):
        return f"-o {option.ini}"
    place = "the ini file" if config.inipath is None else config.inipath.name
    return f"{place} {option.ini}"


def check_ini_keys(config: pytest.Config) -> None:
    """Refuse a misspelt ``splitcheck_...`` key, of which pytest itself only warns.

    Raises
    ------
    pytest.UsageError
    """
    known = [option.ini for option in OPTIONS if option.in_ini]
    keys = [
        ("-o", str(o).partition("=")[0].strip()) for o in config.getoption("override_ini") or []
    ]
    if config.inipath is not None:
        keys += [(config.inipath.name, key) for key in _ini_keys(config.inipath)]
    for place, key in keys:
        if key.startswith(PREFIX) and key not in known:
            raise pytest.UsageError(f"{place}: {misspelt('ini key', key, known)}")


def _ini_keys(path: Path) -> list[str]:
    """Return the keys of pytest's section of a file that pytest has read before."""
    if path.suffix != ".toml":
        sections = IniConfig(path).sections
        return list(sections.get("tool:pytest" if path.suffix == ".cfg" else "pytest", {}))
    if PREFIX not in path.read_text(encoding="utf-8"):
        return []  # to parse a long file again takes milliseconds of every start of pytest
    table = _toml_table(path)
    return [*table, *table.get("ini_options", {})]


def _toml_table(path: Path) -> dict[str, Any]:
    """Return pytest's own table of a TOML file that pytest has read before."""
    import tomllib

    content = tomllib.loads(path.read_text(encoding="utf-8"))
    table: dict[str, Any] = content.get("tool", {}).get("pytest") or content.get("pytest", {})
    return table
