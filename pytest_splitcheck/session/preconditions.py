"""The benchmarks that the markers of a test name: all are checked, and the test fails once."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_splitcheck.errors import OUR_ERRORS, InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.session.checks import check
from pytest_splitcheck.settings import Settings
from pytest_splitcheck.text import escape

__all__ = ["check_preconditions"]


def check_preconditions(item: pytest.Item, settings: Settings, names: Iterable[str]) -> None:
    """Check every benchmark that the markers of a test name, and raise once what is the worst.

    None hides what another has to say: each is measured and recorded, and the message of the error has
    those of the others below its own.

    Parameters
    ----------
    item : pytest.Item
    settings : Settings
        Of the run.
    names : iterable of str
        Of the fixtures that return the benchmarks.

    Raises
    ------
    Exception
        The first of the gravest kind: what an author's code raised, InputError, IllPosedSplit,
        UndecidedSplit, a warning of ours. So a test that is expected to fail by one of them does not
        pass for a graver reason.
    """
    errors: list[tuple[str, Exception]] = []
    for name in names:
        try:
            check(item, item.funcargs[name], settings.of_item(item, name), name)  # type: ignore[attr-defined]
        except Exception as error:
            errors.append((name, error))
    if errors:
        raise _told_together(sorted(errors, key=lambda pair: _gravity(pair[1])))


def _gravity(error: Exception) -> int:
    """Return the place of an error among those of one test, the gravest first."""
    from pytest_splitcheck.verdict.failures import IllPosedSplit

    if not isinstance(error, OUR_ERRORS):
        return 0
    if isinstance(error, InputError):
        return 1
    if isinstance(error, IllPosedSplit):
        return 2
    return 4 if isinstance(error, Warning) else 3


def _told_together(errors: list[tuple[str, Exception]]) -> Exception:
    """Return the first error, which tells of the others too: their reasons in brief, and then in full."""
    (name, first), *others = errors
    messages = [_message(*other) for other in others]
    brief = [f"also {message.partition(chr(10))[0]}" for message in messages]
    full = [f"\n{message}" for message in messages if "\n" in message]
    if not isinstance(first, OUR_ERRORS):  # whose message is its author's
        for text in brief + full:
            first.add_note(text)
        return first
    head, *rest = _message(name, first).split("\n")
    first.args = ("\n".join([head, *brief, *rest, *full]), *first.args[1:])
    return first


def _message(name: str, error: Exception) -> str:
    """Return what an error says, with the name of the benchmark, which that of a verdict has in it."""
    if not isinstance(error, OUR_ERRORS):
        head = str(error).partition("\n")[0]
        return f"{name}: {type(error).__name__}: {escape(head)}"
    told = str(error)
    unnamed = isinstance(error, InputError) and not told.startswith(name)
    return f"{name}: {told}" if unnamed else told
