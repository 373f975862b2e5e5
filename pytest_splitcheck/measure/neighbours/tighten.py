"""Candidates that drop out once all of a query's candidates say how far they can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.measure.neighbours.products import Products
from pytest_splitcheck.measure.neighbours.reach import Pairs, layout, widened
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.rows import Integers

__all__ = ["tightened"]


def tightened(
    products: Products,
    removals: Removals,
    queries: Integers,
    query: Integers,
    row: Integers,
    value: npt.NDArray[np.float32],
) -> Pairs:
    """Return the pairs within the reach that follows from these pairs.

    Parameters
    ----------
    products : Products
        What `value` comes from.
    removals : Removals
    queries : ndarray of int, shape (b,)
        Each has, after every removal, k pairs or more.
    query : ndarray of int, shape (p,)
        Positions in `queries`.
    row : ndarray of int, shape (p,)
    value : ndarray of float32, shape (p,)
        Squared distances.
    """
    # In order of the query, then of the value, whose bits are in its order.
    bits = np.maximum(value, 0.0).view(np.uint32)
    order = np.argsort((query.astype(np.uint64) << np.uint64(32)) | bits)
    query, row, value = query[order], row[order], value[order]
    kind = products.base.kind_of_column[products.base.column[row]]
    column, shape = layout(query, len(queries))
    values: npt.NDArray[Any] = np.full(shape, np.inf, dtype=value.dtype)
    kinds = np.full(shape, -1, dtype=np.intp)
    values[query, column], kinds[query, column] = value, kind
    reach = removals.reach(
        values, kinds, lambda removal, lists: np.full(len(lists), np.inf, value.dtype)
    )
    kept = value <= widened(products, reach, queries)[query, kind]
    return Pairs(queries, query[kept], row[kept])
