"""Rows that are images, as small PNG files."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_splitcheck.declare.arrays import Matrix

__all__ = ["are_images", "thumbnails"]

Pixels = npt.NDArray[np.uint8]

_SIDE = 64
"""Pixels of the longest side; of larger images, blocks of pixels are averaged."""

_DARKEST_BYTES = 64
"""Values from 0 that reach beyond 1 but not beyond this are no bytes: 255 would leave them black."""


def are_images(row_shape: tuple[int, ...]) -> bool:
    """Tell whether rows of that shape are images: (h, w), (h, w, 1 or 3) or (1 or 3, h, w)."""
    return len(row_shape) == 2 or (len(row_shape) == 3 and bool({1, 3} & {*row_shape[::2]}))


def thumbnails(rows: Matrix, row_shape: tuple[int, ...]) -> list[str]:
    """Return images as PNG files, in base64.

    Values from 0 to 1, or to 255, are shades as they are; others from their least, or 0, to their largest.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        All are shaded alike.
    row_shape : tuple of int
        A shape that `are_images` takes.
    """
    images = rows.astype(np.float64).reshape(-1, *row_shape)
    if images.ndim == 3:
        images = images[..., None]
    elif row_shape[-1] not in (1, 3):
        images = np.moveaxis(images, 1, -1)
    shades = _shades(images)
    return [base64.b64encode(png(_shrunk(image))).decode("ascii") for image in shades]


def _shades(values: Any) -> Any:
    """Return values from 0 to 255."""
    low, high = min(0.0, float(values.min())), float(values.max())
    if low == 0 and high <= 1:
        high = 1.0
    elif low == 0 and _DARKEST_BYTES < high <= 255:
        high = 255.0
    # Halves, as the difference of the largest numbers is beyond float64.
    return (values / 2 - low / 2) / (high / 2 - low / 2) * 255


def _shrunk(image: Any) -> Pixels:
    for axis in (0, 1):
        size = image.shape[axis]
        step = -(-size // _SIDE)
        starts = np.arange(0, size, step)
        counts = np.diff(np.append(starts, size))
        sums = np.add.reduceat(image, starts, axis=axis)
        image = sums / counts.reshape([-1 if one == axis else 1 for one in range(3)])
    pixels: Pixels = np.rint(image).astype(np.uint8)
    return pixels


def png(pixels: Pixels) -> bytes:
    """Return a PNG file (ISO/IEC 15948) of 8 bits a channel.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (h, w, 1) or (h, w, 3)
        Grey, or red, green and blue.
    """
    height, width, channels = pixels.shape
    colour_type = 0 if channels == 1 else 2
    head = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    lines = np.hstack([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)])
    parts: Sequence[tuple[bytes, bytes]] = (
        (b"IHDR", head),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
