"""The marker in pytest: what it stands for, and the fixtures that it names."""

from __future__ import annotations

import inspect
from types import FunctionType, MethodType
from typing import Any

import pytest

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.options import MARK, OPTIONS, misspelt
from pytest_splitcheck.settings import Settings

__all__ = ["benchmarks", "check_markers", "marker_line", "use_benchmarks"]


def marker_line() -> str:
    """Return the marker's line for ``pytest --markers``."""
    keywords = ", ".join(o.name for o in OPTIONS if o.scope == "marker")
    return (
        f"splitcheck(*benchmarks, {keywords}): fail this test before it runs if a benchmark, "
        "named by its fixture, is ill posed; without a name, set limits for the splitcheck fixture."
    )


_MARKED = (type, FunctionType, MethodType, staticmethod, classmethod, pytest.Collector)
"""What can bear a marker."""


def use_benchmarks(thing: Any) -> None:
    """Make a function, a class with its methods, or a module use the benchmarks that its markers name.

    What pytest's own ``usefixtures`` marker does: it sets the fixtures up, also in their parameters.
    """
    # By type(), which runs no code of the object's own: a proxy may raise whatever it is asked.
    if not issubclass(type(thing), _MARKED):
        return
    holders = [thing]
    if isinstance(thing, type):
        members = [member for base in thing.__mro__ for member in vars(base).values()]
        holders += [member for member in members if inspect.isfunction(member)]
    for holder in holders:
        marks = _own_marks(holder)
        named = {n for mark in marks if mark.name == MARK for n in mark.args if isinstance(n, str)}
        used = {n for mark in marks if mark.name == "usefixtures" for n in mark.args}
        if not named - used:
            continue
        using = pytest.mark.usefixtures(*sorted(named - used))
        if isinstance(holder, pytest.Collector):
            holder.add_marker(using)
        else:
            using(getattr(holder, "__func__", holder))


def benchmarks(item: pytest.Item) -> list[str]:
    """Return the fixtures that the markers of a test name, the closest first, each once; none if unittest skips it."""
    if not isinstance(item, pytest.Function) or getattr(item.obj, "__unittest_skip__", False):
        return []
    names = [name for mark in item.iter_markers(MARK) for name in mark.args]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def check_markers(item: pytest.Item, settings: Settings) -> None:
    """Refuse markers that would check nothing, or not what was meant.

    Raises
    ------
    InputError
        With the nearest name for a misspelt keyword.
    """
    known = [option.name for option in OPTIONS if option.scope == "marker"]
    is_test = isinstance(item, pytest.Function)
    fixtures = item.fixturenames if isinstance(item, pytest.Function) else []
    for node, mark in item.iter_markers_with_node(MARK):
        if node is not item and not is_test:
            continue  # a doctest below the marker of its module
        for name in mark.kwargs:
            if name not in known:
                raise InputError(f"@pytest.mark.{MARK}: {misspelt('keyword', name, known)}")
        for name in mark.args:
            if not isinstance(name, str):
                raise InputError(
                    f"@pytest.mark.{MARK}: a benchmark goes by the name of its fixture; got {name!r}."
                )
            if name not in fixtures:
                raise InputError(
                    f"@pytest.mark.{MARK}({name!r}): a test of this kind takes no fixtures, or the "
                    "marker came after pytest had set them. Put it on a test function, its class or "
                    "its module."
                )
        used = benchmarks(item) or {MARK, "request"} & set(fixtures)
        checks = used or getattr(item, "checks_itself", False)
        if node is item and not mark.args and not checks:
            raise InputError(
                f"@pytest.mark.{MARK} checks nothing: name a benchmark's fixture in it, or let the "
                "test use the splitcheck fixture."
            )
        for name in mark.args or (None,):
            settings.of_item(item, name)


def _own_marks(holder: Any) -> list[pytest.Mark]:
    if isinstance(holder, pytest.Collector):
        return holder.own_markers
    places = holder.__mro__ if isinstance(holder, type) else (getattr(holder, "__func__", holder),)
    found: list[pytest.Mark] = []
    for place in places:
        marks = getattr(place, "__dict__", {}).get("pytestmark", [])
        for mark in marks if isinstance(marks, list) else [marks]:
            if isinstance(mark, pytest.Mark | pytest.MarkDecorator):
                found.append(mark if isinstance(mark, pytest.Mark) else mark.mark)
    return found
