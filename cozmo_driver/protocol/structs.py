"""Structs that messages hold (spec 02)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from .enums import PayloadFlags
from .wire import F32, I16, U8, U16, About, Octets


class RobotPose(NamedTuple):
    """Pose in the current origin."""

    x: Annotated[F32, About(unit="mm")]
    y: Annotated[F32, About(unit="mm")]
    z: Annotated[F32, About(unit="mm")]
    angle: Annotated[F32, About("heading about +z", unit="rad")]
    pitch: Annotated[F32, About("body pitch", unit="rad")]


class AccelData(NamedTuple):
    """Specific force in the head frame (spec 10 §1.1)."""

    x: Annotated[F32, About(unit="mm/s^2")]
    y: Annotated[F32, About(unit="mm/s^2")]
    z: Annotated[F32, About("about 9800 at rest", unit="mm/s^2")]


class GyroData(NamedTuple):
    """Angular rate in the head frame (spec 10 §1.1)."""

    x: Annotated[F32, About(unit="rad/s")]
    y: Annotated[F32, About(unit="rad/s")]
    z: Annotated[F32, About(unit="rad/s")]


class ActiveAccel(NamedTuple):
    """Acceleration of a cube, raw counts."""

    x: F32
    y: F32
    z: F32


class LightState(NamedTuple):
    """How one light blinks; times in light frames of 33.3 ms (spec 14)."""

    on_color: Annotated[U16, About("RGB555: red<<10 | green<<5 | blue; bit 15 = IR/alpha")]
    off_color: Annotated[U16, About("same coding")]
    on_frames: Annotated[U8, About("time in on state", unit="frame(30 ms)")]
    off_frames: Annotated[U8, About("time in off state", unit="frame(30 ms)")]
    transition_on_frames: Annotated[U8, About("fade off->on", unit="frame(30 ms)")]
    transition_off_frames: Annotated[U8, About("fade on->off", unit="frame(30 ms)")]
    offset: Annotated[I16, About("phase offset", unit="frame(30 ms)")]


class PathSegmentSpeed(NamedTuple):
    """Speed profile of a path segment; rad/s and rad/s^2 for a point turn (spec 07 §7)."""

    speed_mmps: Annotated[F32, About("target speed; negative drives backwards", unit="mm/s")]
    accel_mmps2: Annotated[F32, About(unit="mm/s^2")]
    decel_mmps2: Annotated[F32, About(unit="mm/s^2")]


class BleFrame(NamedTuple):
    """One Bluetooth frame."""

    flags: Annotated[U8, PayloadFlags]
    data: Annotated[bytes, Octets(16), About("BLE payload")]
