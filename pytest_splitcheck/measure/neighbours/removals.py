"""Classes that are taken away from lists of neighbours, and how far the rest can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.rows import Integers

__all__ = ["Removals"]

Flags = npt.NDArray[np.bool_]
Reals = npt.NDArray[Any]


class Removals:
    """Sets of classes, any one of which may be taken away.

    Parameters
    ----------
    removals : sequence of sequences of int
        Classes that are taken away together.
    n_classes : int
        Classes are numbered ``range(n_classes)``.
    k : int
        Neighbours that are to be left after any removal.

    Attributes
    ----------
    kind : ndarray of int, shape (n_classes,)
        Classes of one kind are taken away by the same removals, and need not be told apart.
    takes : ndarray of bool, shape (removals, kinds + 1)
        Whether a removal takes a kind away; the last column, which -1 reads, stands for padding.
    """

    def __init__(self, removals: Sequence[Sequence[int]], n_classes: int, k: int) -> None:
        taken = np.zeros((len(removals) + 1, n_classes), dtype=bool)  # the last takes nothing away
        for removal, classes in enumerate(removals):
            taken[removal, [code for code in classes if code < n_classes]] = True
        kinds, kind = np.unique(taken, axis=1, return_inverse=True)
        self.k = k
        self.kind = kind.reshape(-1)
        self.n_kinds = kinds.shape[1]
        self.takes = np.concatenate([kinds, np.zeros((len(kinds), 1), dtype=bool)], axis=1)
        self._taken_by = self.takes.T.astype(np.float32)

    def ranks(self, kind: Integers) -> Iterator[tuple[Flags, Integers, Integers]]:
        """Yield (takes, lists, rank) for the removals that change the first k of some sorted lists.

        Parameters
        ----------
        kind : ndarray of int, shape (b, w)
            Kinds of rows in order of distance; -1 for padding.

        Yields
        ------
        takes : ndarray of bool, shape (kinds + 1,)
        lists : ndarray of int, shape (t,)
            The lists that change.
        rank : ndarray of int, shape (t, w)
            Numbers what the removal leaves from 1; 0 for what it takes away and for padding.
        """
        present = np.zeros((len(kind), self.n_kinds + 1), dtype=np.float32)
        np.put_along_axis(present, kind[:, : self.k], 1.0, axis=1)
        changes = present @ self._taken_by > 0
        for removal in np.flatnonzero(changes.any(axis=0)):
            takes = self.takes[removal]
            lists = np.flatnonzero(changes[:, removal])
            stays = ~takes[kind[lists]] & (kind[lists] >= 0)
            yield takes, lists, np.where(stays, np.cumsum(stays, axis=1), 0)

    def reach(
        self, value: Reals, kind: Integers, beyond: Callable[[Flags, Integers], Reals]
    ) -> Reals:
        """Return how far a row of each kind can be and still be among the k nearest after a removal.

        That is the largest k-th value over the removals that leave the kind in place.

        Parameters
        ----------
        value : ndarray of float, shape (b, w), w >= k
            Values of rows, ascending; those of some rows only make the reach too large, never too
            small.
        kind : ndarray of int, shape (b, w)
            Kinds of these rows.
        beyond : callable
            Returns the k-th value after a removal, given as the kinds that it takes away, of the lists
            in which it leaves fewer than k.

        Returns
        -------
        ndarray of float, shape (b, kinds)
        """
        reach = np.repeat(value[:, self.k - 1, None], self.n_kinds, axis=1)
        for takes, lists, rank in self.ranks(kind):
            hit = rank == self.k
            kth = value[lists, np.argmax(hit, axis=1)]
            short = ~hit.any(axis=1)
            if short.any():
                kth[short] = beyond(takes, lists[short])
            cells = np.ix_(lists, np.flatnonzero(~takes[:-1]))
            reach[cells] = np.maximum(reach[cells], kth[:, None])
        return reach

    def survivors(self, kind: Integers) -> Flags:
        """Return which entries of sorted lists, shape (b, w), are among the k nearest after a removal."""
        kept = np.zeros(kind.shape, dtype=bool)
        kept[:, : self.k] = kind[:, : self.k] >= 0
        for _, lists, rank in self.ranks(kind):
            kept[lists] |= (rank > 0) & (rank <= self.k)
        return kept
