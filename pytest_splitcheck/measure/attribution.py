"""Whose fault it is that a detector does not rank a class: the geometry's, or its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from pytest_splitcheck.measure.results import DetectorResult, Fault

__all__ = ["attribute"]


def attribute(
    results: Iterable[DetectorResult], geometry: DetectorResult | None
) -> dict[str, dict[Hashable, Fault]]:
    """Return, for each detector, whose fault each class is that it inverts or puts near random.

    Parameters
    ----------
    results : iterable of DetectorResult
    geometry : DetectorResult or None
        Of geometry alone; nothing is attributed without it.

    Returns
    -------
    dict from detector to dict from class
        ``"geometry"`` where geometry alone inverts the class or puts it near random too, ``"detector"``
        where the interval of AUC_geo is above 1/2, ``"open"`` where neither is known. A detector without such a class
        has an empty dictionary.
    """
    if geometry is None:
        return {}
    return {
        result.name: {
            label: _fault(geometry, label) for label, way in result.direction.items() if way != 1
        }
        for result in results
    }


def _fault(geometry: DetectorResult, label: Hashable) -> Fault:
    if label in geometry.no_ranking:
        return "open"
    if geometry.direction[label] != 1:
        return "geometry"
    return "detector" if geometry.resolved[label] == 1 else "open"
