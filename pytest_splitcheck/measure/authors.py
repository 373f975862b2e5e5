"""An author's own detector: fitted afresh on each normal pool, its scores checked as they come."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pytest_splitcheck.declare.arrays import Matrix
from pytest_splitcheck.errors import AUTHORS, InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401
from pytest_splitcheck.measure.detectors import Scores, as_numbers
from pytest_splitcheck.measure.rows import Float64
from pytest_splitcheck.measure.sentinels import far_rows
from pytest_splitcheck.measure.splits import Task, random_states

__all__ = ["AuthorsDetector"]

Scorer = Callable[[Matrix], Any]


class AuthorsDetector:
    """An object with ``fit(X)`` and a method that scores rows, or a function ``(pool, rows) -> scores``.

    A fresh copy of it is used for each pool. Parameters that are called ``random_state`` and left at None
    are set to each seed in turn. After the first fit it also scores rows far outside the pool, unless its
    direction is known.

    Parameters
    ----------
    name : str
    detector : object
    method : str or None
        The method that scores rows; None for a function.
    sign : 1 or -1
        -1 if its scores are high for normal rows.
    seeds : sequence of int
    sign_is_known : bool, default False
        Whether the scores are a library's own, of whose direction there is no doubt: then it says nothing of
        their sign if rows far outside the pool are ranked as normal.
    """

    list_size = 0
    least_rows = 1

    def __init__(
        self,
        name: str,
        detector: Any,
        method: str | None,
        sign: int,
        seeds: Sequence[int],
        *,
        sign_is_known: bool = False,
    ) -> None:
        self.name = name
        self.detector = detector
        self.method = method
        self.sign = sign
        self.random_states = [] if method is None else random_states(detector)
        self.seeds = tuple(seeds) if self.random_states else ()
        self._asks_far = not sign_is_known

    def score(self, task: Task) -> Scores:
        """Fit on the normal pool of each split, for each seed, and score the rows of the task."""
        values, resolution, far = [], 0.0, None
        fits = list(itertools.product(task.splits, self.seeds or (None,)))
        for number, (split, seed) in enumerate(fits, start=1):
            where = f"detector {self.name!r}, held-out class {split.label!r}"
            normal = task.normal_pool(split)
            try:
                scorer = self._fitted(normal.copy, seed)
                returned = scorer(task.evaluation.copy())
            except Exception as error:
                error.add_note(f"{AUTHORS} {where}, while it was fitted or while it scored")
                raise
            scores, step = self._checked(returned, len(task.evaluation), where)
            values.append(scores)
            resolution = max(resolution, step)
            if self._asks_far:
                self._asks_far = False
                far = self._far_scores(scorer, far_rows(normal, task.evaluation))
            task.workers.progress(self.name, number, len(fits))
        shape = (len(task.splits), len(self.seeds or (None,)), len(task.evaluation))
        return Scores(np.array(values).reshape(shape), resolution, far)

    def _fitted(self, pool: Callable[[], Matrix], seed: int | None) -> Scorer:
        """Return what scores rows after a fit on `pool`, which gives a new copy of it each time."""
        detector = copy.deepcopy(self.detector)
        if self.method is None:
            return lambda rows: detector(pool(), rows)
        if seed is not None:
            detector.set_params(**dict.fromkeys(self.random_states, seed))
        detector.fit(pool())
        scorer: Scorer = getattr(detector, self.method)
        return scorer

    def _checked(self, returned: Any, n_rows: int, where: str) -> tuple[Float64, float]:
        """Return the scores of `n_rows` rows, high for anomalies, with their resolution."""
        values, resolution = as_numbers(returned, f"{where}: the scores")
        if values.shape not in ((n_rows,), (n_rows, 1)):
            asked = "the function" if self.method is None else f"{self.method}(X)"
            raise InputError(
                f"{where}: {asked} must return one score per row, shape ({n_rows},); it returned "
                + ("a single number." if values.ndim == 0 else f"shape {values.shape}.")
            )
        undefined = int(np.isnan(values).sum())
        if undefined:
            raise InputError(f"{where}: {undefined} of {n_rows} scores are NaN.")
        return self.sign * values.reshape(n_rows), resolution

    def _far_scores(self, scorer: Scorer, far: Matrix) -> Float64 | None:
        """Return the scores of rows far outside the pool; None if the detector gives none."""
        if not np.isfinite(far).all():
            return None
        try:
            # Apart from the evaluation rows, whose scores may depend on what else is in the batch.
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return self._checked(scorer(far), len(far), "")[0]
        except Exception:  # it was not made for such rows, and need not be
            return None
