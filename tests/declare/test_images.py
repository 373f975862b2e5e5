import sys

import numpy as np
import pytest

from pytest_splitcheck import InputError
from pytest_splitcheck.declare.images import read_images

pillow = pytest.importorskip("PIL.Image")


@pytest.fixture
def folder(tmp_path):
    def save(name, array, **options):
        path = tmp_path / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pillow.fromarray(np.asarray(array)).save(path, **options)
        return path

    save.path = tmp_path / "images"
    return save


def shade(value, shape=(4, 6, 3)):
    return np.full(shape, value, dtype=np.uint8)


def read(folder, size=None, mode="RGB"):
    return read_images(folder.path, "images/", size, mode)


def test_classes_are_folders_in_the_order_of_their_names(folder):
    folder("dog/2.png", shade(20))
    folder("dog/10.png", shade(10))
    folder("cat/deep/er/x.PNG", shade(30))
    folder("cat/a.png", shade(40))
    folder(".hidden/x.png", shade(1))
    folder("cat/.x.png", shade(2))
    (folder.path / "cat" / "notes.txt").write_text("no image")
    (folder.path / "readme.md").write_text("no class")
    found = read(folder)
    assert found.X.shape == (4, 4, 6, 3)
    assert found.X.dtype == np.uint8
    assert [int(image.max()) for image in found.X] == [40, 30, 10, 20]
    assert found.y == ["cat", "cat", "dog", "dog"]
    assert found.untyped


def test_it_tells_how_far_it_is(folder):
    for name in ("a/x.png", "a/y.png", "b/z.png"):
        folder(name, shade(0))
    told = []
    read_images(folder.path, "images", None, "L", lambda *step: told.append(step))
    assert told == [("images", 1, 3), ("images", 2, 3), ("images", 3, 3)]


def test_modes(folder):
    colours = np.zeros((2, 2, 4), dtype=np.uint8)
    colours[..., 0], colours[..., 3] = 200, 7
    folder("a/x.png", colours)
    folder("a/y.png", shade(9, (2, 2)))
    found = read(folder)
    np.testing.assert_array_equal(found.X[0], colours[..., :3])
    np.testing.assert_array_equal(found.X[1], shade(9, (2, 2, 3)))
    grey = read(folder, mode="L").X
    assert grey.shape == (2, 2, 2)
    # ITU-R 601: 0.299 R
    assert (grey[0] == round(0.299 * 200)).all()
    assert (grey[1] == 9).all()


def test_resized_images(folder):
    halves = shade(0, (8, 8, 3))
    halves[:, 4:] = 100
    folder("a/x.png", halves)
    folder("b/y.png", shade(50, (2, 4, 3)))
    found = read(folder, size=(4, 2))
    assert found.X.shape == (2, 2, 4, 3)
    assert (found.X[1] == 50).all()
    left, right = found.X[0, 0, 0, 0], found.X[0, 0, 3, 0]
    assert (left, right) == (0, 100)


def test_images_of_several_sizes_are_refused(folder):
    folder("a/x.png", shade(0, (4, 6, 3)))
    folder("b/y.png", shade(0, (6, 4, 3)))
    with pytest.raises(
        InputError, match=r"^images/b/y\.png has 4 x 6 pixels, the first image 6 x 4; .* size = \["
    ):
        read(folder)


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n" + bytes(50)])
def test_a_file_that_is_no_image_is_named_without_its_path(folder, content):
    folder("a/x.png", shade(0))
    (folder.path / "a" / "y.jpg").write_bytes(content)
    with pytest.raises(InputError, match=r"images/a/y\.jpg (is not|cannot be read)") as caught:
        read(folder)
    assert str(folder.path) not in str(caught.value)


def test_a_truncated_image_is_named(folder):
    path = folder("a/x.png", np.random.default_rng(0).integers(0, 255, (40, 40, 3), dtype=np.uint8))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match=r"images/a/x\.png cannot be read as an image"):
        read(folder)


def test_values_beyond_eight_bits_are_refused(folder):
    folder("a/x.png", np.full((2, 2), 60_000, dtype=np.uint16))
    with pytest.raises(InputError, match=r"images/a/x\.png is of mode I;16, .* more than 8 bits"):
        read(folder)


def test_a_bomb_is_refused(folder, monkeypatch):
    folder("a/x.png", shade(0))
    monkeypatch.setattr(pillow, "MAX_IMAGE_PIXELS", 20)
    with pytest.raises(InputError, match=r"images/a/x\.png cannot be read as an image"):
        read(folder)


def test_empty_folders(folder):
    folder.path.mkdir()
    with pytest.raises(
        InputError, match=r"^images has no folders; there must be one for each class"
    ):
        read(folder)
    folder("a/x.png", shade(0))
    (folder.path / "b").mkdir()
    with pytest.raises(InputError, match=r"^images/b holds no image"):
        read(folder)


def test_without_pillow(folder, monkeypatch):
    folder("a/x.png", shade(0))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(
        InputError, match=r"install Pillow \(pip install 'pytest-splitcheck\[images\]'"
    ):
        read(folder)
