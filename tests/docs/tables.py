"""The tables of the README and of the site, made from what they tell of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_splitcheck.options import OPTIONS

__all__ = ["TABLES"]


def options() -> str:
    """Return the table of options."""
    rows = ["| keyword | ini key and flag | default | meaning |", "|---|---|---|---|"]
    for option in OPTIONS:
        keyword = f"`{option.name}`" if option.scope != "run" else "-"
        keyword += " (not of the marker)" if option.scope == "call" else ""
        keys = [option.ini] if option.in_ini else []
        rows.append(
            f"| {keyword} | {', '.join(f'`{one}`' for one in (*keys, *option.flags))} "
            f"| {option.shown_default} | {option.help} |"
        )
    return "\n".join(rows) + "\n"


TABLES: Final[dict[str, Callable[[], str]]] = {"options": options}
