"""What is known about cubes, in SI units (spec 08 §3, §5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TypeVar

from ...protocol import UpAxis
from ..data import Vector3


class CubeKind(IntEnum):
    """Which cube it is; the robot's own numbers."""

    UNKNOWN = 0
    CUBE_1 = 1
    CUBE_2 = 2
    CUBE_3 = 3
    CHARGER = 13


LIGHT_CUBES = (CubeKind.CUBE_1, CubeKind.CUBE_2, CubeKind.CUBE_3)


class CubeLink(Enum):
    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    DISCONNECTING = "disconnecting"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Cube:
    """What is known of a cube or charger pad."""

    kind: CubeKind
    factory_id: int
    slot: int | None = None
    """Radio slot 0 to 4 of the robot."""
    link: CubeLink = CubeLink.DISCONNECTED
    is_available: bool = False
    """Advertised within the last 10 s, or connected."""
    is_moving: bool = False
    is_streaming: bool = False
    """It sends its acceleration."""
    up_axis: UpAxis = UpAxis.UNKNOWN_AXIS
    rssi: int = 255
    """Raw signal strength, 0 to 150: smaller is nearer."""
    battery_voltage: float = math.nan
    """V, NaN before the cube has sent it."""
    missed_packets: int = 0
    last_heard: float = math.nan
    """On the host's monotonic clock, s, NaN for never."""

    @property
    def is_connected(self) -> bool:
        """Whether commands reach it."""
        return self.link is CubeLink.CONNECTED

    @property
    def battery_level(self) -> float:
        """Charge of its cell, 0 to 1; NaN before the cube has sent it (spec 08 §5)."""
        voltage = self.battery_voltage
        return math.nan if math.isnan(voltage) else min(1.0, max(0.0, (voltage - 1.0) / 0.5))

    @property
    def name(self) -> str:
        return cube_name(self.kind, self.factory_id)


class CubeEventType(Enum):
    """What happened to a cube; the value is for people."""

    APPEARED = "was heard"
    DISAPPEARED = "is no longer heard"
    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    MOVED = "began to move"
    STOPPED = "came to rest"
    TAPPED = "was tapped"
    DOUBLE_TAPPED = "was tapped twice"
    UP_AXIS_CHANGED = "was turned over"
    BATTERY_LOW = "has a nearly empty battery"
    WEAKER_TAP = "felt a tap while another cube felt a stronger one"


@dataclass(frozen=True, slots=True)
class CubeEvent:
    """Something that happened to ``cube``, which is as it was afterwards.

    ``time`` on the host's monotonic clock, s. ``tap_intensity`` is the raw strength of taps
    (60 is a firm one), ``acceleration`` is that of a cube that started to move, m/s^2.
    """

    time: float
    type: CubeEventType
    cube: Cube
    tap_intensity: int = 0
    acceleration: Vector3 | None = None

    @property
    def text(self) -> str:
        return f"{self.cube.name} {self.type.value}"


@dataclass(frozen=True, slots=True)
class CubeAcceleration:
    """Specific force on a cube, m/s^2 in its own axes: +9.8 along the one that is up."""

    time: float
    kind: CubeKind
    factory_id: int
    acceleration: Vector3


_Member = TypeVar("_Member", bound=IntEnum)


def member_or(default: _Member, number: int) -> _Member:
    """Return the member of the same enumeration with this number, if there is one."""
    return next((member for member in type(default) if member == number), default)


def cube_name(kind: CubeKind, factory_id: int = 0) -> str:
    name = {CubeKind.UNKNOWN: "cube of an unknown kind", CubeKind.CHARGER: "charger pad"}.get(
        kind, f"cube {kind.value}"
    )
    return f"{name} ({factory_id:08x})" if factory_id else name
