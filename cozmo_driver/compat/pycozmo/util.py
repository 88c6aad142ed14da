"""``pycozmo.util``: as the SDK's, with other names of units (spec 21 §10)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..sdk.pose import Matrix44, Pose, Quaternion, Vector3, angle_z_to_quaternion
from ..sdk.units import Angle, _Quantity

__all__ = [
    "Angle",
    "Distance",
    "FPSTimer",
    "Matrix44",
    "Pose",
    "Quaternion",
    "Speed",
    "Vector3",
    "angle_z_to_quaternion",
    "frange",
    "get_cozmo_anim_dir",
    "get_cozmo_asset_dir",
    "get_pycozmo_dir",
    "hex_dump",
    "hex_load",
    "math",
]
_MM_PER_INCH = 25.4


class Distance(_Quantity):
    """Given as ``mm=`` or ``inches=``."""

    __slots__ = ()

    def __init__(self, mm: float | None = None, inches: float | None = None) -> None:
        if mm is None and inches is None:
            raise ValueError("a distance needs mm or inches")
        self._value = float(mm) if mm is not None else float(inches or 0) * _MM_PER_INCH

    @property
    def mm(self) -> float:
        return self._value

    @property
    def inches(self) -> float:
        return self._value / _MM_PER_INCH

    def __repr__(self) -> str:
        return f"<Distance {self.mm:.2f} mm ({self.inches:.2f} inches)>"


class Speed(_Quantity):
    """In mm/s."""

    __slots__ = ()

    def __init__(self, mmps: float) -> None:
        self._value = float(mmps)

    @property
    def mmps(self) -> float:
        return self._value

    def __repr__(self) -> str:
        return f"<Speed {self.mmps:.2f} mmps>"


class FPSTimer:
    """Sleeps so that a loop runs so many times a second."""

    def __init__(self, fps: float) -> None:
        self._period = 1.0 / fps
        self._next = time.monotonic() + self._period

    def sleep(self) -> None:
        now = time.monotonic()
        if now < self._next:
            time.sleep(self._next - now)
        self._next = max(self._next, now - self._period) + self._period


def hex_dump(data: bytes) -> str:
    return data.hex(":")


def hex_load(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def frange(start: float, stop: float, step: float) -> Iterator[float]:
    """Yield start, start + step, ... up to before ``stop``."""
    value = start
    while value < stop:
        yield value
        value += step


def get_pycozmo_dir() -> Path:
    return Path.home() / ".pycozmo"


def get_cozmo_asset_dir() -> Path:
    return get_pycozmo_dir() / "assets"


def get_cozmo_anim_dir() -> Path:
    return get_cozmo_asset_dir() / "cozmo_resources"


def check_assets() -> Any:
    """Own and imported clips need no files of the app here."""
