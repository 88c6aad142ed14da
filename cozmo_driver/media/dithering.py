"""Gray pictures for a display that knows only on and off, and of its rows every second one.

Every other row stays dark against burn-in; which, tells the parity: 0 lights the odd rows, 1 the
even ones, row 0 being the topmost (spec 04 §3).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from .display_codec import HEIGHT, PAIRS, WIDTH, Picture

Gray = npt.NDArray[np.uint8]
"""Rows of pixels from 0, dark, to 255, fully lit."""


def field(picture: Gray, parity: int) -> Gray:
    """Return the 32 rows of a picture of 64 or 32 rows that are shown at a parity of 0 or 1."""
    return picture[1 - parity :: 2] if len(picture) == HEIGHT else picture


def dither(picture: Gray) -> Picture:
    """Return a picture of the same shape in 0 and 1, by Floyd and Steinberg's error diffusion.

    A picture of nothing but 0 and 255 is left as it is.
    """
    bits = Image.fromarray(np.ascontiguousarray(picture)).convert("1")
    return np.asarray(bits, np.uint8)


def interlace(rows: Picture, parity: int) -> Picture:
    """Return 64 rows of which every second one is dark; the others are the 32 ``rows``."""
    picture = np.zeros((2 * PAIRS, WIDTH), np.uint8)
    picture[1 - parity :: 2] = rows
    return picture
