"""What moves before the resting camera, in the image and on the ground (spec 15 §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera, Floats
from .quads import Gray

Flags = npt.NDArray[np.bool_]

SETTLING = 0.3
"""s after a movement of the robot until images are compared."""
NEAREST, FARTHEST = 0.065, 0.40
"""m ahead of the ground frame's origin between which motion on the ground is looked for."""

_PERIOD = 0.09
"""Least s between two images that are compared."""
_LONGEST = 1.0
_SIZE = (160, 120)
_MOST_SHIFT, _MOST_TURN = 0.0005, math.radians(0.1)
"""m and rad of the camera between two images of a resting robot."""
_RATIO = 1.3
"""By which a pixel's light changes otherwise than that of its row: exposure and lamps on the mains
change whole rows."""
_LEAST_CHANGE = 8.0
"""Gray levels; noise of dark pixels is less."""
_DARK, _CLIPPED = 10.0, 250.0
_NEIGHBOURS = 5
"""Of nine pixels, which have to change with one."""
_LEAST_AREA = 0.005
_SIDE, _TOP = 0.3, 0.4
"""Shares of the image that are its left and right edge and its upper edge."""
_GAIN, _DECAY, _FULL = 100.0, 1.0, 3.0
"""A sector's level grows by its share of motion and falls with each comparison, up to full."""


@dataclass(frozen=True, slots=True)
class Motion:
    """What moves between two images."""

    area: float
    """Share of the image."""
    x: float
    """Pixels, its middle."""
    y: float
    ground_area: float
    """Share of the ground in view."""
    ground_point: tuple[float, float] | None
    """m, the nearest of it in the frame of the ground."""
    left: float
    """0 to 1: how much moves at the left edge; 1 after a while, or at once for much."""
    right: float
    top: float


class MotionDetector:
    """Compares images while the robot rests."""

    def __init__(self) -> None:
        self._before: npt.NDArray[np.float32] | None = None
        self._ground = _Ground()
        self.reset()

    def reset(self) -> None:
        """Forget what was seen, as when the robot moves."""
        self._before = None
        self._compared_at = self._last = -math.inf
        self._moved_at: float | None = None
        self._view: Floats | None = None
        self._levels = np.zeros(3)

    def update(
        self,
        stamp: float,
        gray: Gray,
        camera: Camera,
        view: Floats,
        base: Floats,
        is_moving: bool = False,
    ) -> Motion | None:
        """Return what moves, or None: nothing, or no image to compare this one with.

        ``stamp``: s; ``view`` and ``base``: poses of the optical frame and of ``base_footprint`` in
        a frame that does not move, 4x4, with the ground at z = 0 of the latter; ``is_moving``:
        whether treads, head or lift move.
        """
        if not self._is_at_rest(stamp, view, is_moving):
            return None
        if stamp - self._compared_at < _PERIOD:
            return None
        before, now = self._before, _reduced(gray)
        gap, self._compared_at, self._before = stamp - self._compared_at, stamp, now
        if before is None or gap > _LONGEST:
            return None
        moving = _changes(before, now)
        area = float(moving.mean())
        self._update_levels(moving)
        if area < _LEAST_AREA:
            return None
        x, y = _middle(moving, gray)
        ground_area, point = self._ground.motion(moving, camera, np.linalg.inv(base) @ view)
        left, right, top = (float(level / _FULL) for level in self._levels)
        return Motion(area, x, y, ground_area, point, left, right, top)

    def _is_at_rest(self, stamp: float, view: Floats, is_moving: bool) -> bool:
        """Return whether the camera has rested for ``SETTLING`` s."""
        if not 0.0 <= stamp - self._last <= _LONGEST:
            self.reset()
        self._last = stamp
        if self._view is None or is_moving or not _is_same(self._view, view):
            self._view, self._moved_at, self._before = view, stamp, None
            self._levels[:] = 0.0
        return self._moved_at is not None and stamp - self._moved_at >= SETTLING

    def _update_levels(self, moving: Flags) -> None:
        width, height = _SIZE
        side, top = round(width * _SIDE), round(height * _TOP)
        sectors = moving[:, :side], moving[:, -side:], moving[:top]
        shares = np.array([sector.mean() for sector in sectors])
        self._levels = np.clip(self._levels + _GAIN * shares - _DECAY, 0.0, _FULL)


