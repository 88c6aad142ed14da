"""Images with what was found drawn into them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from .face_tracker import Face
from .markers import Marker
from .motion import Motion

Pixels = npt.NDArray[np.uint8]

_NAMED, _UNNAMED, _MOVING, _SHADE = (60, 230, 60), (255, 160, 0), (90, 190, 255), (0, 0, 0)
_SUBPIXEL = 4
_BAR = 6
"""Pixels."""


def draw_markers(image: Pixels, markers: Sequence[Marker]) -> Pixels:
    """Return an image, gray or RGB, as RGB of twice its size with its markers and their names.

    The thick corner is the marker's own upper left one.
    """
    rgb = image if image.ndim == 3 else cv2.cvtColor(image, cv2.COLOR_GRAY2RGB)
    drawn = cv2.resize(rgb, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
    for marker in markers:
        color = _NAMED if marker.name else _UNNAMED
        corners = np.round((marker.own_corners * 2 + 0.5) * (1 << _SUBPIXEL)).astype(np.int32)
        cv2.polylines(drawn, [corners], True, color, 1, cv2.LINE_AA, _SUBPIXEL)
        if marker.name:
            cv2.circle(
                drawn, corners[0].tolist(), 3 << _SUBPIXEL, color, -1, cv2.LINE_AA, _SUBPIXEL
            )
        x, y = marker.corners.min(axis=0) * 2
        _write(drawn, f"{marker.name or '?'} {marker.side}".strip(), x, y - 6, color)
    return drawn


def draw_faces(drawn: Pixels, faces: Sequence[Face]) -> None:
    """Draw boxes with names and distances into an image of ``draw_markers``."""
    for face in faces:
        color = _NAMED if face.name else _UNNAMED
        left, top, width, height = (round(2 * value) for value in face.box)
        corners = (left, top), (left + width, top + height)
        cv2.rectangle(drawn, *corners, color, 1, cv2.LINE_AA)
        text = f"{face.name or f'face {face.id}'} {face.distance:.1f} m"
        _write(drawn, text, left, top - 6, color)


def draw_motion(drawn: Pixels, motion: Motion) -> None:
    """Draw a circle of the size of what moves, and bars at the edges where much does."""
    rows, columns = drawn.shape[:2]
    middle = round(2 * motion.x), round(2 * motion.y)
    radius = max(4, round(math.sqrt(motion.area * rows * columns / math.pi)))
    cv2.circle(drawn, middle, radius, _MOVING, 1, cv2.LINE_AA)
    x, y = middle[0] - radius, middle[1] - radius
    _write(drawn, f"motion {100 * motion.area:.0f} %", x, y - 6, _MOVING)
    across, down = round(motion.top * columns / 2), rows // 2
    drawn[:_BAR, columns // 2 - across : columns // 2 + across] = _MOVING
    for level, edge in ((motion.left, slice(0, _BAR)), (motion.right, slice(-_BAR, None))):
        reach = round(level * down)
        drawn[down - reach : down + reach, edge] = _MOVING


def _write(drawn: Pixels, text: str, x: float, y: float, color: tuple[int, int, int]) -> None:
    place = max(int(x), 2), max(int(y), 12)
    # The font has no other letters.
    ascii_text = text.encode("ascii", "replace").decode()
    for shade, width in ((_SHADE, 3), (color, 1)):
        cv2.putText(
            drawn, ascii_text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, shade, width, cv2.LINE_AA
        )
