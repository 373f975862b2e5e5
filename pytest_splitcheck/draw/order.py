"""Classes in an order in which those that are alike stand together."""

from __future__ import annotations

from typing import Any

__all__ = ["by_similarity"]


def by_similarity(matrix: list[list[float] | None]) -> list[int]:
    """Return the order of classes in which the leakage matrix shows its blocks.

    That of the leaves of a tree of average linkage over (M[a, b] + M[b, a]) / 2, flipped at its forks so that
    neighbours are as alike as can be (Bar-Joseph et al. 2001, as scipy has it).

    Parameters
    ----------
    matrix : list of K lists of K floats
        A row may be None: then its class is like no other by its own neighbours.

    Returns
    -------
    list of int
        Positions, the first class in the first half.
    """
    import numpy as np
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    n = len(matrix)
    if n < 3:
        return list(range(n))
    shares = np.array([[0.0] * n if row is None else row for row in matrix])
    alike = (shares + shares.T) / 2
    apart: Any = alike.max() - alike
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart), "average", optimal_ordering=True)
    order: list[int] = leaves_list(tree).tolist()
    return order if order.index(0) < n / 2 else order[::-1]
