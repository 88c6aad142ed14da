"""Light in images: mean, percentiles, and whether it is too dark or too bright (spec 15 §1)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from .quads import Gray

TOO_DARK, TOO_BRIGHT = 20.0, 230.0
"""The 90 % value below which an image is too dark, the 10 % value above which it is too bright."""
TIMEOUT = 3.0
"""s for which all images have to be so."""
_GAP = 1.0
"""s without an image after which the time counts anew."""


@dataclass(frozen=True, slots=True)
class ImageQuality:
    """Gray values, 0 to 255."""

    mean: float
    percentiles: tuple[float, float, float]
    """Of 10, 50 and 90 % of the pixels."""
    is_too_dark: bool = False
    """For ``TIMEOUT`` s."""
    is_too_bright: bool = False


class QualityMonitor:
    """Follows the light from image to image."""

    def __init__(self) -> None:
        self._last = -np.inf
        self._fine_at = [0.0, 0.0]

    def update(self, stamp: float, gray: Gray) -> ImageQuality:
        """Return the light of an image taken at a time in s."""
        counts = np.cumsum(cv2.calcHist([gray], [0], None, [256], [0, 256]))
        percentiles = [float(np.searchsorted(counts, share * counts[-1])) for share in _SHARES]
        if not 0.0 <= stamp - self._last <= _GAP:
            self._fine_at = [stamp, stamp]
        self._last = stamp
        p10, p50, p90 = percentiles
        for index, is_fine in enumerate((p90 >= TOO_DARK, p10 <= TOO_BRIGHT)):
            if is_fine:
                self._fine_at[index] = stamp
        too_dark, too_bright = (stamp - fine_at >= TIMEOUT for fine_at in self._fine_at)
        return ImageQuality(float(cv2.mean(gray)[0]), (p10, p50, p90), too_dark, too_bright)


_SHARES = (0.1, 0.5, 0.9)