class _Ground:
    """Where the pixels of small images are on the ground; kept while the camera rests."""

    def __init__(self) -> None:
        self._key: tuple[Camera, bytes] | None = None
        self._points = np.empty((0, 0, 2))
        self._within: Flags = np.empty((0, 0), bool)

    def motion(
        self, moving: Flags, camera: Camera, pose: Floats
    ) -> tuple[float, tuple[float, float] | None]:
        """Return the share of the ground in reach that moves, and the nearest of it."""
        key = camera, np.round(pose, 4).tobytes()
        if key != self._key:
            self._key = key
            columns, rows = np.meshgrid(*(np.arange(length, dtype=float) for length in _SIZE))
            pixels = np.stack((columns, rows), axis=-1).reshape(-1, 2)
            small = camera.scaled_to(*_SIZE)
            self._points = small.project_to_ground(pixels, pose).reshape(*moving.shape, 2)
            ahead = self._points[..., 0]
            with np.errstate(invalid="ignore"):
                self._within = (ahead >= NEAREST) & (ahead <= FARTHEST)
        here = moving & self._within
        count = int(np.count_nonzero(here))
        if count == 0:
            return 0.0, None
        points = self._points[here]
        nearest = float(np.percentile(points[:, 0], 5.0))
        return count / int(np.count_nonzero(self._within)), (
            nearest,
            float(np.median(points[:, 1])),
        )


def _reduced(gray: Gray) -> npt.NDArray[np.float32]:
    small = cv2.resize(gray, _SIZE, interpolation=cv2.INTER_AREA)
    return cv2.blur(small, (3, 3)).astype(np.float32)


def _middle(moving: Flags, gray: Gray) -> tuple[float, float]:
    """Return the median of what moves, in pixels of the image."""
    rows, columns = np.nonzero(moving)
    across, down = gray.shape[1] / _SIZE[0], gray.shape[0] / _SIZE[1]
    x, y = np.median(columns), np.median(rows)
    return float((x + 0.5) * across - 0.5), float((y + 0.5) * down - 0.5)


def _changes(before: npt.NDArray[np.float32], now: npt.NDArray[np.float32]) -> Flags:
    """Return which pixels changed otherwise than the light did."""
    usable = (np.minimum(before, now) > _DARK) & (np.maximum(before, now) < _CLIPPED)
    ratios = np.sort(np.where(usable, now / np.maximum(before, 1.0), np.inf), axis=1)
    median = np.count_nonzero(usable, axis=1, keepdims=True) // 2
    light = np.take_along_axis(ratios, np.minimum(median, ratios.shape[1] - 1), axis=1)
    expected = np.maximum(before, 1.0) * light
    brighter, darker = now > _RATIO * expected, expected > _RATIO * now
    changed = usable & (brighter | darker) & (np.abs(now - expected) > _LEAST_CHANGE)
    counts = cv2.boxFilter(changed.astype(np.uint8), cv2.CV_16S, (3, 3), normalize=False)
    return changed & (counts >= _NEIGHBOURS)


def _is_same(a: Floats, b: Floats) -> bool:
    """Return whether two poses are those of a camera that rests."""
    if np.abs(a[:3, 3] - b[:3, 3]).max() > _MOST_SHIFT:
        return False
    # The chord between the axes, which are of length 1.
    return bool(np.linalg.norm(a[:3, :3] - b[:3, :3], axis=0).max() <= _MOST_TURN)
