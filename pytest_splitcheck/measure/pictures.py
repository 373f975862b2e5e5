"""What the figures draw beyond the report's own figures."""

from __future__ import annotations

from typing import Any, Literal

from pytest_splitcheck.measure.results import Report

__all__ = ["pictures"]


def pictures(report: Report, *, embedding: Literal["pca", "tsne"]) -> dict[str, Any]:
    """Return what the figures draw beyond the report's own figures, as plain data.

    Parameters
    ----------
    report : Report
        Fresh from a measurement.
    embedding : "pca" or "tsne"

    Returns
    -------
    dict
        ``scores``, ``embedding`` and ``thumbnails``; each may be None.
    """
    return {"scores": None, "embedding": None, "thumbnails": None}
