"""The limits that a benchmark has to keep, their defaults and where each came from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, Final

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["LIMITS", "THRESHOLDS", "Thresholds"]


def _limit(default: float | None, high: float, help: str) -> Any:
    return field(default=default, metadata={"high": high, "help": help})


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Limits on a report, None switches one off; and how sure a rate must be to exceed its limit.

    Attributes
    ----------
    max_leakage : float or None, default 0.5
        On L_k, in [0, 1].
    max_leakage_ratio : float or None, default None
        On L_k / chance, 0 or more.
    max_rho_dir : float or None, default 0.2
        On the direction instability rho_dir, mean over detectors, in [0, 1].
        Without detectors, on that of geometry alone.
    max_rho_dir_geo : float or None, default None
        On the direction instability of geometry alone, in [0, 1]. Where it is set, leakage is measured on
        all rows, exactly.
    max_rho_inv, max_rho_rnd : float or None, default None
        On the share of inverted and of near-random held-out classes, mean over detectors, in [0, 1].
    min_auroc : float or None, default None
        On the AUROC, mean over classes and detectors, in [0, 1].
    min_positives : int or None, default 20
        Rows that a held-out class needs in the evaluation set; with fewer the rates are noise, and the
        verdict is undecided.
    max_duplicates : float or None, default 0.05
        On the share of evaluation rows that duplicates make worthless: rows that a pool holds too, rows of a
        held-out class that its normal pool holds (of that class), and rows beside piles of equal rows under
        LOF; in [0, 1]. So many of the rows move an AUROC by half as much at most.
    confident : bool, default False
        Whether rho_dir and rho_inv count as exceeded only if what is resolved of them is, else the verdict
        is undecided.
    sources : mapping of str to str
        Where each limit was set, for the messages.

    Raises
    ------
    InputError
        If a limit is not a number, or out of its range, or `confident` is neither True nor False.
    """

    max_leakage: float | None = _limit(0.5, 1.0, "L_k, the share of neighbours of other classes")
    max_leakage_ratio: float | None = _limit(None, math.inf, "L_k over its value by chance")
    max_rho_dir: float | None = _limit(
        0.2, 1.0, "direction instability: share of classes outside the majority direction"
    )
    max_rho_dir_geo: float | None = _limit(
        None, 1.0, "direction instability of geometry alone, without detectors and training pool"
    )
    max_rho_inv: float | None = _limit(None, 1.0, "share of held-out classes with AUROC < 1/2")
    max_rho_rnd: float | None = _limit(None, 1.0, "share of held-out classes near AUROC 1/2")
    min_auroc: float | None = _limit(None, 1.0, "AUROC, mean over held-out classes and detectors")
    min_positives: int | None = _limit(20, math.inf, "rows of each held-out class")
    max_duplicates: float | None = _limit(
        0.05,
        1.0,
        "share of rows that duplicates make worthless: in a pool too, or beside piles under LOF",
    )
    confident: bool = field(
        default=False,
        metadata={
            "help": "whether only classes whose direction is known (by its 95-percent interval, for every "
            "seed) break max_rho_dir and max_rho_inv; a limit that others break is undecided"
        },
    )
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for limit in fields(self):
            if "high" in limit.metadata:
                _check(limit.name, getattr(self, limit.name), limit.metadata["high"])
        if not isinstance(self.confident, bool):
            raise InputError(f"confident must be True or False; got {self.confident!r}.")

    def source(self, name: str) -> str:
        """Return where the limit `name` was set; "default" if nowhere."""
        if name in self.sources:
            return self.sources[name]
        unset = getattr(self, name) == next(f.default for f in fields(self) if f.name == name)
        return "default" if unset else "thresholds"

    def of_leakage(self, chance: float) -> tuple[float, ...]:
        """Return the limits that are set on L_k, as values of L_k where its value by chance is `chance`."""
        ratio = self.max_leakage_ratio
        values = (self.max_leakage, None if ratio is None else float(ratio) * chance)
        return tuple(value for value in values if value is not None)


THRESHOLDS: Final = tuple(one for one in fields(Thresholds) if one.name != "sources")
"""The fields of `Thresholds` that a user sets."""

LIMITS: Final = tuple(one for one in THRESHOLDS if "high" in one.metadata)
"""Those of them that are limits."""


def _check(name: str, value: object, high: float) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{name} must be a number, or None for no limit; got {value!r}.")
    if name == "min_positives" and not isinstance(value, Integral):
        raise InputError(f"{name} must be a whole number; got {value!r}.")
    number: Any = value  # whole numbers may be beyond float
    if not 0 <= number <= high:
        reach = "0 or more" if math.isinf(high) else f"from 0 to {high:g}"
        raise InputError(f"{name} must be {reach}; got {value!r}.")
