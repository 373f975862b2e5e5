"""The way out: what is told of it, and its block in the message of a failed check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_splitcheck.report.text import escape, some, wrap
from pytest_splitcheck.report.toml import toml_lines
from pytest_splitcheck.text import column
from pytest_splitcheck.verdict.faults import detectors_alone

__all__ = ["way_out", "ways"]

_MOST_PAIRS = 5

_ELSEWHERE = (
    "No other splits were measured to propose one, which takes several times as long as this one did; "
    "--splitcheck-advice=always measures them."
)

_WORTH_IT = 0.8
"""Of the leakage: features of equal variance that leave more are no way out."""


def way_out(entry: dict[str, Any], width: int) -> list[str]:
    """Return the block for the advice in a record, in lines of `width` cells at most.

    A line to paste stays one, however long.
    """
    lines = ["way out"]
    for text, paste in ways(entry):
        lines += wrap(f"    {text}", width, " " * 6)
        lines += [f"      {escape(line)}" for line in paste]
    return lines


def ways(entry: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Return what is told of the advice in a record, each with the lines to paste, if it has any.

    Those are Python, or TOML where the benchmark is declared in such a file. Where the findings that fail it
    are the fault of detectors alone, no other split is spoken of.
    """
    advice, report, declared = entry["advice"], entry["report"], entry["declared"]
    findings = entry["verdict"]["findings"]
    guilty = detectors_alone(one["fault"] for one in findings if one["status"] == "ill posed")
    if guilty:
        return [(_other_detector(guilty, report), [])]
    told = _standardise(report, declared)
    told += [(text, []) for text in _known(advice, report)]
    told += [(_told(one), _paste(one, declared)) for one in advice["proposals"]]
    if not advice["proposals"]:
        told.append((_none(advice, report), []))
    if declared and any(paste for _, paste in told):
        told.append((_where(declared["file"]), []))
    return told


def _where(file: str) -> str:
    return f"Lines to paste go above the first [table] of {file}, in the place of those with the same keys."


def _paste(proposal: dict[str, Any], declared: dict[str, Any] | None) -> list[str]:
    """Return how a proposal is declared, where the benchmark is; nothing if that cannot be said there."""
    return [proposal["call"]] if declared is None else toml_lines(proposal["change"] or {})


def _other_detector(guilty: Sequence[str], report: dict[str, Any]) -> str:
    names = " and ".join(map(escape, guilty))
    return (
        f"The split is sound by its geometry (rho_dir of geometry alone = "
        f"{report['geometry']['rho_dir']:.3f}): what is wrong is {names}. Look at its scores, or use "
        "another detector."
    )


def _standardise(
    report: dict[str, Any], declared: dict[str, Any] | None
) -> list[tuple[str, list[str]]]:
    """Return advice to standardise, where one feature has nearly all the variance and others tell more."""
    one, leakage = report["integrity"]["dominance"], report["leakage"]
    if one is None or one["standardised"] is None:
        return []
    if one["standardised"] >= _WORTH_IT * leakage["value"]:
        return []
    how = "" if declared else " (representation=StandardScaler())"
    text = (
        f"first: standardise the features{how}. {column(one['column'], one['feature'])} has "
        f"{one['share']:.3f} of the variance; with features of equal variance L_{leakage['k']} is "
        f"{one['standardised']:.3f} in the place of {leakage['value']:.3f}."
    )
    return [(text, toml_lines({"standardise": True}) if declared else [])]


def _known(advice: dict[str, Any], report: dict[str, Any]) -> list[str]:
    pairs = [
        f"{escape(a)}->{escape(b)} {share:.3f}" for a, b, share in advice["pairs"][:_MOST_PAIRS]
    ]
    told = [f"leaks most (share of neighbours): {', '.join(pairs)}"] if pairs else []
    if report["detectors"]:
        right = [escape(name) for name in advice["resolved"]]
        listed = some(right)
        told.append(f"ranked the right way by every detector: {listed or 'no class'}")
    return told


def _told(proposal: dict[str, Any]) -> str:
    """Return what a proposal does and what was measured of it."""
    names = ", ".join(map(escape, proposal["classes"]))
    return (
        f"{proposal['kind']} {names}: {_figures(proposal)}, K = {proposal['n_classes']}, "
        f"m = {proposal['m']}"
    )


def _none(advice: dict[str, Any], report: dict[str, Any]) -> str:
    """Return why nothing is proposed."""
    if not advice["sought"]:
        return _ELSEWHERE
    if len(report["classes"]) == 2:
        return "With two classes there is none to merge or to drop."
    text = f"No well-posed split found down to {advice['fewest']} classes"
    tried = [
        f"{one['kind']} to {one['n_classes']} ({_figures(one, report)})"
        for one in advice["rejected"]
    ]
    text += f"; measured: {', '.join(tried)}." if tried else ", by the leakage to be expected."
    return text + (" Some numbers of classes were passed over." if advice["capped"] else "")


def _figures(one: dict[str, Any], report: dict[str, Any] | None = None) -> str:
    """Return L_k and rho_dir, with the detectors where they are not all of those of `report`."""
    text = f"L_{one['k']} = {one['leakage']:.3f}"
    if one["rho_dir"] is None:
        return text
    text += f", rho_dir = {one['rho_dir']:.3f}"
    if report is not None and len(one["detectors"]) < len(report["detectors"]):
        text += f" of {' and '.join(map(escape, one['detectors']))}"
    return text
