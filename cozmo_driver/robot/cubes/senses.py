"""What connected cubes send: taps, movement, orientation, battery, acceleration (spec 08 §5)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...protocol import ActiveAccel, UpAxis, messages
from ..data import Vector3
from ..session import Session
from ..signal import Signal
from ..states import DeviceClock
from .data import Cube, CubeAcceleration, CubeEvent, CubeEventType, CubeKind, member_or
from .radio import CubeRadio

THRESHOLD = 60
"""Raw intensity that a tap must exceed."""
WINDOW = 0.075
"""A tap on one cube shakes the others within this time, s."""
DOUBLE_TAP = 0.5
"""Longest time between the taps of a double tap, s."""
LOW_LEVEL = 0.2
"""A cube's battery at or below this level is nearly empty."""
_REPLACED_LEVEL = 0.3
_QUIET = 0.5
"""A cube that was tapped moves for this time by itself, s."""
ACCELERATION_COUNT = 9.80665 / 32
"""m/s^2 of one count of a cube's accelerometer."""


@dataclass(frozen=True, slots=True)
class Tap:
    """A tap candidate: when on the robot's clock and when it arrived, s; raw intensity."""

    factory_id: int
    time: float
    received_at: float
    intensity: int


class TapFilter:
    """Of taps that several cubes sense together the strongest counts (spec 08 §5)."""

    def __init__(self) -> None:
        self._pending: list[Tap] = []
        self._previous: dict[int, float] = {}

    def reset(self) -> None:
        self._pending.clear()
        self._previous.clear()

    def add(self, tap: Tap) -> bool:
        """Take a candidate; return False for one that is too weak."""
        if tap.intensity <= THRESHOLD:
            return False
        self._pending.append(tap)
        return True

    def pop(self, now: float) -> tuple[Tap, list[Tap]] | None:
        """Return the next tap whose window has passed at ``now``, s, and weaker ones beside it.

        Those are of other cubes, one each, the earliest.
        """
        if not self._pending or now - self._pending[0].received_at < WINDOW:
            return None
        start = min(tap.time for tap in self._pending)
        together = [tap for tap in self._pending if tap.time - start <= WINDOW]
        self._pending = [tap for tap in self._pending if tap.time - start > WINDOW]
        strongest = max(together, key=lambda tap: (tap.intensity, -tap.time))
        others: dict[int, Tap] = {}
        for tap in sorted(together, key=lambda tap: tap.time):
            if tap.factory_id != strongest.factory_id:
                others.setdefault(tap.factory_id, tap)
        return strongest, list(others.values())

    def is_double(self, tap: Tap) -> bool:
        """Return whether a tap is the second of two; a third one counts as a first."""
        previous = self._previous.pop(tap.factory_id, None)
        if previous is not None and 0.0 <= tap.time - previous <= DOUBLE_TAP:
            return True
        self._previous[tap.factory_id] = tap.time
        return False


