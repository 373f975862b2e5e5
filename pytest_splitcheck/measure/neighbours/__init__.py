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

Of a large base less is looked at, where a probe says that it pays (`cheapest`). Queries that are near each
other make a cell (`cells`). The rows around them (`vicinity`) tell how far their neighbours can be, lower
`bounds` by a `projection` leave out most of the base, and only the rest is multiplied in full
(`shortlists`). Where no bound helps, each pair of tiles of a base with itself is multiplied once
(`symmetric`). Rows of few values are searched by a `tree`.
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
