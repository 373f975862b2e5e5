"""The benchmarks that the markers of a test name: all are checked, and the test fails once."""

from __future__ import annotations

from collections.abc import Iterable
from unittest import SkipTest

import pytest

from pytest_splitcheck.errors import OUR_ERRORS, InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.session.checks import check
from pytest_splitcheck.settings import Settings
from pytest_splitcheck.text import escape

__all__ = ["check_preconditions"]

_NO_FAILURES = (pytest.skip.Exception, pytest.xfail.Exception, SkipTest)
"""What an author's code raises where it cannot run, or is known not to."""


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
    BaseException
        The first of the gravest kind: what an author's code raised, InputError, IllPosedSplit,
        UndecidedSplit, a warning of ours, a skip or an expected failure of pytest's. So a test that is
        expected to fail by one of them does not pass for a graver reason, and no skip hides a failure.
    """
    errors: list[tuple[str, BaseException]] = []
    for name in names:
        try:
            check(item, item.funcargs[name], settings.of_item(item, name), name)  # type: ignore[attr-defined]
        except pytest.exit.Exception:
            raise
        except (Exception, pytest.skip.Exception, pytest.fail.Exception) as error:
            errors.append((name, error))
    if errors:
        raise _told_together(sorted(errors, key=lambda pair: _gravity(pair[1])))


def _gravity(error: BaseException) -> int:
    """Return the place of an error among those of one test, the gravest first."""
    from pytest_splitcheck.verdict.failures import IllPosedSplit

    if isinstance(error, _NO_FAILURES):
        return 5
    if not isinstance(error, OUR_ERRORS):
        return 0
    if isinstance(error, InputError):
        return 1
    if isinstance(error, IllPosedSplit):
        return 2
    return 4 if isinstance(error, Warning) else 3


def _told_together(errors: list[tuple[str, BaseException]]) -> BaseException:
    """Return the first error, which tells of the others too: their reasons in brief, and then in full."""
    (name, first), *others = errors
    if isinstance(first, _NO_FAILURES):
        return first
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


def _message(name: str, error: BaseException) -> str:
    """Return what an error says, with the name of the benchmark, which that of a verdict has in it."""
    if isinstance(error, InputError):
        told = str(error)
        return told if told.startswith(f"{name}:") else f"{name}: {told}"
    if isinstance(error, OUR_ERRORS):
        return str(error)
    try:
        head = str(error).partition("\n")[0]
    except Exception:  # an author's class may not say what it is
        head = "what it says cannot be shown."
    return f"{name}: {type(error).__name__}: {escape(head)}"
