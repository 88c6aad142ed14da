"""What is known about cubes, in SI units (spec 08 §3, §5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, IntEnum

from ...protocol.enums import UpAxis
from ..data import Vector3


class CubeKind(IntEnum):
    """Which cube it is; the robot's own numbers."""

    UNKNOWN = 0
    CUBE_1 = 1
    CUBE_2 = 2
    CUBE_3 = 3
    CHARGER = 13


class CubeLink(Enum):
    """Radio link between the robot and a cube."""

    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    DISCONNECTING = "disconnecting"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Cube:
    """A cube or charger pad; ``last_heard`` on the host's monotonic clock, s, NaN for never."""

    kind: CubeKind
    factory_id: int
    slot: int | None
    """Radio slot 0 to 4 of the robot."""
    link: CubeLink
    is_available: bool
    """Heard within the last 10 s, or connected."""
    is_moving: bool
    is_streaming: bool
    """It sends its acceleration."""
    up_axis: UpAxis
    rssi: int
    """Raw signal strength, 0 to 150: smaller is nearer."""
    battery_voltage: float
    """V, NaN before the cube told."""
    battery_level: float
    """0 to 1, NaN before the cube told."""
    missed_packets: int
    last_heard: float

    @property
    def is_connected(self) -> bool:
        """Tell whether commands reach it."""
        return self.link is CubeLink.CONNECTED


class CubeEventType(Enum):
    """What happened to a cube, as people say it."""

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


@dataclass(frozen=True, slots=True)
class CubeEvent:
    """Something that happened to ``cube``, which is as it was afterwards.

    ``time`` on the host's monotonic clock, s. ``tap_intensity`` is the raw strength of taps
    (60 is a firm one), ``acceleration`` is that of a cube that began to move, m/s^2.
    """

    time: float
    type: CubeEventType
    cube: Cube
    tap_intensity: int = 0
    acceleration: Vector3 | None = None

    @property
    def text(self) -> str:
        """The event for people."""
        return f"{name_of(self.cube.kind, self.cube.factory_id)} {self.type.value}"


@dataclass(frozen=True, slots=True)
class CubeAcceleration:
    """Specific force that a cube feels, m/s^2 in its own axes: +9.8 along the one that is up."""

    time: float
    kind: CubeKind
    factory_id: int
    acceleration: Vector3


@dataclass(slots=True)
class KnownCube:
    """A cube that was heard or asked for, and what it told last."""

    factory_id: int
    kind: CubeKind
    rssi: int = 255
    last_heard: float = math.nan
    is_heard: bool = False
    is_moving: bool = False
    is_streaming: bool = False
    is_low: bool = False
    is_dimmed: bool = False
    up_axis: UpAxis = UpAxis.UNKNOWN_AXIS
    battery_voltage: float = math.nan
    missed_packets: int = 0
    last_tap: float = -math.inf
    """Robot time of the last tap, s: moves soon after it are the tap's own."""

    def lose_link(self, now: float) -> None:
        """Take that the cube is no longer connected; until now it was in reach."""
        self.last_heard = now
        self.is_moving = self.is_streaming = False


def name_of(kind: CubeKind, factory_id: int = 0) -> str:
    """Return what people call a cube."""
    name = {CubeKind.UNKNOWN: "cube of an unknown kind", CubeKind.CHARGER: "charger pad"}.get(
        kind, f"cube {kind.value}"
    )
    return f"{name} ({factory_id:08x})" if factory_id else name


def battery_level(voltage: float) -> float:
    """Return the charge of a cube's cell, 0 to 1, for its voltage; NaN for NaN (spec 08 §5)."""
    return math.nan if math.isnan(voltage) else min(1.0, max(0.0, (voltage - 1.0) / 0.5))
