"""Options in pytest: registered, read from every source, resolved by precedence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_splitcheck.errors import InputError, UnknownKeyword
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.ini import check_ini_keys, ini_source, ini_value
from pytest_splitcheck.measure.protocol import Protocol
from pytest_splitcheck.options import BY_NAME, FLAG, MARK, OPTIONS, Option, misspelt
from pytest_splitcheck.run_options import RunOptions
from pytest_splitcheck.verdict.policy import Policy
from pytest_splitcheck.verdict.thresholds import LIMITS, THRESHOLDS, Thresholds

__all__ = [
    "Setting",
    "Settings",
    "add_options",
    "check_flags",
]


_METAVAR = {"int": "N", "float": "X", "string": "WORD", "args": "LIST", "path": "PATH"}


class Setting(NamedTuple):
    """A value and where it came from."""

    value: Any
    source: str


class Settings(NamedTuple):
    """Every option resolved to a value and its source.

    Attributes
    ----------
    values : mapping of str to Setting
    """

    values: Mapping[str, Setting]

    @classmethod
    def from_config(cls, config: pytest.Config) -> Settings:
        """Resolve the command line, the ini file and the defaults, in this order.

        Raises
        ------
        pytest.UsageError
            If a value is of the wrong type or out of range, or an ini key is misspelt.
        """
        check_ini_keys(config)
        try:
            config.get_verbosity(MARK)
        except ValueError as error:
            raise pytest.UsageError(f"verbosity_splitcheck: {error}") from None
        settings = cls({o.name: Setting(o.default, "default") for o in OPTIONS})
        ini: dict[str, Any] = {}
        flags: dict[str, Any] = {}
        for option in OPTIONS:
            value = ini_value(config, option)
            if value is not None:
                source = ini_source(config, option)
                ini[option.name] = _whole(option, value, source, config.rootpath)
            flag = config.getoption(option.dest)
            if flag is not None:
                place = config.invocation_params.dir
                flags[option.name] = _whole(option, flag, option.flag, place)
        try:
            settings = settings.override(
                ini, {name: ini_source(config, BY_NAME[name]) for name in ini}
            )
            settings = settings.override(flags, {name: BY_NAME[name].flag for name in flags})
        except InputError as error:
            raise pytest.UsageError(str(error)) from None
        if settings.values["update_baseline"].value and settings.values["baseline"].value is None:
            flag, baseline = BY_NAME["update_baseline"].flag, BY_NAME["baseline"]
            raise pytest.UsageError(
                f"{flag}: there is no baseline to update; give its path by {baseline.flag} or {baseline.ini}."
            )
        return settings

    def override(self, values: Mapping[str, Any], sources: Mapping[str, str]) -> Settings:
        """Return settings in which `values` take precedence, checked.

        Raises
        ------
        InputError
            If a value is of the wrong type or out of range; the message begins with its source.
        """
        changed = dict(self.values)
        for name, value in values.items():
            changed[name] = Setting(value, sources[name])
            try:
                _check(name, value)
            except InputError as error:
                raise InputError(f"{sources[name]}: {error}") from None
        return Settings(changed)

    def of_item(self, item: pytest.Item, benchmark: str | None = None) -> Settings:
        """Return the settings under the markers of a test, the closest first.

        Those are the markers that name `benchmark` and those that name none; on one function, class or
        module the former take precedence.
        """
        marks = [
            (node, mark)
            for node, mark in item.iter_markers_with_node(MARK)
            if not mark.args or benchmark in mark.args
        ]
        nodes = item.listchain()
        marks.reverse()
        marks.sort(key=lambda pair: (nodes.index(pair[0]), bool(pair[1].args)))
        settings = self
        for node, mark in marks:
            sources = dict.fromkeys(mark.kwargs, f"marker of {node.name}")
            settings = settings.override(mark.kwargs, sources)
        return settings

    def of_call(self, keywords: Mapping[str, Any]) -> Settings:
        """Return the settings under the keywords of a call of the fixture.

        Raises
        ------
        UnknownKeyword
            With the nearest keyword that exists.
        """
        known = [option.name for option in OPTIONS if option.scope != "run"]
        for name in keywords:
            if name not in known:
                raise UnknownKeyword(misspelt("keyword", name, known))
        return self.override(keywords, {name: f"{name}= in the call" for name in keywords})

    def thresholds(self) -> Thresholds:
        """Return the limits, with their sources."""
        return Thresholds(
            **{one.name: self.values[one.name].value for one in THRESHOLDS},
            sources={limit.name: self.values[limit.name].source for limit in LIMITS},
        )

    def policy(self) -> Policy:
        """Return what a check does about its verdict."""
        return Policy(**{one.name: self.values[one.name].value for one in fields(Policy)})

    def run_options(self) -> RunOptions:
        """Return what the run reads and writes beside its verdicts."""
        return RunOptions(**{one.name: self.values[one.name].value for one in fields(RunOptions)})

    def told(self) -> dict[str, dict[str, Any]]:
        """Return the value and the source of every option of a check, as plain data."""
        return {
            option.name: {
                "value": _plain(self.values[option.name].value),
                "source": self.values[option.name].source,
            }
            for option in OPTIONS
            if option.scope != "run"
        }

    def protocol(self) -> Protocol:
        """Return how to measure; workers of pytest-xdist share the cores."""
        chosen = {one.name: self.values[one.name].value for one in fields(Protocol)}
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        if chosen["n_jobs"] is None and workers > 1:
            chosen["n_jobs"] = max(1, Protocol().threads // workers)
        return Protocol(**chosen)


def add_options(parser: pytest.Parser) -> None:
    """Register every option with pytest, as an ini key and as a flag."""
    group = parser.getgroup("splitcheck", "ill-posed class-split benchmarks (pytest-splitcheck)")
    for option in OPTIONS:
        help = f"{option.help} (default: {option.shown_default})"
        if option.in_ini:
            kind = "string" if option.kind == "path" else option.kind
            parser.addini(option.ini, help, type=kind, default=None)
        if option.kind == "bool":
            yes, no = option.flags
            for flag, action, told in (
                (yes, "store_true", help),
                (no, "store_false", f"not {yes}"),
            ):
                group.addoption(flag, dest=option.dest, action=action, default=None, help=told)
            continue
        group.addoption(
            option.flag,
            dest=option.dest,
            default=None,
            type={"int": int, "float": float, "args": _listed}.get(option.kind, str),
            metavar=_METAVAR[option.kind],
            help=help,
        )
    parser.addini(
        "verbosity_splitcheck",
        "verbosity of the splitcheck section, in the place of -v and -q (default: auto)",
        default="auto",
    )


def check_flags(args: Iterable[str]) -> None:
    """Refuse a misspelt ``--splitcheck-...`` flag with the nearest one that exists.

    Raises
    ------
    pytest.UsageError
    """
    known = [flag for option in OPTIONS for flag in option.flags]
    for arg in args:
        flag = str(arg).partition("=")[0]
        if flag == "--":
            return
        if flag.startswith(FLAG) and flag not in known:
            raise pytest.UsageError(misspelt("option", flag, known))


def _check(name: str, value: Any) -> None:
    for home in (Thresholds, Policy, Protocol, RunOptions):
        if any(one.name == name for one in fields(home)):
            home(**{name: value})


def _plain(value: Any) -> Any:
    """Return the value of an option as plain data; detectors of the author's own go by their names."""
    if isinstance(value, str):
        return str(value)  # one of numpy's does not cross process borders
    if isinstance(value, Mapping):
        return list(map(str, value))
    if isinstance(value, Sequence):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else type(value).__name__


def _whole(option: Option, value: Any, source: str, place: Path) -> Any:
    """Turn the value of an ini key or flag into what is wanted: paths that count from `place`, lists."""
    if option.kind == "path":
        if str(value).lower() in ("true", "false"):
            raise pytest.UsageError(f"{source}: {option.name} must be a path; got {value}.")
        return Path(os.path.normpath(place / value)) if value else None
    if option.kind != "args":
        return value
    entries = _listed(",".join(map(str, value if isinstance(value, list) else [value])))
    if option.name == "detectors":
        return tuple(entries)
    try:
        numbers = tuple(int(one) for one in entries)
    except ValueError:
        raise pytest.UsageError(
            f"{source}: {option.name} must be whole numbers; got {' '.join(entries)!r}."
        ) from None
    return numbers[0] if option.name == "k" and len(numbers) == 1 else numbers


def _listed(text: str) -> list[str]:
    """Split the value of a list flag; an empty one gives an empty list."""
    return text.replace(",", " ").split()
