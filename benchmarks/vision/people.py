"""A face drawn by rule, of nobody; rooms without one."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Gray = npt.NDArray[np.uint8]

EYES = 0.29
"""Distance of the eyes, in widths of the drawing."""
EYE_ROW = 0.5
"""Of their middle, in heights."""
_SKIN, _HAIR = 190.0, 60.0
# Middle, half axes, gray level, blur; all but the level in sizes of the drawing.
_SHAPES = (
    (0.5, 0.42, 0.36, 0.42, _HAIR, 0.0),
    (0.5, 0.56, 0.29, 0.38, _SKIN, 0.01),
    *(
        (0.5 + side * x, y, across, down, level, blur)
        for side in (-1, 1)
        for x, y, across, down, level, blur in (
            (EYES / 2, EYE_ROW, 0.105, 0.065, 137.0, 0.02),
            (EYES / 2, 0.44, 0.09, 0.018, 70.0, 0.006),
            (EYES / 2, EYE_ROW, 0.06, 0.025, 225.0, 0.004),
            (EYES / 2, EYE_ROW, 0.026, 0.026, 45.0, 0.004),
            (EYES / 2, 0.48, 0.065, 0.012, 60.0, 0.004),
            (0.2, 0.64, 0.08, 0.06, 200.0, 0.03),
        )
    ),
    (0.5, 0.56, 0.03, 0.12, 209.0, 0.015),
    (0.5, 0.665, 0.06, 0.022, 125.0, 0.012),
    (0.5, 0.78, 0.11, 0.022, 110.0, 0.008),
    (0.5, 0.80, 0.09, 0.012, 140.0, 0.006),
)


def drawn_face(size: int, background: float = 150.0) -> Gray:
    """Return a face from the front, gray, ``size`` x ``size``."""
    side = 4 * size
    picture = np.full((side, side), background, np.float32)
    for x, y, across, down, level, blur in _SHAPES:
        mask = np.zeros((side, side), np.float32)
        middle, axes = (
            (round(x * side), round(y * side)),
            (round(across * side), round(down * side)),
        )
        cv2.ellipse(mask, middle, axes, 0, 0, 360, 1.0, -1)
        if blur:
            mask = cv2.GaussianBlur(mask, (0, 0), blur * side)
        picture = picture * (1.0 - mask) + level * mask
    small = cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA)
    return np.clip(small, 0, 255).astype(np.uint8)


def room(seed: int = 0) -> Gray:
    """Return a room with noise, 240 x 320."""
    random = np.random.default_rng(seed)
    wall = np.linspace(90.0, 170.0, 240)[:, None] + random.normal(0.0, 5.0, (240, 320))
    return np.clip(wall, 0, 255).astype(np.uint8)


def with_face(left: int, top: int, size: int, seed: int = 0) -> Gray:
    """Return a room with a face."""
    picture = room(seed)
    picture[top : top + size, left : left + size] = drawn_face(size)
    return picture
