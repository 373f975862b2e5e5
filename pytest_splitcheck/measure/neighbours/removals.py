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

_RANKS = 1 << 20
"""Ranks that are held at once, if a list has no more."""


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

    @property
    def bytes_per_query(self) -> int:
        """What `reach` takes: a k-th value of each removal, their order, and what each kind has of them."""
        return 24 * len(self.takes) + 8 * int(self.n_kinds)

    def ranks(self, kind: Integers) -> Iterator[tuple[Integers, Integers, npt.NDArray[np.int32]]]:
        """Yield (removal, lists, rank) for removals and the sorted lists whose first k they change.

        Parameters
        ----------
        kind : ndarray of int, shape (b, w)
            Kinds of rows in order of distance; -1 for padding.

        Yields
        ------
        removal, lists : ndarray of int, shape (t,)
            A removal, and a list that it changes.
        rank : ndarray of int, shape (t, w)
            Numbers what the removal leaves of the list from 1; 0 for what it takes away and for padding.
        """
        present = np.zeros((len(kind), self.n_kinds + 1), dtype=np.float32)
        np.put_along_axis(present, kind[:, : self.k], 1.0, axis=1)
        changed, changing = np.nonzero(present @ self._taken_by > 0)
        stays = ~self.takes
        stays[:, -1] = False
        step = max(1, _RANKS // max(1, kind.shape[1]))
        for start in range(0, len(changed), step):
            removal, lists = changing[start : start + step], changed[start : start + step]
            left = stays[removal[:, None], kind[lists]]
            rank = np.cumsum(left, axis=1, dtype=np.int32)
            rank *= left
            yield removal, lists, rank

    def reach(
        self, value: Reals, kind: Integers, beyond: Callable[[Integers, Integers], Reals]
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
            Returns the k-th value of lists after a removal that leaves fewer than k in them, from
            these removals and lists, both of shape (t,).

        Returns
        -------
        ndarray of float, shape (b, kinds)
        """
        everyone = np.arange(len(value))
        kth = np.repeat(value[:, self.k - 1, None], len(self.takes), axis=1)
        for removal, lists, rank in self.ranks(kind):
            hit = rank == self.k
            place = hit.argmax(axis=1)
            found = value[lists, place]
            short = np.flatnonzero(~hit[np.arange(len(lists)), place])
            if len(short):
                found[short] = beyond(removal[short], lists[short])
            kth[lists, removal] = found
        # A kind may be as far as the farthest k-th value by a removal that leaves it in place.
        reach = np.empty((len(value), self.n_kinds), dtype=value.dtype)
        missing = np.ones(reach.shape, dtype=bool)
        for removal in np.argsort(-kth, axis=1).T:
            takes = self.takes[removal, :-1]
            np.copyto(reach, kth[everyone, removal, None], where=missing & ~takes)
            missing &= takes
            if not missing.any():
                break
        return reach

    def survivors(self, kind: Integers) -> Flags:
        """Return which entries of sorted lists, shape (b, w), are among the k nearest after a removal."""
        kept = np.zeros(kind.shape, dtype=bool)
        kept[:, : self.k] = kind[:, : self.k] >= 0
        for _, lists, rank in self.ranks(kind):
            changed, column = np.nonzero((rank > 0) & (rank <= self.k))
            kept[lists[changed], column] = True
        return kept
