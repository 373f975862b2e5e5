"""The folder: what is in it is bounded, and nothing that happens to it does harm."""

from __future__ import annotations

import os

import pytest

from pytest_splitcheck import ClassSplit, files
from pytest_splitcheck.cache import store
from pytest_splitcheck.cache.identity import Passing
from pytest_splitcheck.cache.store import Store

SPLIT = ClassSplit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"], folds=2)


def at(folder):
    return Store(lambda: folder)


def shelf_at(folder, split=SPLIT, transformer=None):
    return at(folder).shelf(split, split.fingerprint, transformer)


def one_file(folder):
    (path,) = folder.iterdir()
    return path


def test_what_was_put_is_there_for_another(tmp_path):
    shelf_at(tmp_path).put("spacing", 0.1)
    assert shelf_at(tmp_path).get("spacing") == 0.1
    assert shelf_at(tmp_path).get("duplicates") is None
    assert one_file(tmp_path).name.isalnum()


def test_another_benchmark_representation_or_version_has_a_place_of_its_own(tmp_path, monkeypatch):
    shelf_at(tmp_path).put("spacing", 0.1)
    other = ClassSplit(SPLIT.X, ["a", "b", "a", "b"], folds=2)
    assert shelf_at(tmp_path, other).get("spacing") is None
    assert shelf_at(tmp_path, transformer="1f").get("spacing") is None
    monkeypatch.setattr(store, "versions", lambda: ("another",))
    assert shelf_at(tmp_path).get("spacing") is None


@pytest.mark.parametrize("transformer", [Passing("1f"), object()], ids=["foreign", "no pickle"])
def test_what_does_not_last_is_not_written(tmp_path, transformer):
    shelf_at(tmp_path, transformer=transformer).put("spacing", 0.1)
    shelf_at(tmp_path).put(("alone", (transformer, 0)), 0.1)
    assert not list(tmp_path.iterdir())


def test_the_folder_is_made_when_it_is_needed(tmp_path):
    made = []

    def make():
        made.append(1)
        return tmp_path

    shelf = Store(make).shelf(SPLIT, SPLIT.fingerprint, None)
    assert not made
    shelf.put("spacing", 0.1)
    shelf.get("spacing")
    assert made == [1]


@pytest.mark.parametrize("place", ["cut", "flipped", "longer"])
def test_a_damaged_file_counts_for_nothing_and_is_replaced(tmp_path, place):
    shelf_at(tmp_path).put("spacing", 0.1)
    path = one_file(tmp_path)
    whole = path.read_bytes()
    for number in range(len(whole)):
        path.write_bytes(
            {
                "cut": whole[:number],
                "flipped": whole[:number] + bytes([whole[number] ^ 1]) + whole[number + 1 :],
                "longer": whole + bytes(number + 1),
            }[place]
        )
        assert shelf_at(tmp_path).get("spacing") is None, number
    shelf_at(tmp_path).put("spacing", 0.1)
    assert path.read_bytes() == whole


def test_a_file_under_the_name_of_another_counts_for_nothing(tmp_path):
    shelf_at(tmp_path).put("spacing", 0.1)
    first = one_file(tmp_path)
    other = ClassSplit(SPLIT.X, ["a", "b", "a", "b"], folds=2)
    shelf_at(tmp_path, other).put("spacing", 0.2)
    (second,) = set(tmp_path.iterdir()) - {first}
    second.write_bytes(first.read_bytes())
    assert shelf_at(tmp_path, other).get("spacing") is None
    assert shelf_at(tmp_path).get("spacing") == 0.1


