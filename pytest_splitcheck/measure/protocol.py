"""How a benchmark is measured: every choice, its default and its range, in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

if TYPE_CHECKING:
    from pytest_splitcheck.measure.workers import Progress, Workers

__all__ = ["BUILT_IN_DETECTORS", "Embedding", "Protocol", "check_word"]

BUILT_IN_DETECTORS: Final = ("knn", "lof", "iforest")

_LARGEST_SEED: Final = 2**32 - 1
"""numpy's RandomState, which scikit-learn seeds, takes 32 bits."""

_LARGE: Final = 50_000
"""Rows up to which leakage is always measured in full, which takes seconds."""

Neighbors = Literal["exact", "approximate"]
Sampling = Literal["auto", "never", "always"]
Advising = Literal["auto", "never", "always"]
Embedding = Literal["pca", "tsne"]

_LEAST_MEMORY: Final = 0.0625
"""With less, blocks would be too small to be quick."""

Detectors = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """The choices that a measurement depends on, and the number of threads, on which it does not.

    Raises
    ------
    InputError
        If a value is of the wrong kind or out of its range.
    """

    k: int | Sequence[int] = field(
        default=10,
        metadata={
            "help": "neighbours per row, for leakage and for the knn detector; of several numbers the "
            "first decides"
        },
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
    neighbors: Neighbors = field(
        default="exact",
        metadata={
            "help": "exact, or approximate: by pynndescent, for sets beyond the reach of an exact search; "
            "the rows of a sample are searched exactly all the same"
        },
    )
    sampling: Sampling = field(
        default="auto",
        metadata={
            "help": "whether rows are drawn at random until leakage is known to be on one side of its "
            f"limits: never, always, or auto: only of more than {_LARGE:,} rows"
        },
    )
    alpha: float = field(
        default=0.001,
        metadata={"help": "probability at most that sampling gives a wrong verdict"},
    )
    advice: Advising = field(
        default="auto",
        metadata={
            "help": "whether a failure measures other splits to propose, which takes several times as long "
            "as the benchmark: never, always, or auto: only of 2,000 rows, 30 held-out classes and "
            "3,000,000 values (1,000,000 with more than 10 held-out classes) at most, with knn and lof only and "
            "no fitted representation"
        },
    )
    n_jobs: int | None = field(
        default=None,
        metadata={"help": "threads; all cores by default, shared among pytest-xdist workers"},
    )
    memory: float = field(
        default=1.0,
        metadata={"help": "GiB of working memory that each process may use beyond the data"},
    )

    def __post_init__(self) -> None:
        _check_ks(self.k)
        if self.n_jobs is not None:
            _check_whole(self.n_jobs, "n_jobs", 1)
        _check_number(self.memory, "memory")
        if not _LEAST_MEMORY <= self.memory < math.inf:
            raise InputError(f"memory must be {_LEAST_MEMORY} GiB or more; got {self.memory!r}.")
        _check_number(self.epsilon, "epsilon")
        if not 0 <= self.epsilon < 0.5:
            raise InputError(f"epsilon must lie in [0, 0.5); got {self.epsilon!r}.")
        _check_number(self.alpha, "alpha")
        # A whole number may be beyond float, and half of the least float is 0.
        if not (0 < self.alpha < 0.5 and self.alpha / 2 > 0):
            raise InputError(
                f"alpha must lie in (0, 0.5); got {self.alpha!r}. For no error at all, set "
                "sampling to 'never'."
            )
        check_word(self.neighbors, "neighbors", get_args(Neighbors))
        check_word(self.sampling, "sampling", get_args(Sampling))
        check_word(self.advice, "advice", get_args(Advising))
        seeds: Any = self.seeds
        detectors: Any = self.detectors
        if isinstance(seeds, str) or not isinstance(seeds, Sequence) or not seeds:
            raise InputError(f"seeds must be a list of one or more seeds; got {seeds!r}.")
        for seed in seeds:
            _check_whole(seed, "a seed", 0, _LARGEST_SEED)
        if len(set(seeds)) < len(seeds):
            raise InputError(f"seeds must differ from each other; got {tuple(seeds)!r}.")
        if isinstance(detectors, str) or not isinstance(detectors, Sequence | Mapping):
            raise InputError(
                "detectors must be a list of names or detectors, or a dictionary from name to "
                f"detector; got {detectors!r}"
                + (f"; write [{detectors!r}]." if isinstance(detectors, str) else ".")
            )
        entries = list(detectors.values() if isinstance(detectors, Mapping) else detectors)
        names = [one for one in entries if isinstance(one, str)]
        for name in names:
            if name not in BUILT_IN_DETECTORS:
                raise InputError(
                    f"there is no built-in detector {name!r}"
                    + (_did_you_mean(name, BUILT_IN_DETECTORS) or ".")
                    + f" There are {', '.join(BUILT_IN_DETECTORS)}."
                )
            if names.count(name) > 1 and not isinstance(detectors, Mapping):
                raise InputError(f"detectors names {name!r} more than once.")

    @property
    def ks(self) -> tuple[int, ...]:
        """The numbers of neighbours; the verdict rests on the first."""
        return tuple(map(int, self.k)) if isinstance(self.k, Sequence) else (int(self.k),)

    def samples(self, m: int) -> bool:
        """Tell whether the leakage of `m` rows is decided by a sample, where it has a limit."""
        return self.sampling == "always" or (self.sampling == "auto" and m > _LARGE)

    @property
    def threads(self) -> int:
        """Number of threads to compute with: `n_jobs`, or the cores that this process may use."""
        if self.n_jobs is not None:
            return self.n_jobs
        from joblib import cpu_count

        return int(cpu_count())

    def workers(self, progress: Progress | None = None) -> Workers:
        """Return what the measurement may use of the machine, and whom it tells how far it is."""
        from pytest_splitcheck.measure.workers import Workers  # threads are for those who measure

        chosen = {} if progress is None else {"progress": progress}
        return Workers(self.threads, int(self.memory * 2**30), **chosen)


def _check_ks(k: object) -> None:
    if not isinstance(k, Sequence) or isinstance(k, str | bytes):
        _check_whole(k, "k", 1)
        return
    if not k:
        raise InputError(f"k must be a whole number, or a list of one or more; got {k!r}.")
    for one in k:
        _check_whole(one, "k", 1)
    if len(set(k)) < len(k):
        raise InputError(f"the numbers of neighbours k must differ; got {tuple(k)!r}.")


def _check_number(value: object, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{what} must be a number; got {value!r}.")


def check_word(value: object, what: str, allowed: Sequence[str]) -> None:
    """Refuse a value that is none of the words allowed for `what`, with the nearest."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(
            f"{what} must be one of {', '.join(allowed)}; got {value!r}"
            + (_did_you_mean(str(value), allowed) or ".")
        )


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    import difflib

    by_lower = {one.lower(): one for one in known}  # differences of case are none
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


def _check_whole(value: object, what: str, least: int, most: float = math.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{what} must be a whole number; got {value!r}.")
    if int(value) < least:
        raise InputError(f"{what} must be {least} or more; got {value}.")
    if int(value) > most:
        raise InputError(f"{what} must be {most} or less; got {value}.")
