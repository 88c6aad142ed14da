"""Pictures with what was found drawn into them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from .markers import Marker

_NAMED, _UNNAMED, _SHADE = (60, 230, 60), (255, 160, 0), (0, 0, 0)
_SUBPIXEL = 4


def draw_markers(
    picture: npt.NDArray[np.uint8], markers: Sequence[Marker]
) -> npt.NDArray[np.uint8]:
    """Return a picture, gray or RGB, as RGB of twice its size with its markers and their names.

    The thick corner is the marker's own upper left one.
    """
    rgb = picture if picture.ndim == 3 else cv2.cvtColor(picture, cv2.COLOR_GRAY2RGB)
    drawn = cv2.resize(rgb, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
    for marker in markers:
        color = _NAMED if marker.name else _UNNAMED
        corners = np.round((marker.own_corners * 2 + 0.5) * (1 << _SUBPIXEL)).astype(np.int32)
        cv2.polylines(drawn, [corners], True, color, 1, cv2.LINE_AA, _SUBPIXEL)
        if marker.name:
            cv2.circle(
                drawn, corners[0].tolist(), 3 << _SUBPIXEL, color, -1, cv2.LINE_AA, _SUBPIXEL
            )
        text = f"{marker.name or '?'} {marker.side}".strip()
        x, y = marker.corners.min(axis=0) * 2
        place = max(int(x), 2), max(int(y) - 6, 12)
        for shade, width in ((_SHADE, 3), (color, 1)):
            cv2.putText(
                drawn, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, shade, width, cv2.LINE_AA
            )
    return drawn