def test_a_pickle_is_not_even_looked_at(tmp_path):
    import pickle

    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "exploded"),)

    shelf_at(tmp_path).put("spacing", 0.1)
    one_file(tmp_path).write_bytes(pickle.dumps(Bomb()))
    assert shelf_at(tmp_path).get("spacing") is None
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe", "directory", "too large"])
def test_what_is_no_file_of_ours_is_left_alone(tmp_path, kind, monkeypatch):
    folder, outside = tmp_path / "cache", tmp_path / "outside"
    folder.mkdir()
    shelf_at(folder).put("spacing", 0.1)
    path = one_file(folder)
    data = path.read_bytes()
    path.unlink()
    if kind == "link":
        outside.write_bytes(data)
        path.symlink_to(outside)
    elif kind == "link to nothing":
        path.symlink_to(outside)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.write_bytes(data)
        monkeypatch.setattr(store, "_LARGEST", len(data) - 1)
    before = path.lstat()
    shelf = shelf_at(folder)
    assert shelf.get("spacing") is None
    shelf.put("spacing", 0.2)
    assert shelf.get("spacing") is None
    assert path.lstat().st_ino == before.st_ino
    assert outside.exists() == (kind == "link")


def test_a_part_that_is_too_large_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_LARGEST", 50)
    shelf_at(tmp_path).put("spacing", 0.1)
    assert not list(tmp_path.iterdir())


# --- a folder that cannot be used -----------------------------------------------------------


@pytest.mark.parametrize("error", [PermissionError, FileExistsError, NotADirectoryError])
def test_without_a_folder_nothing_is_kept(error):
    def make():
        raise error

    shelf = Store(make).shelf(SPLIT, SPLIT.fingerprint, None)
    shelf.put("spacing", 0.1)
    assert shelf.get("spacing") is None


def test_a_full_disk_is_tried_once_and_leaves_nothing(tmp_path, monkeypatch):
    tries = []

    def full(*_):
        tries.append(1)
        raise OSError(28, "No space left on device")

    shelf = shelf_at(tmp_path)
    monkeypatch.setattr(files.os, "fsync", full)
    shelf.put("spacing", 0.1)
    monkeypatch.undo()
    shelf.put("spacing", 0.1)
    assert tries == [1]
    assert shelf.get("spacing") is None
    assert not list(tmp_path.iterdir())


def test_a_read_only_folder_is_read(tmp_path, monkeypatch):
    shelf_at(tmp_path).put("spacing", 0.1)

    def refused(*_, **__):
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(store, "write_atomically", refused)
    monkeypatch.setattr(store.os, "utime", refused)
    shelf = shelf_at(tmp_path)
    assert shelf.get("spacing") == 0.1
    shelf.put("spacing", 0.2)
    assert shelf.get("spacing") == 0.1


def test_a_folder_that_vanished_is_made_again(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    shelf = shelf_at(folder)
    shelf.put("spacing", 0.1)
    one_file(folder).unlink()
    folder.rmdir()
    assert shelf.get("spacing") is None
    shelf.put("spacing", 0.1)
    assert shelf.get("spacing") == 0.1


# --- bounds ---------------------------------------------------------------------------------


def folder_size(folder):
    return sum(path.stat().st_size for path in folder.iterdir())


@pytest.mark.parametrize("bound", ["files", "bytes"])
def test_the_folder_is_bounded_and_what_is_used_stays(tmp_path, monkeypatch, bound):
    size = 1000
    monkeypatch.setattr(store, "_MOST_FILES", 40 if bound == "files" else 10**6)
    monkeypatch.setattr(store, "_MOST_BYTES", 10**9 if bound == "files" else 40 * size)
    kept = at(tmp_path)
    names = [f"{number:040x}" for number in range(300)]
    for number, name in enumerate(names):
        kept.write(name, bytes(size))
        os.utime(tmp_path / name, ns=(number, number))
        assert kept.read(names[0]) == bytes(size), number  # which makes it the latest
        assert len(list(tmp_path.iterdir())) <= 40
    assert kept.read(names[1]) is None
    assert kept.read(names[-1]) == bytes(size)
    assert len(list(tmp_path.iterdir())) > 25


def test_what_others_left_unfinished_goes_too(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_MOST_FILES", 10)
    for number in range(20):
        os.utime(os.open(tmp_path / f".splitcheck-{number}.tmp", os.O_CREAT), ns=(0, 0))
    at(tmp_path).write("a" * 40, b"x")
    assert len(list(tmp_path.iterdir())) <= 9
    assert at(tmp_path).read("a" * 40) == b"x"
