"""IMU, cliff, falls, button."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import F32, U8, U16, U32, About, Array, Bool


@message(0x4A, ENGINE_TO_ROBOT, confidence="H")
class IMURequest(NamedTuple):
    """Ask for raw IMU samples (0xC7) for a time."""

    length_ms: Annotated[U32, About(unit="ms")]


@message(0x54, ENGINE_TO_ROBOT, confidence="E")
class SetCliffDetectThreshold(NamedTuple):
    """Raw cliff reading below which a cliff is reported; engine sends 50, later 400."""

    detect_level: U16 = 400


@message(0x60, ENGINE_TO_ROBOT, confidence="E")
class EnableStopOnCliff(NamedTuple):
    """Let the robot stop by itself at a cliff."""

    enable: Bool = True


@message(0x63, ENGINE_TO_ROBOT, confidence="E")
class EnableBraceWhenFalling(NamedTuple):
    """Tuck head and lift when a fall is detected."""

    enable: Bool = True


@message(0xBF, ROBOT_TO_ENGINE, confidence="E")
class IMUDataChunk(NamedTuple):
    """IMU log chunk (not used by current firmware; 0xC7 is)."""

    a_x: Annotated[tuple[float, ...], Array("f", 8)]
    a_y: Annotated[tuple[float, ...], Array("f", 8)]
    a_z: Annotated[tuple[float, ...], Array("f", 8)]
    g_x: Annotated[tuple[float, ...], Array("f", 8)]
    g_y: Annotated[tuple[float, ...], Array("f", 8)]
    g_z: Annotated[tuple[float, ...], Array("f", 8)]
    seq_id: U8
    chunk_id: U8
    total_num_chunks: U8


@message(0xC0, ROBOT_TO_ENGINE, confidence="E")
class CliffEvent(NamedTuple):
    """Cliff detected or cleared."""

    timestamp: Annotated[U32, About(unit="ms")]
    detected_flags: Annotated[U8, About("CliffSensor bits; 0 = cleared")]
    did_stop_for_cliff: Bool


@message(0xC1, ROBOT_TO_ENGINE, confidence="E")
class PotentialCliff(NamedTuple):
    """Cliff suspected while stop-on-cliff is off."""


@message(0xC3, ROBOT_TO_ENGINE, confidence="E")
class RobotPoked(NamedTuple):
    """Robot was nudged."""


@message(0xC7, ROBOT_TO_ENGINE, confidence="H")
class IMURawDataChunk(NamedTuple):
    """Raw IMU sample."""

    g: Annotated[tuple[int, ...], Array("h", 3), About("gyro x,y,z raw")]
    a: Annotated[tuple[int, ...], Array("h", 3), About("accelerometer x,y,z raw")]
    order: Annotated[U8, About("0 first, 1 middle, 2 last")]
    timestamp: Annotated[U8, About("low byte of ms", unit="ms")]


@message(0xD4, ROBOT_TO_ENGINE, confidence="E")
class RobotStopped(NamedTuple):
    """Robot stopped itself (cliff)."""

    reason: U8


@message(0xDB, ROBOT_TO_ENGINE, confidence="E", pycozmo="ButtonPressed")
class BackpackButton(NamedTuple):
    """Backpack button."""

    pressed: Bool


@message(0xDC, ROBOT_TO_ENGINE, confidence="E")
class IMUTemperature(NamedTuple):
    """IMUTemperature."""

    temperature_deg_c: Annotated[F32, About(unit="degC")]


@message(0xDD, ROBOT_TO_ENGINE, confidence="E")
class FallingStarted(NamedTuple):
    """FallingStarted."""

    timestamp: Annotated[U32, About(unit="ms")]


@message(0xDE, ROBOT_TO_ENGINE, confidence="E")
class FallingStopped(NamedTuple):
    """FallingStopped."""

    timestamp: Annotated[U32, About(unit="ms")]
    duration_ms: Annotated[U32, About(unit="ms")]
    impact_intensity: F32
