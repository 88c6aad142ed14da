"""``cozmo.oled_face``: pictures for the face, 1024 bytes each (spec 21 §7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SCREEN_WIDTH, SCREEN_HALF_HEIGHT = 128, 32
_HEIGHT = 2 * SCREEN_HALF_HEIGHT


def dimensions() -> tuple[int, int]:
    """Return width and height of what can be shown."""
    return SCREEN_WIDTH, SCREEN_HALF_HEIGHT


def convert_pixels_to_screen_data(
    pixel_data: Sequence[int] | bytes, width: int, height: int
) -> bytearray:
    """Return the screen's bytes of pixels 0 or 1. Raises ``ValueError`` for a size unlike it."""
    if len(pixel_data) != width * height:
        raise ValueError(f"{width}x{height} are not the {len(pixel_data)} pixels given")
    if not width or not height or SCREEN_WIDTH % width or _HEIGHT % height:
        raise ValueError(f"{width}x{height} does not divide {SCREEN_WIDTH}x{_HEIGHT}")
    pixels = np.array(list(pixel_data), np.uint8).reshape(height, width) > 0
    full = pixels.repeat(_HEIGHT // height, axis=0).repeat(SCREEN_WIDTH // width, axis=1)
    return bytearray(np.packbits(full, axis=1).tobytes())


def convert_image_to_screen_data(
    image: Any, invert_image: bool = False, pixel_threshold: int = 127
) -> bytearray:
    """Return the screen's bytes of a PIL image: lit where it is brighter than the threshold."""
    gray = np.asarray(image.convert("L"))
    lit = (gray > pixel_threshold) != invert_image
    height, width = lit.shape
    return convert_pixels_to_screen_data(lit.astype(np.uint8).ravel().tolist(), width, height)
