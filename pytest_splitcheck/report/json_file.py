"""The records of a run as JSON, by a schema that is shipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_splitcheck.report.plain_json import plain_json

__all__ = ["SCHEMA", "json_file"]

SCHEMA: Final = "pytest-splitcheck/1"
"""The version of the format; ``schema/splitcheck-1.json`` describes it."""

_LEFT_OUT: Final = ("pictures", "declared")
"""Parts of a record that serve other reports."""


def json_file(
    records: Sequence[dict[str, Any]],
    provenance: dict[str, str],
    errors: Sequence[dict[str, Any]] = (),
) -> str:
    """Return the content of the file: ASCII, the same for the same records.

    Parameters
    ----------
    records : sequence of dict
        In order.
    provenance : dict
        Versions.
    errors : sequence of dict, optional
        What could not be measured, in order.
    """
    content = {
        "schema": SCHEMA,
        "versions": provenance,
        "benchmarks": [
            {name: part for name, part in record.items() if name not in _LEFT_OUT}
            for record in records
        ],
        "errors": list(errors),
    }
    return plain_json(content)