class CubeSenses:
    """Updates the cubes of the radio with what they send and emits events."""

    def __init__(
        self,
        session: Session,
        clock: DeviceClock,
        radio: CubeRadio,
        on_event: Callable[[CubeEvent], object],
        on_change: Callable[[float], object],
    ) -> None:
        """Call ``on_event`` with every event, ``on_change(now)``, in s, when a cube has changed."""
        self.ignored: Counter[str] = Counter()
        """Messages by why they were: of a slot without a cube, not finite, a weak tap."""
        self.on_acceleration: Signal[CubeAcceleration] = Signal()
        self._clock, self._radio = clock, radio
        self._on_event, self._on_change = on_event, on_change
        self._taps = TapFilter()
        self._last_tap: dict[int, float] = {}
        """Robot time of each cube's last tap, s: moves soon after it are the tap's own."""
        self._up_axes: dict[int, UpAxis] = {}
        """As told last: a cube that says the same after a new connection was not turned."""
        self._low: set[int] = set()
        session.on(messages.ObjectMoved, self._on_moved)
        session.on(messages.ObjectStoppedMoving, self._on_stopped)
        session.on(messages.ObjectTappedFiltered, self._on_tap)
        session.on(messages.ObjectUpAxisChanged, self._on_up_axis)
        session.on(messages.ObjectPowerLevel, self._on_power)
        session.on(messages.ObjectAccel, self._on_accel)

    def reset(self) -> None:
        """Forget times of the robot: a new session starts."""
        self._taps.reset()
        self._last_tap.clear()

    def poll(self, now: float) -> None:
        """Emit the taps whose window has passed at ``now``, s."""
        while (found := self._taps.pop(now)) is not None:
            strongest, weaker = found
            is_double = self._taps.is_double(strongest)
            kind = CubeEventType.DOUBLE_TAPPED if is_double else CubeEventType.TAPPED
            self._emit_tap(kind, strongest)
            for tap in weaker:
                self._emit_tap(CubeEventType.WEAKER_TAP, tap)

    def _on_moved(self, message: messages.ObjectMoved, now: float) -> None:
        cube = self._sender(message.object_id, now)
        acceleration = self._si(message.accel)
        if cube is None or acceleration is None or cube.is_moving:
            return
        last_tap = self._last_tap.get(cube.factory_id, -math.inf)
        is_tap = abs(message.timestamp / 1000.0 - last_tap) <= _QUIET
        if is_tap or cube.kind is CubeKind.CHARGER:
            return
        cube = self._radio.update(cube, is_moving=True)
        time = self._time(message.timestamp, now)
        self._emit(time, CubeEventType.MOVED, cube, acceleration=acceleration)
        self._on_change(now)

    def _on_stopped(self, message: messages.ObjectStoppedMoving, now: float) -> None:
        cube = self._sender(message.object_id, now)
        if cube is None or not cube.is_moving:
            return
        cube = self._radio.update(cube, is_moving=False)
        self._emit(self._time(message.timestamp, now), CubeEventType.STOPPED, cube)
        self._on_change(now)

    def _on_tap(self, message: messages.ObjectTappedFiltered, now: float) -> None:
        cube = self._sender(message.object_id, now)
        if cube is None:
            return
        time = message.timestamp / 1000.0
        if self._taps.add(Tap(cube.factory_id, time, now, message.tap_intensity)):
            self._last_tap[cube.factory_id] = time
        else:
            self.ignored["weak tap"] += 1

    def _on_up_axis(self, message: messages.ObjectUpAxisChanged, now: float) -> None:
        cube = self._sender(message.object_id, now)
        axis = member_or(UpAxis.UNKNOWN_AXIS, message.up_axis)
        if cube is None or axis is cube.up_axis:
            return
        cube = self._radio.update(cube, up_axis=axis)
        if self._up_axes.get(cube.factory_id) is not axis:
            self._up_axes[cube.factory_id] = axis
            self._emit(self._time(message.timestamp, now), CubeEventType.UP_AXIS_CHANGED, cube)
        self._on_change(now)

    def _on_power(self, message: messages.ObjectPowerLevel, now: float) -> None:
        cube = self._sender(message.object_id, now)
        if cube is None:
            return
        cube = self._radio.update(
            cube,
            battery_voltage=message.battery_level * 0.01,
            missed_packets=message.missed_packets,
        )
        if cube.battery_level > _REPLACED_LEVEL:
            self._low.discard(cube.factory_id)
        elif cube.battery_level <= LOW_LEVEL and cube.factory_id not in self._low:
            self._low.add(cube.factory_id)
            self._emit(now, CubeEventType.BATTERY_LOW, cube)
        self._on_change(now)

    def _on_accel(self, message: messages.ObjectAccel, now: float) -> None:
        cube = self._sender(message.object_id, now)
        acceleration = self._si(message.accel)
        if cube is not None and acceleration is not None:
            time = self._time(message.timestamp, now)
            self.on_acceleration.emit(
                CubeAcceleration(time, cube.kind, cube.factory_id, acceleration)
            )

    def _emit_tap(self, kind: CubeEventType, tap: Tap) -> None:
        cube = self._radio.known.get(tap.factory_id)
        if cube is not None:
            time = self._time(round(tap.time * 1000), tap.received_at)
            self._emit(time, kind, cube, tap_intensity=tap.intensity)

    def _emit(self, time: float, kind: CubeEventType, cube: Cube, **measured: Any) -> None:
        self._on_event(CubeEvent(time, kind, self._radio.snapshot(cube), **measured))

    def _sender(self, slot_number: int, now: float) -> Cube | None:
        for slot, cube in self._radio.connected():
            if slot.number == slot_number:
                return self._radio.update(cube, last_heard=now)
        self.ignored["slot without a cube"] += 1
        return None

    def _si(self, accel: ActiveAccel) -> Vector3 | None:
        if not all(map(math.isfinite, accel)):
            self.ignored["not finite"] += 1
            return None
        return Vector3(
            accel.x * ACCELERATION_COUNT, accel.y * ACCELERATION_COUNT, accel.z * ACCELERATION_COUNT
        )

    def _time(self, milliseconds: int, now: float) -> float:
        time = self._clock.to_host(milliseconds / 1000.0)
        return now if math.isnan(time) else min(now, time)
