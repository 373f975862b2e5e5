"""What a page draws is kept too: a second run has no rows to embed, to search or to transform."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.decomposition import PCA

from pytest_splitcheck import ClassSplit
from pytest_splitcheck.cache.outline import Outline
from pytest_splitcheck.cache.parts import packed, unpacked
from pytest_splitcheck.cache.store import Store
from pytest_splitcheck.measure.evaluate import measure
from pytest_splitcheck.measure.memory import Memory
from pytest_splitcheck.measure.pictures import pictures
from pytest_splitcheck.measure.protocol import Protocol
from tests.builders import clusters
from tests.cache.shelves import Packed, counted_work

ROWS, Y = clusters([[0.0] * 12, [1.5] + [0.0] * 11, [0.0, 1.5] + [0.0] * 10], 30, seed=3)
IMAGES = ROWS.reshape(-1, 4, 3)

SPLITS = {
    "images": lambda: ClassSplit(IMAGES, Y, folds=2),
    "dropped": lambda: ClassSplit(IMAGES, Y, folds=2, drop=[1]),
    "representation": lambda: ClassSplit(
        IMAGES, Y, folds=2, representation=PCA(3, svd_solver="full")
    ),
    "labels": lambda: ClassSplit(IMAGES, np.array(["\x1b", "<b>", "c"])[Y], metric="cosine"),
    "none leaks": lambda: ClassSplit(IMAGES + 99.0 * Y[:, None, None], Y),
}


def drawn(split, shelf, embedding="pca", **options):
    """Return the pictures, from a new session's memory, and the work that they took."""
    protocol = Protocol(detectors=(), **options)
    report = measure(split, protocol, Memory(shelf), id, (0.5,), again=lambda *_: None)
    with counted_work() as work:
        found = pictures(report, embedding=embedding, memory=Memory(shelf))
    return found, work


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize("embedding", ["pca", "tsne"])
def test_pictures_from_the_shelf_are_those_that_were_drawn(name, embedding):
    split = SPLITS[name]()
    shelf = Packed(split)
    first, work = drawn(split, shelf, embedding)
    assert work["embeddings"] == 1
    assert bool(work["searches"]) == (name != "none leaks")
    again, work = drawn(split, shelf, embedding)
    assert not work
    assert json.dumps(again) == json.dumps(first)
    assert json.dumps(drawn(split, None, embedding)[0]) == json.dumps(first)


def test_what_was_drawn_for_another_purpose_changes_nothing():
    split = SPLITS["images"]()
    shelf = Packed(split)
    asked = [
        {"embedding": embedding, "k": k, "sampling": sampling}
        for embedding in ("pca", "tsne")
        for k in (3, 5)
        for sampling in ("never", "always")
    ]
    for one in asked:
        fresh = json.dumps(drawn(split, None, **one)[0])
        assert json.dumps(drawn(split, shelf, **one)[0]) == fresh
        assert json.dumps(drawn(split, shelf, **one)[0]) == fresh


def test_other_rows_are_drawn_anew(tmp_path):
    store = Store(lambda: tmp_path)

    def embedded(split):
        return drawn(split, store.shelf(split, split.fingerprint, None))[1]["embeddings"]

    assert [embedded(SPLITS["images"]()) for _ in range(2)] == [1, 0]
    assert embedded(ClassSplit(IMAGES + 1e-9, Y, folds=2)) == 1


def test_neighbours_of_other_numbers_are_none():
    """A search for so many rows, and so many neighbours of each."""
    outline = Outline.of(SPLITS["images"]())
    index = np.arange(6).reshape(2, 3)
    data = packed(("leaking", 2, 3, "x"), index, outline)
    assert (unpacked(("leaking", 2, 3, "x"), data, outline) == index).all()
    assert unpacked(("leaking", 3, 2, "x"), data, outline) is None
    assert packed(("leaking", 2, 3, "x"), index + 90, outline) is None
