"""The camera's intrinsic calibration as the robot stores it (spec 09 §4, 13 §5)."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import Enum

from ...media.mini_jpeg import HEIGHT, WIDTH

RECORD_SIZE = 56

_RECORD = struct.Struct("<5f2H8f")
_FOCAL_LENGTHS = (200.0, 500.0)
_LAST_HARDWARE_WITHOUT_DISTORTION = 6
_COEFFICIENTS = 5


class CalibrationSource(Enum):
    """Where a calibration comes from."""

    ROBOT = "the robot's own"
    DEFAULT = "typical values of this camera"


class CalibrationInvalid(ValueError):
    """A record that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class CameraCalibration:
    """Pinhole camera with plumb-bob distortion ``(k1, k2, p1, p2, k3)``; lengths in pixels."""

    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, float, float, float, float]
    width: int
    height: int
    source: CalibrationSource


DEFAULT_CALIBRATION = CameraCalibration(
    292.0, 292.0, 160.0, 120.0, (0.0, 0.0, 0.0, 0.0, 0.0), WIDTH, HEIGHT, CalibrationSource.DEFAULT
)
"""For robots without a usable record."""


def parse_calibration(record: bytes, body_hardware: int) -> CameraCalibration:
    """Return the calibration in a factory record. Raises ``CalibrationInvalid``.

    The distortion of bodies up to version 6 (0 when unknown) is garbage and becomes zero, as it
    does when a coefficient is not finite.
    """
    if len(record) != RECORD_SIZE:
        raise CalibrationInvalid(f"it has {len(record)} bytes instead of {RECORD_SIZE}")
    fx, fy, cx, cy, _skew, rows, columns, *coefficients = _RECORD.unpack(record)
    if (columns, rows) != (WIDTH, HEIGHT):
        raise CalibrationInvalid(f"it is for {columns} x {rows} pixels, not {WIDTH} x {HEIGHT}")
    low, high = _FOCAL_LENGTHS
    # Comparisons with NaN are false: what is not a number is refused too.
    if not (low < fx < high and low < fy < high):
        raise CalibrationInvalid(f"focal lengths of {fx:g} and {fy:g} pixels are impossible")
    if not (0.0 <= cx < WIDTH and 0.0 <= cy < HEIGHT):
        raise CalibrationInvalid(f"its centre ({cx:g}, {cy:g}) lies outside the picture")
    usable = body_hardware > _LAST_HARDWARE_WITHOUT_DISTORTION and all(
        math.isfinite(value) for value in coefficients
    )
    k1, k2, p1, p2, k3 = coefficients[:_COEFFICIENTS] if usable else (0.0,) * _COEFFICIENTS
    return CameraCalibration(
        fx, fy, cx, cy, (k1, k2, p1, p2, k3), WIDTH, HEIGHT, CalibrationSource.ROBOT
    )
