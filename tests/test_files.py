from __future__ import annotations

import errno
import os
import stat

import pytest

from pytest_splitcheck.files import write_atomically


def test_folders_are_made_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "a" / "b" / "out.json"
    write_atomically(path, "é\r\n")
    assert path.read_bytes() == "é\r\n".encode()
    write_atomically(path, b"\xff")
    assert path.read_bytes() == b"\xff"
    assert os.listdir(path.parent) == ["out.json"]


def test_lone_surrogates_are_spelled_out(tmp_path):
    write_atomically(tmp_path / "a", "x\ud800")
    assert (tmp_path / "a").read_text() == "x\\ud800"


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch, call, error):
    def fail(*args, **options):
        raise error

    path = tmp_path / "out.json"
    path.write_text("before")
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(type(error)) as caught:
        write_atomically(path, "after")
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["out.json"]
    if isinstance(error, OSError):
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="Not a directory") as caught:
        write_atomically(tmp_path / "file" / "out.json", "")
    assert caught.value.filename == str(tmp_path / "file" / "out.json")


def test_permissions_are_the_usual_ones_and_stay(tmp_path):
    fresh, usual = tmp_path / "fresh", tmp_path / "usual"
    usual.write_text("")
    write_atomically(fresh, "")
    assert stat.S_IMODE(fresh.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    fresh.chmod(0o640)
    write_atomically(fresh, "again")
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "target").write_text("before")
    (tmp_path / "link").symlink_to("target")
    write_atomically(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "after"


def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(path, "told")
    assert os.read(reader, 10) == b"told"
    os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)
