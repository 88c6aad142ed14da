"""Light cubes and the robot's radio to them: advertisements, slots, telemetry (spec 08)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ..protocol import ActiveAccel, LightState, Message, UpAxis, messages
from .core import Core
from .lights import DARK, Rgb, load, rotated

_GRAVITY = 31.0
"""Counts of 1/32 g, as recorded."""
_TILT = -1.0
_NOISE = 0.5
_SHAKE_RATE = 4.0
"""Hz by which a hand shakes a cube."""
_BROWN_OUT = 50.0
SLOTS = 5
CONNECT_TIME = 2.0
"""Seconds from the request to the connection."""
DISCONNECT_TIME = 0.2
RECONNECT_TIME = 0.5
"""Seconds after which a dropped cube is back."""
_PERIOD = 1.0
_RSSI = (45, 90)
_ACCEL_PERIOD = 0.033
_BATTERY_PERIOD = 60.0
CHARGER_PAD = 13
"""Its object type."""
_PAD_ID = 0xCA0000AA


@dataclass(slots=True)
class Cube:
    """What a cube is, feels and shows. ``slot`` is None while it is not connected."""

    factory_id: int
    object_type: int
    slot: int | None = None
    in_reach: bool = True
    rssi: int | None = None
    """Signal strength; None for a random one with each advertisement."""
    up_axis: UpAxis = UpAxis.Z_POSITIVE
    battery_level: int = 158
    """Hundredths of a volt."""
    connections: int = 0
    streaming: bool = False
    streams: int = 0
    """How often a stream was switched."""
    shaking: float = 0.0
    """How hard a hand shakes it to and fro, counts of its accelerometer."""
    lit: bool = False
    """Whether it was given lights since it connected."""
    lights: tuple[LightState, ...] = (DARK,) * 4
    rotation_frames: int = 0
    lit_at: float = 0.0
    updates: int = 0
    """Lights received since power on."""
    overloads: int = 0
    """Lights received that a real cube's battery cannot carry."""

    def connect(self, slot: int | None) -> None:
        self.slot = slot
        self.connections += slot is not None
        self.streaming = self.lit = False
        self.lights, self.rotation_frames = (DARK,) * 4, 0

    def light(self, lights: tuple[LightState, ...], rotation_frames: int, now: float) -> None:
        self.lights, self.rotation_frames, self.lit_at = lights, rotation_frames, now
        self.lit = True
        self.updates += 1
        self.overloads += sum(map(load, lights)) > _BROWN_OUT

    def colors(self, now: float) -> tuple[Rgb, ...]:
        return rotated(self.lights, self.rotation_frames, now - self.lit_at)

    def accel(self, random: Random, now: float) -> ActiveAccel:
        parts = [_TILT + self.shaking * math.sin(2.0 * math.pi * _SHAKE_RATE * now), 0.0, 0.0]
        axis, positive = divmod(self.up_axis, 2)
        if self.up_axis is not UpAxis.UNKNOWN_AXIS:
            parts[axis] = _GRAVITY if positive else -_GRAVITY
        x, y, z = (part + random.gauss(0.0, _NOISE) for part in parts)
        return ActiveAccel(x, y, z)


