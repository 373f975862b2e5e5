"""Some rows of a base, by the factors that are kept of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_splitcheck.measure.neighbours.columns import Columns, Reals
from pytest_splitcheck.measure.neighbours.products import Products, squared_by_tiles
from pytest_splitcheck.measure.neighbours.removals import Removals
from pytest_splitcheck.measure.neighbours.scratch import Scratch
from pytest_splitcheck.measure.rows import Integers

__all__ = ["Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a base.

    Attributes
    ----------
    products : Products
        Of the whole base, with factors that are kept.
    rows : ndarray of int
        Ascending.
    columns : Columns
        Its rows are positions in `rows`.
    column : ndarray of int, shape (columns,)
        Which of the whole base each column is; any, for padding.
    """

    products: Products
    rows: Integers
    columns: Columns
    column: Integers

    @classmethod
    def of(cls, products: Products, rows: Integers, removals: Removals) -> Part:
        """Return the part of some rows of the base, ascending."""
        columns = products.base.column[rows]
        kind = products.base.kind_of_column[columns]
        part = Columns(kind, removals, products.frame.n_features)
        return cls(products, rows, part, columns[part.row])

    def squared(
        self, left: Reals, own: Integers | None, scratch: Scratch, factors: Scratch
    ) -> tuple[Reals, Reals]:
        """Return what `Products.squared` does."""
        itself = None if own is None else self._columns(own)
        return squared_by_tiles(
            left, self.columns, lambda tile: self._right(tile, factors), itself, scratch
        )

    def _right(self, tile: slice, scratch: Scratch) -> Reals:
        kept = self.products.kept
        assert kept is not None
        factors = scratch.taken(kept, self.column[tile])
        padding = np.flatnonzero(self.columns.row[tile] < 0)
        factors[padding, :-2] = 0.0
        factors[padding, -2:] = 1.0, np.inf
        return factors

    def _columns(self, rows: Integers) -> Integers:
        """Return the columns of base rows; -1 for those of none."""
        place = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[place] == rows, self.columns.column[place], -1)
