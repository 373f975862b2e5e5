"""How a benchmark is measured: every choice, its default and its range, in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Final

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["BUILT_IN_DETECTORS", "Protocol"]

BUILT_IN_DETECTORS: Final = ("knn", "lof", "iforest")

_NEIGHBORS: Final = ("exact", "approximate")

_LARGEST_SEED: Final = 2**32 - 1
"""numpy's RandomState, which scikit-learn seeds, takes 32 bits."""

Detectors = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """The choices that a measurement depends on, and the number of threads, on which it does not.

    Raises
    ------
    InputError
        If a value is of the wrong kind or out of its range.
    """

    k: int = field(
        default=10,
        metadata={"help": "neighbours per row, for leakage and for the knn detector"},
    )
    epsilon: float = field(
        default=0.05,
        metadata={"help": "half-width of the band around AUROC 1/2 that counts as random"},
    )
    detectors: Detectors = field(
        default=BUILT_IN_DETECTORS,
        metadata={"help": f"built-in detectors ({', '.join(BUILT_IN_DETECTORS)}); may be empty"},
    )
    seeds: Sequence[int] = field(
        default=(0, 1, 2, 3, 4),
        metadata={"help": "seeds of the detectors that draw at random"},
    )
    neighbors: str = field(
        default="exact",
        metadata={
            "help": "exact, or approximate: by pynndescent, for sets beyond the reach of an exact search"
        },
    )
    n_jobs: int | None = field(
        default=None,
        metadata={"help": "threads; all cores by default, shared among pytest-xdist workers"},
    )

    def __post_init__(self) -> None:
        _check_whole(self.k, "k", 1)
        if self.n_jobs is not None:
            _check_whole(self.n_jobs, "n_jobs", 1)
        if isinstance(self.epsilon, bool) or not isinstance(self.epsilon, Real):
            raise InputError(f"epsilon must be a number; got {self.epsilon!r}.")
        if not 0 <= self.epsilon < 0.5:
            raise InputError(f"epsilon must lie in [0, 0.5); got {self.epsilon!r}.")
        if isinstance(self.seeds, str) or not isinstance(self.seeds, Sequence) or not self.seeds:
            raise InputError(f"seeds must be a list of one or more seeds; got {self.seeds!r}.")
        for seed in self.seeds:
            _check_whole(seed, "a seed", 0, _LARGEST_SEED)
        if len(set(self.seeds)) < len(self.seeds):
            raise InputError(f"seeds must differ from each other; got {tuple(self.seeds)!r}.")
        if isinstance(self.detectors, str) or not isinstance(self.detectors, Sequence | Mapping):
            raise InputError(
                "detectors must be a list of names or detectors, or a dictionary from name to "
                f"detector; got {self.detectors!r}"
                + (f"; write [{self.detectors!r}]." if isinstance(self.detectors, str) else ".")
            )
        mapping = isinstance(self.detectors, Mapping)
        entries = list(self.detectors.values() if mapping else self.detectors)
        names = [one for one in entries if isinstance(one, str)]
        for name in names:
            if name not in BUILT_IN_DETECTORS:
                raise InputError(
                    f"there is no built-in detector {name!r}; "
                    + _did_you_mean(name, BUILT_IN_DETECTORS)
                    + f"There are {', '.join(BUILT_IN_DETECTORS)}."
                )
            if names.count(name) > 1 and not mapping:
                raise InputError(f"detectors names {name!r} more than once.")
        if self.neighbors not in _NEIGHBORS:
            hint = _did_you_mean(str(self.neighbors), _NEIGHBORS)
            raise InputError(
                f"neighbors must be {' or '.join(map(repr, _NEIGHBORS))}; got {self.neighbors!r}. {hint}".rstrip()
            )

    @property
    def threads(self) -> int:
        """Number of threads to compute with: `n_jobs`, or the cores that this process may use."""
        if self.n_jobs is not None:
            return self.n_jobs
        from joblib import cpu_count

        return int(cpu_count())


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}? " if near else ""


def _check_whole(value: object, what: str, least: int, most: float = math.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{what} must be a whole number; got {value!r}.")
    if int(value) < least:
        raise InputError(f"{what} must be {least} or more; got {value}.")
    if int(value) > most:
        raise InputError(f"{what} must be {most} or less; got {value}.")
