"""Figures held against those that were recorded of the same benchmark before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_splitcheck.verdict.finding import Finding, exceeds, plain

__all__ = [
    "DIGITS",
    "FIGURES",
    "LIMIT",
    "as_recorded",
    "better",
    "differences",
    "side_by_side",
    "worse",
]

LIMIT: Final = "baseline"
"""What goes for the name of the limit in findings."""

FIGURES: Final = ("leakage", "rho_dir", "rho_inv", "rho_rnd", "rho_dir_geo")
"""What is recorded and compared: figures of which more is worse, all in [0, 1]."""

DIGITS: Final = 6
"""Decimals of what is recorded, and of what is held against it: rounding errors of another machine's
arithmetic are smaller by far, and do not fail a tolerance of 0."""

_MOST: Final = 5
"""Classes that a message names."""


def as_recorded(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is recorded of a report: figures, and all that must be the same to compare them.

    Parameters
    ----------
    report : mapping
        ``Report.to_dict()``; of several k the first counts.
    """
    detectors, leakage = report["detectors"], report["leakage"]
    approximate = any(one["approximation"] for one in detectors.values())
    rates = report["instability"] or dict.fromkeys(FIGURES)
    figures = {
        "leakage": leakage["value"],
        **{name: rates[name] for name in ("rho_dir", "rho_inv", "rho_rnd")},
        "rho_dir_geo": report["geometry"] and report["geometry"]["rho_dir"],
    }
    low, high = (round(end, DIGITS) for end in leakage["interval"])
    return {
        "m": report["m"],
        "k": report["k"],
        "classes": report["classes"],
        "fingerprint": report["fingerprint"],
        "epsilon": report["epsilon"],
        "neighbors": "approximate" if approximate else "exact",
        "detectors": {name: detectors[name]["seeds"] for name in sorted(detectors)},
        **{name: one if one is None else round(one, DIGITS) for name, one in figures.items()},
        "leakage_interval": None if low == high else [low, high],
    }


def differences(recorded: Mapping[str, Any], measured: Mapping[str, Any]) -> list[str]:
    """Return in what two of them differ, so that their figures cannot be compared.

    Whether leakage was sampled is no such difference: its interval is compared. Geometry that was recorded
    but not measured is; the other way round there is nothing to compare.
    """
    told = [
        f"{name} = {_said(measured[name])} (recorded: {_said(recorded[name])})"
        for name in ("m", "k", "epsilon", "neighbors")
        if measured[name] != recorded[name]
    ]
    if measured["classes"] != recorded["classes"]:
        told.append(_classes(measured["classes"], recorded["classes"]))
    if measured["fingerprint"] != recorded["fingerprint"]:
        told.append(
            f"other data or another declaration, fingerprint {measured['fingerprint'][:8]} "
            f"(recorded: {recorded['fingerprint'][:8]})"
        )
    ours, theirs = measured["detectors"], recorded["detectors"]
    if set(ours) != set(theirs):
        told.append(f"detectors {_listed(ours)} (recorded: {_listed(theirs)})")
    else:
        told += [
            f"seeds of {name} {_listed(ours[name])} (recorded: {_listed(theirs[name])})"
            for name in ours
            if ours[name] != theirs[name]
        ]
    if measured["rho_dir_geo"] is None and recorded["rho_dir_geo"] is not None:
        told.append("geometry alone was not measured (recorded: rho_dir_geo)")
    return told


def worse(
    recorded: Mapping[str, Any], measured: Mapping[str, Any], tolerance: float, source: str
) -> list[Finding]:
    """Return a finding for each figure that is above the recorded one by more than the tolerance.

    Leakage that is not exact is so only if its interval lies above that of the recorded one.

    Parameters
    ----------
    recorded, measured : mapping
        Of the same benchmark, without `differences`.
    tolerance : float
        0 or more.
    source : str
        What the file is called.
    """
    return [
        Finding(
            kind="worse than the baseline",
            status="ill posed",
            message=_told(one, tolerance),
            limit=LIMIT,
            bound=one.recorded_high + tolerance,
            source=source,
            value=one.value,
        )
        for one in _pairs(recorded, measured)
        if exceeds(one.low, one.recorded_high + tolerance)
    ]


def better(recorded: Mapping[str, Any], measured: Mapping[str, Any], tolerance: float) -> list[str]:
    """Return each figure that is below the recorded one by more than the tolerance, with both."""
    return [
        f"{one.symbol} = {one.value:.3f} (recorded: {one.recorded:.3f})"
        for one in _pairs(recorded, measured)
        if exceeds(one.recorded_low, one.high + tolerance)
    ]


def side_by_side(recorded: Mapping[str, Any], measured: Mapping[str, Any]) -> str:
    """Return the figures of two with `differences`: to be looked at, not to be compared."""
    other_data = measured["fingerprint"] != recorded["fingerprint"]
    why = "are of other data" if other_data else "were measured in another way"
    theirs = {}
    if measured["k"] != recorded["k"]:
        theirs[f"L_{measured['k']}"] = f"L_{recorded['k']} = "
    figures = [
        f"{one.symbol} = {one.value:.3f} (recorded: {theirs.get(one.symbol, '')}{one.recorded:.3f})"
        for one in _pairs(recorded, measured)
    ]
    return f"The figures, which {why}: {', '.join(figures)}"


class _Pair(NamedTuple):
    """One figure, and where it and the recorded one lie."""

    symbol: str
    value: float
    recorded: float
    low: float
    high: float
    recorded_low: float
    recorded_high: float


def _pairs(recorded: Mapping[str, Any], measured: Mapping[str, Any]) -> Iterator[_Pair]:
    for name in FIGURES:
        ours, theirs = measured[name], recorded[name]
        if ours is None or theirs is None:
            continue
        symbol, ends, recorded_ends = name, (ours, ours), (theirs, theirs)
        if name == "leakage":
            symbol = f"L_{measured['k']}"
            ends = measured["leakage_interval"] or ends
            recorded_ends = recorded["leakage_interval"] or recorded_ends
        yield _Pair(symbol, ours, theirs, *ends, *recorded_ends)


def _told(one: _Pair, tolerance: float) -> str:
    """Return the comparison in numbers, with digits enough to see that it holds."""
    for digits in range(3, DIGITS + 1):
        low, high = f"{one.low:.{digits}f}", f"{one.recorded_high:.{digits}f}"
        if exceeds(float(low), float(high) + tolerance):
            break
    sign = "=" if one.low == one.high else ">="
    return f"{one.symbol} {sign} {low} > {high} + {plain(tolerance)} (baseline)"


def _said(value: object) -> str:
    return plain(value) if isinstance(value, float) else str(value)


def _classes(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Return how many classes there are, and which are not in both."""
    told = f"K = {len(ours)} classes (recorded: {len(theirs)})"
    for what, those, others in (("new", ours, theirs), ("gone", theirs, ours)):
        names = sorted(set(those) - set(others))
        more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        told += f", {what}: {', '.join(names[:_MOST])}{more}" if names else ""
    return told


def _listed(values: Any) -> str:
    return " ".join(map(str, values)) or "none"
