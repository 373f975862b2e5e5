"""The quantities that the package measures, written again: by definition, slow, independent.

Distances and rates are exact (integers and fractions); the local outlier factor is float64.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

Number = int | Fraction


def exact(value: Any) -> Number:
    number = Fraction(value)
    return number.numerator if number.denominator == 1 else number


def rows(X: Any) -> list[list[Number]]:
    return [[exact(value) for value in row] for row in X.tolist()]


def squared_distance(a: Sequence[Number], b: Sequence[Number]) -> Number:
    return sum((p - q) ** 2 for p, q in zip(a, b, strict=True))


def neighbour_shares(X: Any, codes: Any, n_classes: int, k: int) -> list[list[Fraction]]:
    """Slots of each row that each class fills; rows tied at the k-th distance share what is left."""
    points, codes = rows(X), [int(code) for code in codes]
    shares = []
    for i, point in enumerate(points):
        others = [
            (squared_distance(point, other), codes[j]) for j, other in enumerate(points) if j != i
        ]
        border = sorted(distance for distance, _ in others)[k - 1]
        closer = [code for distance, code in others if distance < border]
        tied = [code for distance, code in others if distance == border]
        each = Fraction(k - len(closer), len(tied))
        shares.append([closer.count(c) + tied.count(c) * each for c in range(n_classes)])
    return shares


def pointwise(X: Any, codes: Any, k: int) -> list[Fraction]:
    """Return l_k(i)."""
    shares = neighbour_shares(X, codes, int(max(codes)) + 1, k)
    return [1 - row[int(code)] / k for row, code in zip(shares, codes, strict=True)]


def chance(counts: Sequence[int]) -> Fraction:
    """Return the probability that two different rows differ in label."""
    labels = [c for c, count in enumerate(counts) for _ in range(count)]
    pairs = [(a, b) for i, a in enumerate(labels) for j, b in enumerate(labels) if i != j]
    return Fraction(sum(a != b for a, b in pairs), len(pairs))


def nearest(
    base: Any,
    codes: Any,
    queries: Any,
    k: int,
    removed: Collection[int] = (),
    own: Sequence[int] | None = None,
) -> list[list[tuple[Number, int]]]:
    """Return (squared distance, row) of the k nearest base rows of no class in `removed`."""
    points = rows(base)
    found = []
    for i, query in enumerate(rows(queries)):
        self = None if own is None else int(own[i])
        distances = [
            (squared_distance(query, point), j)
            for j, point in enumerate(points)
            if j != self and int(codes[j]) not in removed
        ]
        found.append(sorted(distances)[:k])
    return found


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> Fraction:
    """Count every pair of a positive and a negative row; a tie counts one half."""
    above = [s for s, p in zip(scores, positive, strict=True) if p]
    below = [s for s, p in zip(scores, positive, strict=True) if not p]
    won = sum(Fraction(2 * (a > b) + (a == b), 2) for a in above for b in below)
    return won / (len(above) * len(below))


def mean_distance(base: Any, queries: Any, k: int) -> list[float]:
    zeros = [0] * len(base)
    return [
        math.fsum(math.sqrt(d) for d, _ in found) / k for found in nearest(base, zeros, queries, k)
    ]


def local_outlier_factor(pool: Any, queries: Any, k: int) -> list[float]:
    """Breunig et al. 2000, in novelty mode, with scikit-learn's 1e-10 in the density."""
    zeros, n = [0] * len(pool), len(pool)
    around_pool = nearest(pool, zeros, pool, k, own=range(n))
    around_queries = nearest(pool, zeros, queries, k)
    reach = [math.sqrt(found[-1][0]) for found in around_pool]

    def density(found: list[tuple[Number, int]]) -> float:
        reachable = [max(math.sqrt(d), reach[j]) for d, j in found]
        return 1 / (math.fsum(reachable) / k + 1e-10)

    of_pool = [density(found) for found in around_pool]
    return [
        math.fsum(of_pool[j] for _, j in found) / k / density(found) for found in around_queries
    ]


def rates(aurocs: Sequence[Fraction], epsilon: Fraction) -> dict[str, Fraction]:
    """Return rho_rnd, rho_inv and rho_dir of exact AUROCs."""
    half, n = Fraction(1, 2), len(aurocs)
    up = sum(value - half > epsilon for value in aurocs)
    down = sum(half - value > epsilon for value in aurocs)
    return {
        "rho_rnd": Fraction(n - up - down, n),
        "rho_inv": Fraction(sum(value < half for value in aurocs), n),
        "rho_dir": 1 - Fraction(max(up, down), n),
    }
