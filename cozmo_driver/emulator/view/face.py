"""The display as a person sees it: small bright squares on black glass."""

from __future__ import annotations

import numpy as np
from PIL import Image

from ...media.display_codec import Picture

ZOOM = 4
"""Pixels of the picture for each of the display, both ways."""
_GLASS, _DARK, _LIT = (4, 7, 10), (13, 20, 25), (130, 225, 255)
_GAP = 1


def draw_face(picture: Picture) -> Image.Image:
    """Return 64 rows of 128 pixels, 0 or 1, as a picture of 512x256 with a palette."""
    cells = np.kron(picture + np.uint8(1), np.ones((ZOOM, ZOOM), np.uint8))
    for gap in range(_GAP):
        cells[ZOOM - 1 - gap :: ZOOM] = 0
        cells[:, ZOOM - 1 - gap :: ZOOM] = 0
    face = Image.fromarray(cells)
    face.putpalette((*_GLASS, *_DARK, *_LIT))
    return face
