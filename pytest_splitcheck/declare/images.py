"""A folder of images, with a folder in it for each class."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from pytest_splitcheck.declare.arrays import Matrix
from pytest_splitcheck.declare.data import Data
from pytest_splitcheck.errors import InputError
from pytest_splitcheck.errors import hide_from_users as __tracebackhide__  # noqa: F401

__all__ = ["Tell", "read_images"]

Tell = Callable[[str, int, int], object]

_FORMATS: Final = {
    ".bmp": "BMP",
    ".gif": "GIF",
    ".jpeg": "JPEG",
    ".jpg": "JPEG",
    ".pgm": "PPM",
    ".png": "PNG",
    ".ppm": "PPM",
    ".tif": "TIFF",
    ".tiff": "TIFF",
    ".webp": "WEBP",
}
"""Ends of the names of images. Other files are no images, and left alone."""

_EIGHT_BITS: Final = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr")
"""Modes of Pillow that lose nothing but an alpha channel, and no range of values, as RGB."""


def read_images(
    folder: Path,
    shown: str,
    size: tuple[int, int] | None,
    mode: str,
    tell: Tell | None = None,
) -> Data:
    """Read images in the order of the names of classes and files.

    Parameters
    ----------
    folder : Path
        Holds a folder for each class, which is called like it. What is below those counts as theirs; names
        that begin with a dot, and files that are no images by the ends of their names, are left alone.
    shown : str
        What messages call `folder`.
    size : (width, height) or None
        What images are resized to, by Pillow's bilinear filter, which takes the mean over all pixels that
        become one. None: all have one size, and are taken as they are.
    mode : "RGB" or "L"
        Alpha channels are dropped, and rotations that a camera noted are not done.
    tell : callable, optional
        Called as ``tell("images", done, total)`` after each.

    Returns
    -------
    Data
        `X` is of type uint8 and of shape (m, height, width, 3) with "RGB", (m, height, width) with "L".

    Raises
    ------
    InputError
        If an image cannot be read, is of another size than the first, or has more than 8 bits; if a class
        has none; if Pillow is not installed.
    OSError
        If there is no such folder.
    """
    shown = shown.rstrip("/")
    try:
        import PIL.Image
    except ImportError:
        raise InputError(
            f"{shown}: to read images, install Pillow (pip install 'pytest-splitcheck[images]')."
        ) from None
    classes = _visible(folder, lambda path: path.is_dir())
    if not classes:
        raise InputError(f"{shown} has no folders; there must be one for each class.")
    found = [(one, path) for one in classes for path in _images(one, f"{shown}/{one.name}")]
    X: Matrix | None = None
    for row, (_, path) in enumerate(found):
        name = f"{shown}/{path.relative_to(folder).as_posix()}"
        image = _read(PIL.Image, path, name, size, mode)
        if X is None:
            X = np.empty((len(found), *image.shape), dtype=np.uint8)
        if image.shape != X.shape[1:]:
            raise InputError(
                f"{name} has {_told(image.shape)} pixels, the first image {_told(X.shape[1:])}; have all "
                "resized by size = [width, height]."
            )
        X[row] = image
        if tell is not None:
            tell("images", row + 1, len(found))
    return Data(X, [one.name for one, _ in found], untyped=True)


def _told(shape: tuple[int, ...]) -> str:
    return f"{shape[1]} x {shape[0]}"


def _visible(folder: Path, kind: Any) -> list[Path]:
    found = [path for path in folder.iterdir() if not path.name.startswith(".") and kind(path)]
    return sorted(found, key=lambda path: path.name)


def _images(folder: Path, shown: str) -> list[Path]:
    """Return the images below a folder in the order of their paths."""
    found = [
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in _FORMATS
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise InputError(f"{shown} holds no image ({', '.join(_FORMATS)}).")
    return sorted(found, key=lambda path: path.relative_to(folder).parts)


def _read(pillow: Any, path: Path, shown: str, size: tuple[int, int] | None, mode: str) -> Matrix:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of metadata that are not used
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            with pillow.open(path, formats=sorted(set(_FORMATS.values()))) as image:
                if image.mode not in _EIGHT_BITS:
                    raise InputError(
                        f"{shown} is of mode {image.mode}, which has more than 8 bits a value; save its "
                        "array as .npy."
                    )
                image = image.convert("RGB") if mode == "RGB" else image.convert("L")
                if size is not None and image.size != size:
                    image = image.resize(size, pillow.Resampling.BILINEAR)
                return np.asarray(image)
    except InputError:
        raise
    except pillow.UnidentifiedImageError:
        raise InputError(f"{shown} is not what its name says: no image is in it.") from None
    except (
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        Warning,
        pillow.DecompressionBombError,
    ) as error:
        raise InputError(f"{shown} cannot be read as an image: {error}") from None
