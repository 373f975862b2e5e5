"""Contenders that the tests of the harness run in processes of their own."""

from __future__ import annotations

from benchmarks.stopwatch import ALL


def doubled(arrays, watch, *, factor=2):
    with watch.part(ALL), watch.part("part"):
        return {"doubled": factor * arrays["X"]}


def failing(arrays, watch):
    raise ValueError("no such luck")
