"""Whether an image shows what the one before did, so that it need not be searched again."""

from __future__ import annotations

import math

import cv2

from .detection.quads import Gray

_QUARTER = 4
_SAME = 24.0
"""Levels: noise and the flicker of lights change no pixel of the smaller image by more, and a
marker's edge that moves by a pixel does."""


class StillImages:
    """Compares images, a quarter as wide and high, with the one that was searched last."""

    def __init__(self) -> None:
        self._searched: Gray | None = None
        self._stamp = -math.inf

    def clear(self) -> None:
        self._searched = None

    def is_due(self, gray: Gray, stamp: float, period: float) -> bool:
        """Tell whether to search an image: it differs, or the last search is ``period`` s old."""
        height, width = gray.shape
        small = cv2.resize(
            gray, (width // _QUARTER, height // _QUARTER), interpolation=cv2.INTER_AREA
        )
        before = self._searched
        if (
            before is not None
            and before.shape == small.shape
            and 0.0 <= stamp - self._stamp < period
            and cv2.norm(before, small, cv2.NORM_INF) <= _SAME
        ):
            return False
        self._searched, self._stamp = small, stamp
        return True
