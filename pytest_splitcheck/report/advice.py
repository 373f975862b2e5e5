"""The way out: what is told of it, and its block in the message of a failed check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_splitcheck.report.text import escape, some, wrap
from pytest_splitcheck.report.toml import toml_lines
from pytest_splitcheck.text import column
from pytest_splitcheck.verdict.faults import detectors_alone
from pytest_splitcheck.verdict.finding import exceeds, plain

__all__ = ["way_out", "ways"]

_Broken = Mapping[str | None, dict[str, Any]]
"""The findings that fail a benchmark, by their limits."""

_MOST_PAIRS = 5

_ELSEWHERE = (
    "No other splits were measured to propose one, which takes several times as long as this one did; "
    "--splitcheck-advice=always measures them."
)

_WORTH_IT = 0.8
"""Of the leakage: features of equal variance that leave more are no way out."""

_FURTHER = {
    "max_leakage_ratio": ("L_{k}/chance", "leakage_ratio"),
    "max_rho_inv": ("rho_inv", "rho_inv"),
    "max_rho_rnd": ("rho_rnd", "rho_rnd"),
    "min_auroc": ("mean AUROC", "mean"),
    "max_rho_dir_geo": ("rho_dir_geo", "rho_dir_geo"),
}
"""What a limit is on, as messages have it and as a proposal does; L_k and rho_dir are told in any case."""


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
    are the fault of detectors alone, no other split is spoken of. A proposal is told with every figure that is
    beyond its limit as it is.
    """
    advice, report, declared = entry["advice"], entry["report"], entry["declared"]
    findings = entry["verdict"]["findings"]
    broken = {one["limit"]: one for one in findings if one["status"] == "ill posed"}
    guilty = detectors_alone(one["fault"] for one in broken.values())
    if guilty:
        return [(_other_detector(guilty, report, broken), [])]
    standardise, comes_first = _standardise(entry, broken)
    told = standardise if comes_first else []
    told += [(text, []) for text in _known(advice, report)]
    told += [(_told(one, broken), _paste(one, declared)) for one in advice["proposals"]]
    if not advice["proposals"]:
        told.append((_none(advice, report, broken), []))
    told += [] if comes_first else standardise
    if declared and any(paste for _, paste in told):
        told.append((_where(declared["file"]), []))
    return told


def _where(file: str) -> str:
    return f"Lines to paste go above the first [table] of {file}, in the place of those with the same keys."


def _paste(proposal: dict[str, Any], declared: dict[str, Any] | None) -> list[str]:
    """Return how a proposal is declared, where the benchmark is; nothing if that cannot be said there."""
    return [proposal["call"]] if declared is None else toml_lines(proposal["change"] or {})


def _other_detector(guilty: Sequence[str], report: dict[str, Any], broken: _Broken) -> str:
    names, alone = " and ".join(map(escape, guilty)), report["geometry"]
    figures = f"rho_dir of geometry alone = {alone['rho_dir']:.3f}"
    if "min_auroc" in broken:
        figures += f", its mean AUROC = {alone['mean']:.3f}"
    return (
        f"The split is sound by its geometry ({figures}): what is wrong is {names}. Look at its scores, or "
        "use another detector."
    )


def _standardise(
    entry: dict[str, Any], broken: _Broken
) -> tuple[list[tuple[str, list[str]]], bool]:
    """Return advice to standardise, where one feature has nearly all the variance and others tell more.

    And whether it comes first: it does not where it leaves leakage beyond its limit, and a proposal does not.
    """
    report, declared = entry["report"], entry["declared"]
    one, leakage = report["integrity"]["dominance"], report["leakage"]
    value = None if one is None else one["standardised"]
    if value is None or value >= _WORTH_IT * leakage["value"]:
        return [], True
    reached = {"max_leakage": value, "max_leakage_ratio": value / leakage["chance"]}
    still = [
        f"{limit} = {plain(broken[limit]['bound'])}"
        for limit in reached
        if limit in broken and exceeds(reached[limit], broken[limit]["bound"])
    ]
    comes_first = not (still and entry["advice"]["proposals"])
    how = "" if declared else " (representation=StandardScaler())"
    text = (
        f"{'first' if comes_first else 'also'}: standardise the features{how}. "
        f"{column(one['column'], one['feature'])} has "
        f"{one['share']:.3f} of the variance; with features of equal variance L_{leakage['k']} is "
        f"{value:.3f} in the place of {leakage['value']:.3f}"
    )
    text += f", still above {' and '.join(still)}: not enough alone" if still else ""
    text += "." if set(broken) <= set(reached) else "; AUROCs were not measured with these."
    return [(text, toml_lines({"standardise": True}) if declared else [])], comes_first


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


def _told(proposal: dict[str, Any], broken: _Broken) -> str:
    """Return what a proposal does and what was measured of it."""
    names = ", ".join(map(escape, proposal["classes"]))
    return (
        f"{proposal['kind']} {names}: {_figures(proposal, broken)}, K = {proposal['n_classes']}, "
        f"m = {proposal['m']}"
    )


def _none(advice: dict[str, Any], report: dict[str, Any], broken: _Broken) -> str:
    """Return why nothing is proposed."""
    if not advice["sought"]:
        return _ELSEWHERE
    if len(report["classes"]) == 2:
        return "With two classes there is none to merge or to drop."
    text = f"No well-posed split found down to {advice['fewest']} classes"
    tried = [
        f"{one['kind']} to {one['n_classes']} ({_figures(one, broken, report)})"
        for one in advice["rejected"]
    ]
    text += f"; measured: {', '.join(tried)}." if tried else ", by the leakage to be expected."
    return text + (" Some numbers of classes were passed over." if advice["capped"] else "")


def _figures(one: dict[str, Any], broken: _Broken, report: dict[str, Any] | None = None) -> str:
    """Return L_k, rho_dir and what is beyond a limit, with the detectors where `report` has more."""
    shown = {f"L_{one['k']}": one["leakage"], "rho_dir": one["rho_dir"]}
    if one["rho_dir"] is None and "max_rho_dir" in broken:  # it was held against geometry alone
        shown["rho_dir_geo"] = one["rho_dir_geo"]
    for limit, (symbol, name) in _FURTHER.items():
        if limit in broken:
            shown[symbol.format(k=one["k"])] = one[name]
    text = ", ".join(
        f"{symbol} = {value:.3f}" for symbol, value in shown.items() if value is not None
    )
    if report is not None and len(one["detectors"]) < len(report["detectors"]):
        text += f" of {' and '.join(map(escape, one['detectors']))}" if one["detectors"] else ""
    return text
