"""pynndescent, as an index whose answers are checked from outside.

It works in float32, and gives other neighbours with another number of threads, so it has one.

References
----------
Dong, Moses and Li, "Efficient k-nearest neighbor graph construction for generic similarity measures",
WWW (2011).
"""

from __future__ import annotations

import functools
import logging
import warnings
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.float32 import Float32
from pytest_splitcheck.measure.rows import Float64, Integers, Rows, common_exponent

__all__ = ["Index", "Mask"]

Mask = npt.NDArray[np.bool_]

_SEED: Final = 0

_REACH: Final = 0.2
"""How far beyond the k-th distance a search goes on (pynndescent's epsilon)."""

_MOST_FOR_CENTRE: Final = 1000


class Index:
    """pynndescent's index of some rows.

    Parameters
    ----------
    rows : Rows of length n
    n_neighbours : int
        Neighbours of each row that the index keeps beside itself.
    """

    def __init__(self, rows: Rows, n_neighbours: int) -> None:
        self.size = len(rows)
        self._cast = _Float32(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of lists that fall short, which are found out below
            self._index = nn_descent()(
                self._cast(rows),
                n_neighbors=min(n_neighbours + 1, len(rows)),
                random_state=_SEED,
                n_jobs=1,
            )

    def nearest(
        self, queries: Rows, itself: Integers, width: int
    ) -> tuple[Integers, Float64, Mask]:
        """Return `width` rows for each query, their distances, both (q, width), and which lists are sound.

        Parameters
        ----------
        queries : Rows of length q
        itself : ndarray of int, shape (q,)
            The row that each query is, which is left out of its list; -1 if none.
        """
        lists = np.empty((len(queries), width), dtype=np.intp)
        distance = np.empty((len(queries), width), dtype=np.float64)
        sound = np.ones(len(queries), dtype=bool)
        inside, outside = np.flatnonzero(itself >= 0), np.flatnonzero(itself < 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if len(inside):
                graph = [np.asarray(one)[itself[inside]] for one in self._index.neighbor_graph]
                is_itself = graph[0] == itself[inside, None]
                sound[inside] = is_itself.sum(axis=1) <= 1
                others = np.argsort(is_itself, axis=1, kind="stable")[:, :width]
                lists[inside] = np.take_along_axis(graph[0], others, axis=1)
                distance[inside] = np.take_along_axis(graph[1], others, axis=1)
            if len(outside):
                asked = self._cast(queries.subset(outside))
                lists[outside], distance[outside] = self._index.query(
                    asked, k=width, epsilon=_REACH
                )
        in_order = np.sort(lists, axis=1)
        sound &= (in_order[:, 0] >= 0) & (in_order[:, -1] < self.size)
        sound &= (in_order[:, 1:] != in_order[:, :-1]).all(axis=1)
        sound &= (lists != itself[:, None]).all(axis=1)
        return lists, self._cast.undone(distance), sound


class _Float32:
    """Cast to float32, shifted to the middle of some rows and scaled by a power of two.

    The median, unlike the mean, stays near most rows where a few are far away. A query beyond the range is
    moved to its border, far from every row.
    """

    _LAST = 2.0**50

    def __init__(self, rows: Rows) -> None:
        self.exponent = common_exponent(rows)
        rows = rows.scaled(self.exponent)
        some = np.linspace(0, len(rows) - 1, min(len(rows), _MOST_FOR_CENTRE)).astype(np.intp)
        self.centre = np.median(rows.take(some), axis=0)
        largest = max(np.abs(rows.take(block) - self.centre).max() for block in rows.blocks())
        self.shrink = -int(np.frexp(largest)[1])

    def undone(self, distance: Float64) -> Float64:
        """Return what `distance` between rows that were cast is between the rows themselves."""
        return np.ldexp(distance, self.exponent - self.shrink)

    def __call__(self, rows: Rows) -> Float32:
        rows = rows.scaled(self.exponent)
        cast = np.empty((len(rows), rows.n_features), dtype=np.float32)
        with np.errstate(over="ignore"):
            for block in rows.blocks():
                values = np.ldexp(rows.take(block) - self.centre, self.shrink)
                cast[block] = np.clip(values, -self._LAST, self._LAST)
        return cast


@functools.cache
def nn_descent() -> Any:
    """Import pynndescent, and say before it compiles itself that nothing will move for a while."""
    logging.getLogger(__name__).warning(
        "approximate neighbours: pynndescent compiles itself at its first use in each process, which "
        "takes a minute or two"
    )
    from pynndescent import NNDescent

    return NNDescent
