"""Exact nearest neighbours, in one pass for all splits.

Two questions are asked of a base of labelled rows. Which classes fill a row's k neighbour slots, with
ties shared (`neighbour_shares`, for leakage)? And which are the k nearest rows once a class is taken
away, for every class that is held out (`surviving_neighbours`, for the detectors)? Of a base with itself,
one search answers both (`shares_and_lists`, for leakage and geometry).

A search answers both. Its steps, in numpy, for one block of queries after the other (`blocks`):

1. `products`: squared distances to the whole base by one matrix product, in float32 where that is
   faster, and the minimum of each group of base rows.
2. `removals`: from the smallest minima, how far a row of each class can be and still be among the k
   nearest after some removal.
3. `reach`: what lies within that, widened by a rigorous bound on the product's error, is a candidate;
   queries with too many of them are asked again in float64.
4. `exact`: the candidates' distances from differences of the original values in float64; only these
   decide.

Where there is enough work for loops that numba compiles, candidates are found tile by tile instead, if a
probe says that it pays (`cheapest`): the rows around a query tell how far its neighbours can be
(`vicinity`), so that lower bounds by a `projection` leave out nearly all pairs of `tiles`, and each pair of
a base with itself is compared once (`symmetric`). Rows of few values are searched by a `tree`.
"""

from pytest_splitcheck.measure.neighbours.lists import Neighbours, surviving_neighbours
from pytest_splitcheck.measure.neighbours.shares import neighbour_shares, neighbour_shares_in_turn
from pytest_splitcheck.measure.neighbours.together import shares_and_lists

__all__ = [
    "Neighbours",
    "neighbour_shares",
    "neighbour_shares_in_turn",
    "shares_and_lists",
    "surviving_neighbours",
]
