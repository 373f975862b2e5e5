from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

from pytest_splitcheck.measure.images import are_images, thumbnails


def read(image):
    """Return the pixels that Pillow reads from a PNG file in base64."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(image))))


def decoded(images, shape=None):
    """Return the pixels of the thumbnails."""
    images = np.asarray(images)
    files = thumbnails(images.reshape(len(images), -1), shape or images.shape[1:])
    return [read(file) for file in files]


def noise(*shape):
    return np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((8, 8), True),
        ((1, 20), True),
        ((32, 32, 3), True),
        ((28, 28, 1), True),
        ((3, 32, 32), True),
        ((1, 28, 28), True),
        ((32, 32, 4), False),
        ((64,), False),
        ((), False),
        ((3, 8, 8, 3), False),
    ],
)
def test_what_is_an_image(shape, expected):
    assert are_images(shape) is expected


@pytest.mark.parametrize("shape", [(8, 8), (5, 9), (64, 64), (1, 1), (7, 5, 3), (7, 5, 1)])
def test_bytes_come_back_as_they_were(shape):
    images = noise(3, *shape)
    images[0].flat[0] = 255
    for image, found in zip(images, decoded(images), strict=True):
        assert found.dtype == np.uint8
        assert (found == image.squeeze(axis=-1 if shape[-1] == 1 and len(shape) == 3 else ())).all()


def test_channels_may_come_first():
    images = noise(2, 6, 5, 3)
    for image, found in zip(images, decoded(np.moveaxis(images, -1, 1)), strict=True):
        assert (found == image).all()
    grey = noise(2, 6, 5)
    for image, found in zip(grey, decoded(grey[:, None]), strict=True):
        assert (found == image).all()


@pytest.mark.parametrize(
    ("values", "shades"),
    [
        ([0.0, 0.5, 1.0], [0, 128, 255]),
        ([0.0, 0.1, 0.2], [0, 26, 51]),
        ([False, True, True], [0, 255, 255]),
        ([0.0, 100.0, 200.0], [0, 100, 200]),
        ([0, 8, 16], [0, 128, 255]),
        ([-1.0, 0.0, 1.0], [0, 128, 255]),
        ([-3.0, -2.0, -1.0], [0, 128, 255]),
        ([0, 500, 1000], [0, 128, 255]),
        ([-1e308, 0.0, 1e308], [0, 128, 255]),
        ([0.0, 0.0, 0.0], [0, 0, 0]),
    ],
    ids=str,
)
def test_values_are_shaded_by_their_range(values, shades):
    (found,) = decoded([[values]])
    assert found[0].tolist() == shades


def test_all_images_are_shaded_alike():
    dark, bright = decoded([[[0.0, 8.0]], [[0.0, 16.0]]])
    assert dark.tolist() == [[0, 128]]
    assert bright.tolist() == [[0, 255]]


def test_of_large_images_blocks_are_averaged():
    image = np.kron(noise(64, 50), np.ones((3, 3), np.uint8))
    (found,) = decoded(image[None])
    assert (found == image[::3, ::3]).all()
    (found,) = decoded(np.full((1, 130, 64), 200, np.uint8))
    assert found.shape == (44, 64)
    assert (found == 200).all()
