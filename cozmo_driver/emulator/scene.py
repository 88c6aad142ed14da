"""What the camera sees: a chequered floor, a striped wall far away and a moving spot.

A pinhole picture of the floor for the robot's pose and head angle (spec 13 §2, §5), so that
driving, turning and looking up all move the picture as they would.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..media.mini_jpeg import HEIGHT, WIDTH
from .body import Pose2D

_FOCAL = 292.0
_NECK = (-13.0, 49.0)
_CAMERA = (17.5, -8.0)
_TILT = math.radians(4.0)
"""The camera looks down by this at head angle 0."""
_SQUARE = 60.0
"""mm, side of a square of the floor."""
_FAR = 1500.0
"""mm; beyond this the floor is one tone."""
_STRIPE = math.radians(6.0)
_TILES = 64
_NOISE_FRAMES = 8
_NOISE = 2.0
_SPOT_RADIUS = 9
_HEAD_STEP = 0.002

Picture = npt.NDArray[np.uint8]
_Floats = npt.NDArray[Any]


class _Ground(NamedTuple):
    """Where the lines of sight of a head angle meet the floor, in the robot's frame (mm)."""

    first_row: int
    ahead: _Floats
    """By row."""
    left: _Floats
    """By row and column."""


_ACROSS = (np.arange(WIDTH, dtype=np.float32) - WIDTH / 2) / _FOCAL
_DOWN = (np.arange(HEIGHT, dtype=np.float32) - HEIGHT / 2) / _FOCAL


@lru_cache(maxsize=4)
def _ground(head_step: int) -> _Ground:
    head = head_step * _HEAD_STEP
    c, s = math.cos(head), math.sin(head)
    camera_x = _NECK[0] + c * _CAMERA[0] - s * _CAMERA[1]
    camera_z = _NECK[1] + s * _CAMERA[0] + c * _CAMERA[1]
    elevation = head - _TILT
    forward = math.cos(elevation) + _DOWN * math.sin(elevation)
    sinking = _DOWN * math.cos(elevation) - math.sin(elevation)
    hits = sinking > camera_z / _FAR
    first = int(np.argmax(hits)) if hits.any() else HEIGHT
    reach = camera_z / sinking[first:]
    return _Ground(first, camera_x + reach * forward[first:], -reach[:, None] * _ACROSS[None, :])


class Scene:
    """Draws gray pictures; the same seed gives the same pictures."""

    def __init__(self, seed: int) -> None:
        """Lay out the floor and the wall."""
        random = np.random.default_rng(seed)
        dark = np.indices((_TILES, _TILES)).sum(axis=0) % 2
        self._floor = (random.uniform(95, 165, (_TILES, _TILES)) + dark * 50).astype(np.float32)
        self._wall = random.uniform(60, 200, 256).astype(np.float32)
        self._noise = random.normal(0.0, _NOISE, (_NOISE_FRAMES, HEIGHT, WIDTH)).astype(np.float32)
        self._column = random.uniform(0, 255, (_NOISE_FRAMES, HEIGHT)).astype(np.float32)
        self._drawn = 0

    def draw(self, pose: Pose2D, head: float, time: float, brightness: float) -> Picture:
        """Return uint8 240x320 as seen from ``pose`` (mm, rad) with the head at an angle in rad.

        ``time`` in seconds moves the spot; ``brightness`` is 1 at the usual exposure and gain.
        """
        ground = _ground(round(head / _HEAD_STEP))
        picture = np.empty((HEIGHT, WIDTH), np.float32)
        picture[: ground.first_row] = self._wall_row(pose.angle)
        picture[ground.first_row :] = self._floor_rows(ground, pose)
        self._draw_spot(picture, time)
        frame = self._drawn % _NOISE_FRAMES
        self._drawn += 1
        picture *= brightness
        picture += self._noise[frame]
        # The sensor's leftmost column is noise (spec 03 §2).
        picture[:, 0] = self._column[frame]
        return np.clip(picture, 0, 255, out=picture).astype(np.uint8)

    def _wall_row(self, yaw: float) -> _Floats:
        stripes = np.floor((yaw - np.arctan(_ACROSS)) / _STRIPE).astype(np.int64)
        tones: _Floats = self._wall[stripes % len(self._wall)]
        return tones

    def _floor_rows(self, ground: _Ground, pose: Pose2D) -> _Floats:
        c, s = math.cos(pose.angle) / _SQUARE, math.sin(pose.angle) / _SQUARE
        ahead = ground.ahead[:, None]
        x = np.float32(pose.x / _SQUARE % _TILES) + np.float32(c) * ahead
        y = np.float32(pose.y / _SQUARE % _TILES) + np.float32(s) * ahead
        columns = np.floor(x - np.float32(s) * ground.left).astype(np.int32)
        rows = np.floor(y + np.float32(c) * ground.left).astype(np.int32)
        tones: _Floats = self._floor[rows & (_TILES - 1), columns & (_TILES - 1)]
        return tones

    def _draw_spot(self, picture: _Floats, time: float) -> None:
        x = round(WIDTH / 2 + 110 * math.sin(0.9 * time))
        y = round(HEIGHT / 4 + 30 * math.sin(1.3 * time))
        r = _SPOT_RADIUS
        disc = np.hypot(*np.ogrid[-r : r + 1, -r : r + 1]) <= r
        picture[y - r : y + r + 1, x - r : x + r + 1][disc] = 245.0
