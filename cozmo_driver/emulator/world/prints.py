"""Pictures for the sides of boxes and cubes: AprilTag and ArUco tags, photographs of the user."""

from __future__ import annotations

import io
import re
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from ...whole_files import read_whole
from .optics import Gray
from .things import sizes

_LARGEST_FILE = 8 * 1024 * 1024
_LARGEST = 4096
"""Pixels of a photograph's side."""
_SIDE = 512
"""Pixels of its longer side as it is shown."""
_FORMATS = ("JPEG", "PNG")
_CELL = 10
"""Pixels of a tag's cell."""
_WHITE, _INK = 190, 17


class PrintError(ValueError):
    """Why there is no such picture; one line."""


def photograph(path: Path) -> tuple[Gray, ...]:
    """Return a photograph in gray, smaller and smaller. Raises ``PrintError``.

    Nothing is decoded before the file's and the picture's size are known to be sane.
    """
    try:
        data = read_whole(path, _LARGEST_FILE)
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            if max(image.size) > _LARGEST:
                size = f"{image.width} x {image.height}"
                raise ValueError(f"{size} pixels are more than {_LARGEST} along a side")
            image.draft("L", (_SIDE, _SIDE))
            gray = image.convert("L")
    except UnidentifiedImageError:
        raise PrintError(f"{path} is no JPEG or PNG picture") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise PrintError(f"{path} cannot be read: {why}") from error
    gray.thumbnail((_SIDE, _SIDE))
    return sizes(np.asarray(gray))


@lru_cache(maxsize=64)
def tag(text: str) -> tuple[tuple[Gray, ...], float]:
    """Return a tag such as ``36h11:5`` or ``4x4_50:7`` with a light margin of one cell.

    And how much wider that is than the tag. Raises ``PrintError``.
    """
    try:
        from cv2 import aruco
    except ImportError:
        raise PrintError(f"the tag {text} needs OpenCV: install python3-opencv") from None
    family, _, number = text.partition(":")
    name = f"DICT_APRILTAG_{family}" if "h" in family.lower() else f"DICT_{family.upper()}"
    if not hasattr(aruco, name) or not re.fullmatch(r"[0-9]{1,4}", number):
        raise PrintError(f"{text[:40]!r} is no tag: write one as 36h11:5 or 4x4_50:7")
    dictionary = aruco.getPredefinedDictionary(getattr(aruco, name))
    count = len(dictionary.bytesList)
    if int(number) >= count:
        raise PrintError(f"{family} has the tags 0 to {count - 1}, not {number}")
    cells = dictionary.markerSize + 2
    cell = aruco.generateImageMarker(dictionary, int(number), cells)
    picture = np.where(np.pad(cell, 1, constant_values=255) > 0, _WHITE, _INK).astype(np.uint8)
    return sizes(np.kron(picture, np.ones((_CELL, _CELL), np.uint8))), (cells + 2) / cells