class Cubes:
    """Cubes in reach; the methods named after what happens to one report it.

    They take a factory id, and return whether the engine gets a message.
    """

    def __init__(
        self,
        core: Core,
        cubes: tuple[tuple[int, int], ...],
        telemetry_needs_lights: bool = True,
    ) -> None:
        """``cubes`` are (factory id, object type)."""
        self._core = core
        self._needs_lights = telemetry_needs_lights
        self._random = core.random("cubes")
        self._pad_random = core.random("charger pad")
        self.cubes = {factory_id: Cube(factory_id, kind) for factory_id, kind in cubes}
        self.is_taken: Callable[[int], bool] = lambda _: False
        """Whether a cube, by its factory id, is connected to another robot."""
        self.gamma: int | None = None
        """What the engine set in this connection."""
        self._assigned: dict[int, messages.SetPropSlot] = {}
        self._selected: messages.CubeID | None = None
        core.when_connected(self._on_connected)
        core.when_disconnected(self._on_disconnected)
        core.handle(messages.SetPropSlot, self._on_slot)
        core.handle(messages.SetCubeGamma, self._on_gamma)
        core.handle(messages.CubeID, self._on_selection)
        core.handle(messages.CubeLights, self._on_lights)
        core.handle(messages.StreamObjectAccel, self._on_stream)

    # -- what happens to cubes

    def tap(self, factory_id: int, intensity: int = 97) -> bool:
        """Tap a cube; a firm tap has more than 60 of 255."""
        # Each half has 8 bits with a sign.
        now, negative = self._core.timestamp, -max(intensity // 2, intensity - 127)
        return self._report(
            self.cubes[factory_id],
            lambda slot: messages.ObjectTapped(now, slot, 1, 6, negative, intensity + negative),
            lambda slot: messages.ObjectTappedFiltered(now, slot, 6, intensity),
        )

    def move(self, factory_id: int) -> bool:
        cube, now = self.cubes[factory_id], self._core.timestamp
        return self._report(
            cube,
            lambda slot: messages.ObjectMoved(
                now, slot, cube.accel(self._random, self._core.now), cube.up_axis
            ),
        )

    def stop(self, factory_id: int) -> bool:
        now = self._core.timestamp
        return self._report(
            self.cubes[factory_id], lambda slot: messages.ObjectStoppedMoving(now, slot)
        )

    def flip(self, factory_id: int, up_axis: UpAxis) -> bool:
        cube, now = self.cubes[factory_id], self._core.timestamp
        cube.up_axis = up_axis
        return self._report(cube, lambda slot: messages.ObjectUpAxisChanged(now, slot, up_axis))

    def set_battery(self, factory_id: int, level: int) -> bool:
        """Put in a battery of ``level`` hundredths of a volt."""
        cube = self.cubes[factory_id]
        cube.battery_level = level
        return self._report_battery(cube)

    def drop(self, factory_id: int) -> bool:
        """Lose a cube for a moment: the robot brings it back by itself."""
        cube = self.cubes[factory_id]
        slot = cube.slot
        if slot is None:
            return False
        self._disconnect(cube, slot)
        self._connect_in(RECONNECT_TIME, slot)
        return True

    def of_kind(self, object_type: int) -> int | None:
        """Return the factory id of the first cube of a type, None for none."""
        return next(
            (c.factory_id for c in self.cubes.values() if c.object_type == object_type), None
        )

    def add_pad(self) -> None:
        """Have a charger whose pad has a radio (spec 08 §6)."""
        self.cubes[_PAD_ID] = Cube(_PAD_ID, CHARGER_PAD)

    def take_away(self, factory_id: int) -> bool:
        self.cubes[factory_id].in_reach = False
        return self.drop(factory_id)

    def bring_back(self, factory_id: int) -> None:
        """Bring a cube into reach again; its advertisement reports it."""
        self.cubes[factory_id].in_reach = True

    def colors(self, factory_id: int) -> tuple[Rgb, ...]:
        return self.cubes[factory_id].colors(self._core.now)

    # -- the connection

    def _on_connected(self) -> None:
        for cube in self.cubes.values():
            self._advertise_in(cube, self._random_of(cube).uniform(0.1, _PERIOD))

    def _on_disconnected(self) -> None:
        self._assigned.clear()
        self.gamma = self._selected = None
        for cube in self.cubes.values():
            cube.connect(None)

    def _advertise_in(self, cube: Cube, delay: float) -> None:
        self._core.after(delay, lambda: self._advertise(cube))

    def _advertise(self, cube: Cube) -> None:
        if cube.in_reach and cube.slot is None and not self.is_taken(cube.factory_id):
            rssi = self._random_of(cube).randint(*_RSSI) if cube.rssi is None else cube.rssi
            signed = rssi - 256 if rssi > 127 else rssi
            self._core.send(messages.ObjectAvailable(cube.factory_id, cube.object_type, signed))
        self._advertise_in(cube, _PERIOD + self._random_of(cube).uniform(-0.02, 0.02))

    def _random_of(self, cube: Cube) -> Random:
        """Return the chance of a cube: a pad beside it changes nothing of that of the others."""
        return self._pad_random if cube.object_type == CHARGER_PAD else self._random

    # -- slots

    def _on_slot(self, m: messages.SetPropSlot) -> None:
        if m.slot >= SLOTS:
            return
        held = self._in_slot(m.slot)
        if held is None and m == self._assigned.get(m.slot):
            # The slot waits for this cube already.
            return
        self._assigned[m.slot] = m
        if held is not None and held.factory_id != m.factory_id:
            self._core.after(DISCONNECT_TIME, lambda: self._release(held, m.slot))
        if m.factory_id:
            self._connect_in(CONNECT_TIME, m.slot)

    def _release(self, cube: Cube, slot: int) -> None:
        if cube.slot == slot and self._assigned[slot].factory_id != cube.factory_id:
            self._disconnect(cube, slot)

    def _connect_in(self, delay: float, slot: int) -> None:
        requested = self._assigned[slot]
        self._core.after(delay, lambda: self._connect(slot, requested))

    def _connect(self, slot: int, requested: messages.SetPropSlot) -> None:
        """Connect the cube if the slot still waits for it; out of reach it is waited for."""
        if self._assigned.get(slot) is not requested:
            return
        cube = self.cubes.get(requested.factory_id)
        is_there = cube is not None and cube.in_reach
        if cube is None or not is_there or self.is_taken(cube.factory_id):
            self._connect_in(_PERIOD, slot)
            return
        if cube.slot is not None and cube.slot != slot:
            if self._assigned[cube.slot].factory_id == cube.factory_id:
                del self._assigned[cube.slot]
            self._disconnect(cube, cube.slot)
        if cube.slot is None:
            cube.connect(slot)
            if not self._needs_lights:
                self._repeat_battery(cube, cube.connections)
        self._core.send(
            messages.ObjectConnectionState(slot, cube.factory_id, cube.object_type, True)
        )

    def _disconnect(self, cube: Cube, slot: int) -> None:
        cube.connect(None)
        self._core.send(
            messages.ObjectConnectionState(slot, cube.factory_id, cube.object_type, False)
        )

    # -- lights

    def _on_gamma(self, m: messages.SetCubeGamma) -> None:
        self.gamma = m.gamma

    def _on_selection(self, m: messages.CubeID) -> None:
        self._selected = m

    def _on_lights(self, m: messages.CubeLights) -> None:
        selected = self._selected
        cube = self._in_slot(selected.object_id) if selected else None
        if cube is None or selected is None:
            return
        is_first = not cube.lit
        cube.light(m.lights, selected.rotation_period_frames, self._core.now)
        if is_first and self._needs_lights:
            self._repeat_battery(cube, cube.connections)

    # -- telemetry

    def _on_stream(self, m: messages.StreamObjectAccel) -> None:
        cube = self._in_slot(m.object_id)
        if cube is None:
            return
        cube.streaming = m.enable
        cube.streams += 1
        if m.enable:
            self._measure(cube, cube.streams)

    def _measure(self, cube: Cube, stream: int) -> None:
        if not cube.streaming or cube.streams != stream or cube.slot is None:
            return
        now = self._core.timestamp
        self._report(
            cube,
            lambda slot: messages.ObjectAccel(now, slot, cube.accel(self._random, self._core.now)),
        )
        self._core.after(_ACCEL_PERIOD, lambda: self._measure(cube, stream))

    def _repeat_battery(self, cube: Cube, connection: int) -> None:
        if cube.connections == connection and cube.slot is not None:
            self._report_battery(cube)
            self._core.after(_BATTERY_PERIOD, lambda: self._repeat_battery(cube, connection))

    def _report_battery(self, cube: Cube) -> bool:
        level = cube.battery_level
        return self._report(cube, lambda slot: messages.ObjectPowerLevel(slot, 0, level))

    def _report(self, cube: Cube, *reports: Callable[[int], Message]) -> bool:
        """Send messages made for the cube's slot if what happens to it is reported at all."""
        if cube.slot is None or (self._needs_lights and not cube.lit):
            return False
        for report in reports:
            self._core.send(report(cube.slot))
        return True

    # -- inside

    def _in_slot(self, slot: int) -> Cube | None:
        return next((cube for cube in self.cubes.values() if cube.slot == slot), None)
