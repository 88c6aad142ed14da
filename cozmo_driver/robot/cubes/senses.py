"""What connected cubes feel: taps, movement, orientation, battery, acceleration (spec 08 §5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ...protocol import messages
from ...protocol.enums import UpAxis
from ...protocol.structs import ActiveAccel
from ..clock import DeviceClock
from ..data import Vector3
from ..session import Session
from ..signal import Signal
from .data import (
    CubeAcceleration,
    CubeEventType,
    CubeKind,
    KnownCube,
    battery_level,
)
from .radio import CubeRadio
from .taps import Tap, TapFilter

LOW_LEVEL = 0.2
"""A cube's battery at or below this level is nearly empty."""
_REPLACED_LEVEL = 0.3
_QUIET = 0.5
"""A cube that was tapped moves for this time, s; nobody moves it."""
_COUNT = 9.80665 / 32
"""m/s^2 of one count of a cube's accelerometer."""


@dataclass(slots=True)
class SenseStatistics:
    """Counters since the start."""

    stray: int = 0
    """Messages of slots that hold no connected cube."""
    invalid: int = 0
    """Messages whose numbers are not finite."""
    weak_taps: int = 0


@dataclass(frozen=True, slots=True)
class Sensation:
    """Something a cube felt; ``time`` on the host's clock, s."""

    time: float
    type: CubeEventType
    cube: KnownCube
    tap_intensity: int = 0
    acceleration: Vector3 | None = None


class CubeSenses:
    """Takes what connected cubes tell, writes it into their records and reports events."""

    def __init__(
        self,
        session: Session,
        clock: DeviceClock,
        radio: CubeRadio,
        report: Callable[[Sensation], object],
        changed: Callable[[float], object],
    ) -> None:
        """Call ``report`` with every event, ``changed(now)``, in s, when a record was changed."""
        self.statistics = SenseStatistics()
        self.on_acceleration: Signal[CubeAcceleration] = Signal()
        self.carried = 0
        self._clock, self._radio = clock, radio
        self._report, self._changed = report, changed
        self._taps = TapFilter()
        session.on(messages.ObjectMoved, self._take_moved)
        session.on(messages.ObjectStoppedMoving, self._take_stopped)
        session.on(messages.ObjectTappedFiltered, self._take_tap)
        session.on(messages.ObjectUpAxisChanged, self._take_up_axis)
        session.on(messages.ObjectPowerLevel, self._take_power)
        session.on(messages.ObjectAccel, self._take_acceleration)

    def reset(self) -> None:
        """Forget the robot's time: a new session begins."""
        self._taps.reset()
        for cube in self._radio.known.values():
            cube.last_tap = -math.inf

    def tick(self, now: float) -> None:
        """Report the taps whose time has come at ``now``, s."""
        while (tap := self._taps.take(now)) is not None:
            cube = self._radio.known.get(tap.factory_id)
            if cube is None:
                continue
            is_double = self._taps.is_double(tap)
            self._report(
                Sensation(
                    self._time(round(tap.time * 1000), tap.received_at),
                    CubeEventType.DOUBLE_TAPPED if is_double else CubeEventType.TAPPED,
                    cube,
                    tap_intensity=tap.intensity,
                )
            )

    def _take_moved(self, message: messages.ObjectMoved, now: float) -> None:
        cube = self._sender(message.object_id, now)
        acceleration = self._si(message.accel)
        if cube is None or acceleration is None or cube.is_moving:
            return
        is_tap = abs(message.timestamp / 1000.0 - cube.last_tap) <= _QUIET
        if is_tap or cube.kind is CubeKind.CHARGER or cube.factory_id == self.carried:
            return
        cube.is_moving = True
        time = self._time(message.timestamp, now)
        self._report(Sensation(time, CubeEventType.MOVED, cube, acceleration=acceleration))
        self._changed(now)

    def _take_stopped(self, message: messages.ObjectStoppedMoving, now: float) -> None:
        cube = self._sender(message.object_id, now)
        if cube is None or not cube.is_moving:
            return
        cube.is_moving = False
        self._report(Sensation(self._time(message.timestamp, now), CubeEventType.STOPPED, cube))
        self._changed(now)

    def _take_tap(self, message: messages.ObjectTappedFiltered, now: float) -> None:
        cube = self._sender(message.object_id, now)
        if cube is None:
            return
        time = message.timestamp / 1000.0
        if self._taps.add(Tap(cube.factory_id, time, now, message.tap_intensity)):
            cube.last_tap = time
        else:
            self.statistics.weak_taps += 1

    def _take_up_axis(self, message: messages.ObjectUpAxisChanged, now: float) -> None:
        cube = self._sender(message.object_id, now)
        axis = _up_axis(message.up_axis)
        if cube is None or axis is cube.up_axis:
            return
        cube.up_axis = axis
        self._report(
            Sensation(self._time(message.timestamp, now), CubeEventType.UP_AXIS_CHANGED, cube)
        )
        self._changed(now)

    def _take_power(self, message: messages.ObjectPowerLevel, now: float) -> None:
        cube = self._sender(message.object_id, now)
        if cube is None:
            return
        cube.battery_voltage = message.battery_level * 0.01
        cube.missed_packets = message.missed_packets
        level = battery_level(cube.battery_voltage)
        if level <= LOW_LEVEL and not cube.is_low:
            cube.is_low = True
            self._report(Sensation(now, CubeEventType.BATTERY_LOW, cube))
        elif level > _REPLACED_LEVEL:
            cube.is_low = False
        self._changed(now)

    def _take_acceleration(self, message: messages.ObjectAccel, now: float) -> None:
        cube = self._sender(message.object_id, now)
        acceleration = self._si(message.accel)
        if cube is not None and acceleration is not None:
            time = self._time(message.timestamp, now)
            self.on_acceleration.emit(
                CubeAcceleration(time, cube.kind, cube.factory_id, acceleration)
            )

    def _sender(self, slot_number: int, now: float) -> KnownCube | None:
        for slot, cube in self._radio.connected():
            if slot.number == slot_number:
                cube.last_heard = now
                return cube
        self.statistics.stray += 1
        return None

    def _si(self, accel: ActiveAccel) -> Vector3 | None:
        if not all(map(math.isfinite, accel)):
            self.statistics.invalid += 1
            return None
        return Vector3(accel.x * _COUNT, accel.y * _COUNT, accel.z * _COUNT)

    def _time(self, milliseconds: int, now: float) -> float:
        time = self._clock.to_host(milliseconds / 1000.0)
        return now if math.isnan(time) else min(now, time)


def _up_axis(number: int) -> UpAxis:
    try:
        return UpAxis(number)
    except ValueError:
        return UpAxis.UNKNOWN_AXIS
