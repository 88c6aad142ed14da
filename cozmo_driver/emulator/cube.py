"""One light cube or charger pad in reach of the robot's radio (spec 08 §5)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from ..protocol.enums import UpAxis
from ..protocol.structs import ActiveAccel, LightState
from .lights import DARK, Rgb, load, rotated

_GRAVITY = 31.0
"""Counts of 1/32 g, as recorded."""
_TILT = -1.0
_NOISE = 0.5
_BROWN_OUT = 50.0


@dataclass(slots=True)
class Cube:
    """What a cube is, feels and shows. ``slot`` is None while it is not connected."""

    factory_id: int
    object_type: int
    slot: int | None = None
    in_reach: bool = True
    answers: bool = True
    """Whether it takes part in connecting."""
    rssi: int | None = None
    """Signal strength; None for a random one with each advertisement."""
    up_axis: UpAxis = UpAxis.Z_POSITIVE
    battery_level: int = 158
    """Hundredths of a volt."""
    missed_packets: int = 0
    connections: int = 0
    streaming: bool = False
    streams: int = 0
    """How often a stream was switched."""
    lit: bool = False
    """Whether it was given lights since it connected."""
    lights: tuple[LightState, ...] = (DARK,) * 4
    rotation_frames: int = 0
    lit_at: float = 0.0
    updates: int = 0
    """Lights received since power on."""
    overloads: int = 0
    """Lights received that a real cube's battery cannot carry."""

    def connect(self, slot: int) -> None:
        """Enter a slot, dark and silent."""
        self.slot = slot
        self.connections += 1
        self._rest()

    def disconnect(self) -> None:
        """Leave the slot."""
        self.slot = None
        self._rest()

    def _rest(self) -> None:
        self.streaming = self.lit = False
        self.lights, self.rotation_frames = (DARK,) * 4, 0

    def stream(self, on: bool) -> None:
        """Tell the acceleration from now on, or no more."""
        self.streaming = on
        self.streams += 1

    def light(self, lights: tuple[LightState, ...], rotation_frames: int, now: float) -> None:
        """Show lights from now on."""
        self.lights, self.rotation_frames, self.lit_at = lights, rotation_frames, now
        self.lit = True
        self.updates += 1
        self.overloads += sum(map(load, lights)) > _BROWN_OUT

    def colors(self, now: float) -> tuple[Rgb, ...]:
        """Return what the four lights show."""
        return rotated(self.lights, self.rotation_frames, now - self.lit_at)

    def accel(self, random: Random) -> ActiveAccel:
        """Measure gravity, in counts, with noise."""
        parts = [_TILT, 0.0, 0.0]
        axis, positive = divmod(self.up_axis, 2)
        if self.up_axis is not UpAxis.UNKNOWN_AXIS:
            parts[axis] = _GRAVITY if positive else -_GRAVITY
        x, y, z = (part + random.gauss(0.0, _NOISE) for part in parts)
        return ActiveAccel(x, y, z)
