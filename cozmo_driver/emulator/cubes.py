"""Light cubes and the robot's radio to them: advertisements, slots, telemetry (spec 08)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ..protocol.enums import UpAxis
from ..protocol.messages import (
    CubeID,
    CubeLights,
    ObjectAccel,
    ObjectAvailable,
    ObjectConnectionState,
    ObjectMoved,
    ObjectPowerLevel,
    ObjectStoppedMoving,
    ObjectTapped,
    ObjectTappedFiltered,
    ObjectUpAxisChanged,
    SetCubeGamma,
    SetPropSlot,
    StreamObjectAccel,
)
from ..protocol.structs import ActiveAccel, LightState
from .core import Core
from .lights import DARK, Rgb, load, rotated

_GRAVITY = 31.0
"""Counts of 1/32 g, as recorded."""
_TILT = -1.0
_NOISE = 0.5
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
        self.slot = slot
        self.connections += 1
        self._rest()

    def disconnect(self) -> None:
        self.slot = None
        self._rest()

    def _rest(self) -> None:
        self.streaming = self.lit = False
        self.lights, self.rotation_frames = (DARK,) * 4, 0

    def stream(self, on: bool) -> None:
        self.streaming = on
        self.streams += 1

    def light(self, lights: tuple[LightState, ...], rotation_frames: int, now: float) -> None:
        self.lights, self.rotation_frames, self.lit_at = lights, rotation_frames, now
        self.lit = True
        self.updates += 1
        self.overloads += sum(map(load, lights)) > _BROWN_OUT

    def colors(self, now: float) -> tuple[Rgb, ...]:
        return rotated(self.lights, self.rotation_frames, now - self.lit_at)

    def accel(self, random: Random) -> ActiveAccel:
        parts = [_TILT, 0.0, 0.0]
        axis, positive = divmod(self.up_axis, 2)
        if self.up_axis is not UpAxis.UNKNOWN_AXIS:
            parts[axis] = _GRAVITY if positive else -_GRAVITY
        x, y, z = (part + random.gauss(0.0, _NOISE) for part in parts)
        return ActiveAccel(x, y, z)


class Cubes:
    """Cubes in reach; what happens to them is told by the methods named after it.

    These take a factory id, raise ``ValueError`` for one that is not there, and return whether
    the engine was told.
    """

    def __init__(
        self,
        core: Core,
        cubes: tuple[tuple[int, int], ...],
        telemetry_needs_lights: bool = True,
    ) -> None:
        """Take part in the connection; ``cubes`` are (factory id, object type)."""
        self._core = core
        self._needs_lights = telemetry_needs_lights
        self._random = core.random("cubes")
        self.cubes = {factory_id: Cube(factory_id, kind) for factory_id, kind in cubes}
        self.is_taken: Callable[[int], bool] = lambda _: False
        """Whether a cube, by its factory id, is connected to another robot."""
        self.gamma: int | None = None
        """What the engine set in this connection."""
        self._assigned: dict[int, SetPropSlot] = {}
        self._selected: CubeID | None = None
        core.when_connected(self._begin)
        core.when_disconnected(self._end)
        core.handle(SetPropSlot, self._assign)
        core.handle(SetCubeGamma, self._set_gamma)
        core.handle(CubeID, self._select)
        core.handle(CubeLights, self._light)
        core.handle(StreamObjectAccel, self._stream)

    # -- what happens to cubes

    def tap(self, factory_id: int, intensity: int = 97) -> bool:
        """Tap a cube; a firm tap has more than 60 of 255."""
        cube = self._telling(factory_id)
        if cube is None or cube.slot is None:
            return False
        now, negative = self._core.timestamp, -(intensity // 2)
        self._core.send(ObjectTapped(now, cube.slot, 1, 6, negative, intensity + negative))
        self._core.send(ObjectTappedFiltered(now, cube.slot, 6, intensity))
        return True

    def move(self, factory_id: int) -> bool:
        cube = self._telling(factory_id)
        if cube is None or cube.slot is None:
            return False
        accel = cube.accel(self._random)
        self._core.send(ObjectMoved(self._core.timestamp, cube.slot, accel, cube.up_axis))
        return True

    def stop(self, factory_id: int) -> bool:
        cube = self._telling(factory_id)
        if cube is None or cube.slot is None:
            return False
        self._core.send(ObjectStoppedMoving(self._core.timestamp, cube.slot))
        return True

    def flip(self, factory_id: int, up_axis: UpAxis) -> bool:
        self._cube(factory_id).up_axis = up_axis
        cube = self._telling(factory_id)
        if cube is None or cube.slot is None:
            return False
        self._core.send(ObjectUpAxisChanged(self._core.timestamp, cube.slot, up_axis))
        return True

    def set_battery(self, factory_id: int, level: int) -> bool:
        """Put in a battery of ``level`` hundredths of a volt."""
        self._cube(factory_id).battery_level = level
        return self._tell_battery(self._cube(factory_id))

    def drop(self, factory_id: int) -> bool:
        """Lose a cube for a moment: the robot brings it back by itself."""
        cube = self._cube(factory_id)
        slot = cube.slot
        if slot is None:
            return False
        self._disconnect(cube)
        self._connect_in(RECONNECT_TIME, slot)
        return True

    def of_kind(self, object_type: int) -> int | None:
        """Return the factory id of the first cube of a type, None for none."""
        return next(
            (c.factory_id for c in self.cubes.values() if c.object_type == object_type), None
        )

    def take_away(self, factory_id: int) -> bool:
        self._cube(factory_id).in_reach = False
        return self.drop(factory_id)

    def bring_back(self, factory_id: int) -> None:
        """Bring a cube into reach again; the engine hears of it by its advertisement."""
        self._cube(factory_id).in_reach = True

    def colors(self, factory_id: int) -> tuple[Rgb, ...]:
        return self._cube(factory_id).colors(self._core.now)

    # -- the connection

    def _begin(self) -> None:
        for cube in self.cubes.values():
            self._advertise_in(cube, self._random.uniform(0.1, _PERIOD))

    def _end(self) -> None:
        self._assigned.clear()
        self.gamma = self._selected = None
        for cube in self.cubes.values():
            cube.disconnect()

    def _advertise_in(self, cube: Cube, delay: float) -> None:
        self._core.after(delay, lambda: self._advertise(cube))

    def _advertise(self, cube: Cube) -> None:
        if cube.in_reach and cube.slot is None and not self.is_taken(cube.factory_id):
            rssi = self._random.randint(*_RSSI) if cube.rssi is None else cube.rssi
            signed = rssi - 256 if rssi > 127 else rssi
            self._core.send(ObjectAvailable(cube.factory_id, cube.object_type, signed))
        self._advertise_in(cube, _PERIOD + self._random.uniform(-0.02, 0.02))

    # -- slots

    def _assign(self, m: SetPropSlot) -> None:
        if m.slot >= SLOTS:
            return
        held = self._in_slot(m.slot)
        self._assigned[m.slot] = m
        if held is not None and held.factory_id != m.factory_id:
            self._core.after(DISCONNECT_TIME, lambda: self._release(held, m.slot))
        if m.factory_id:
            self._connect_in(CONNECT_TIME, m.slot)

    def _release(self, cube: Cube, slot: int) -> None:
        if cube.slot == slot and self._assigned[slot].factory_id != cube.factory_id:
            self._disconnect(cube)

    def _connect_in(self, delay: float, slot: int) -> None:
        wanted = self._assigned[slot]
        self._core.after(delay, lambda: self._connect(slot, wanted))

    def _connect(self, slot: int, wanted: SetPropSlot) -> None:
        """Connect the cube if the slot still waits for it; out of reach it is waited for."""
        if self._assigned[slot] is not wanted:
            return
        cube = self.cubes.get(wanted.factory_id)
        is_there = cube is not None and cube.in_reach and cube.answers
        if cube is None or not is_there or self.is_taken(cube.factory_id):
            self._connect_in(_PERIOD, slot)
            return
        if cube.slot is not None and cube.slot != slot:
            self._disconnect(cube)
        if cube.slot is None:
            cube.connect(slot)
            if not self._needs_lights:
                self._repeat_battery(cube, cube.connections)
        self._tell_connection(cube, slot, True)

    def _disconnect(self, cube: Cube) -> bool:
        slot = cube.slot
        cube.disconnect()
        return slot is not None and self._tell_connection(cube, slot, False)

    def _tell_connection(self, cube: Cube, slot: int, connected: bool) -> bool:
        state = ObjectConnectionState(slot, cube.factory_id, cube.object_type, connected)
        self._core.send(state)
        return True

    # -- lights

    def _set_gamma(self, m: SetCubeGamma) -> None:
        self.gamma = m.gamma

    def _select(self, m: CubeID) -> None:
        self._selected = m

    def _light(self, m: CubeLights) -> None:
        selected = self._selected
        cube = self._in_slot(selected.object_id) if selected else None
        if cube is None or selected is None:
            return
        is_first = not cube.lit
        cube.light(m.lights, selected.rotation_period_frames, self._core.now)
        if is_first and self._needs_lights:
            self._repeat_battery(cube, cube.connections)

    # -- telemetry

    def _stream(self, m: StreamObjectAccel) -> None:
        cube = self._in_slot(m.object_id)
        if cube is None:
            return
        cube.stream(m.enable)
        if m.enable:
            self._measure(cube, cube.streams)

    def _measure(self, cube: Cube, stream: int) -> None:
        if not cube.streaming or cube.streams != stream or cube.slot is None:
            return
        if self._telling(cube.factory_id) is not None:
            accel = cube.accel(self._random)
            self._core.send(ObjectAccel(self._core.timestamp, cube.slot, accel))
        self._core.after(_ACCEL_PERIOD, lambda: self._measure(cube, stream))

    def _repeat_battery(self, cube: Cube, connection: int) -> None:
        if cube.connections == connection and cube.slot is not None:
            self._tell_battery(cube)
            self._core.after(_BATTERY_PERIOD, lambda: self._repeat_battery(cube, connection))

    def _tell_battery(self, cube: Cube) -> bool:
        if self._telling(cube.factory_id) is None or cube.slot is None:
            return False
        self._core.send(ObjectPowerLevel(cube.slot, cube.missed_packets, cube.battery_level))
        return True

    # -- inside

    def _cube(self, factory_id: int) -> Cube:
        if factory_id not in self.cubes:
            there = ", ".join(f"{known:08x}" for known in self.cubes) or "none"
            raise ValueError(f"there is no cube {factory_id:08x}; there are: {there}")
        return self.cubes[factory_id]

    def _in_slot(self, slot: int) -> Cube | None:
        return next((cube for cube in self.cubes.values() if cube.slot == slot), None)

    def _telling(self, factory_id: int) -> Cube | None:
        """Return the cube if what happens to it reaches the engine."""
        cube = self._cube(factory_id)
        told = cube.slot is not None and (cube.lit or not self._needs_lights)
        return cube if told else None
