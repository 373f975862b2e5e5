"""Pairs that drop out once all of a query's pairs say how far its neighbours can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.columns import Reals
from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.reach import layout, widened
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Float64, Integers

__all__ = ["Near", "tightened"]


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs of a query and a column of the base, with the value that `Products` gives them.

    Attributes
    ----------
    query, column : ndarray of int, shape (p,)
    value : ndarray of float32, shape (p,)
        Squared distances.
    """

    query: npt.NDArray[Any]
    column: npt.NDArray[Any]
    value: Reals

    @classmethod
    def joined(cls, parts: list[Near]) -> Near:
        """Return all pairs of some parts."""
        return cls(
            np.concatenate([part.query for part in parts]),
            np.concatenate([part.column for part in parts]),
            np.concatenate([part.value for part in parts]),
        )

    def some(self, which: npt.NDArray[Any]) -> Near:
        """Return some of the pairs."""
        return Near(self.query[which], self.column[which], self.value[which])


def tightened(
    products: Products, removals: Removals, length: Float64, near: Near
) -> tuple[Near, Reals]:
    """Return the pairs within the reach that follows from these pairs, and that reach, shape (b, kinds).

    Parameters
    ----------
    products : Products
        What the values come from.
    removals : Removals
    length : ndarray of float, shape (b,)
        Of the queries, each of which has, after every removal, k pairs or more.
    near : Near
        Its queries are positions among these.
    """
    if not len(length):
        return near, np.empty((0, removals.n_kinds), dtype=near.value.dtype)
    # In order of the query, then of the value, whose bits are in its order.
    bits = np.maximum(near.value, 0.0).view(np.uint32)
    near = near.some(np.argsort((near.query.astype(np.uint64) << np.uint64(32)) | bits))
    kind = products.base.kind_of_column[near.column]
    place, shape = layout(near.query, len(length))
    values: Reals = np.full(shape, np.inf, dtype=near.value.dtype)
    kinds: Integers = np.full(shape, -1, dtype=np.intp)
    values[near.query, place], kinds[near.query, place] = near.value, kind
    reach = removals.reach(
        values, kinds, lambda removal, lists: np.full(len(lists), np.inf, values.dtype)
    )
    reach = widened(products, reach, length)
    return near.some(near.value <= reach[near.query, kind]), reach
