"""Light cubes and the charger pad: connections, lights, events, acceleration (spec 08 §3-6)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from ...protocol import NotConnected, SendQueueFull, messages
from ..data import Phase, SessionState
from ..errors import Reason, RobotError
from ..lights import CUBE_GREETING, CubeLights, cube_messages
from ..session import Session
from ..signal import Signal
from ..states import DeviceClock
from .data import LIGHT_CUBES, Cube, CubeEvent, CubeEventType, CubeKind, CubeLink, cube_name
from .radio import ANY, CubeRadio, Slot
from .senses import CubeSenses

_log = logging.getLogger(__name__)

CONNECT_TIMEOUT = 15.0
"""Time to receive an advertisement, connect and try again once, s."""
DISCONNECT_TIMEOUT = 7.0
_GAMMA = 0x80
_LAST_STEP = len(CUBE_GREETING) - 1


class Cubes:
    """Every cube in range of the robot or connected to it.

    Requested connections, lights and streams are set up again whenever the robot or the cube
    comes back.
    """

    def __init__(
        self, session: Session, clock: DeviceClock, kinds: Iterable[CubeKind] = LIGHT_CUBES
    ) -> None:
        self.on_change: Signal[tuple[Cube, ...]] = Signal()
        """``all``, when one has changed; signal strengths and counts alone are no change."""
        self.on_event: Signal[CubeEvent] = Signal()
        self.radio = CubeRadio(session.send, kinds)
        self.senses = CubeSenses(session, clock, self.radio, self.on_event.emit, self._notify)
        self.on_acceleration = self.senses.on_acceleration
        self.dimmed = 0
        """Times that lights were made darker, because a cube's battery cannot carry them."""
        self._session = session
        self._is_active = self._is_gamma_set = False
        self._lights: dict[int, CubeLights] = {}
        self._streams: dict[int, set[str]] = {}
        """Who wants the acceleration of each cube."""
        self._shown: dict[int, CubeLights] = {}
        self._dimmed_cubes: set[int] = set()
        self._greetings: dict[int, tuple[int, float]] = {}
        """Step of the greeting of each cube that shows no other lights, and until when."""
        self._notified: dict[int, Cube] = {}
        """As of the last ``on_change``."""
        session.on_setup.connect(self._on_setup)
        session.on_state.connect(self._on_session)
        session.on(messages.RobotState, self._on_robot_state)
        session.on(messages.ObjectAvailable, self._on_available)
        session.on(messages.ObjectConnectionState, self._on_connection)

    @property
    def all(self) -> tuple[Cube, ...]:
        """All known cubes, sorted by kind and factory id."""
        known = sorted(self.radio.known.values(), key=lambda cube: (cube.kind, cube.factory_id))
        return tuple(map(self.radio.snapshot, known))

    def find(self, kind: CubeKind = CubeKind.UNKNOWN, factory_id: int = 0) -> Cube:
        """Return the cube with this factory id, else the one of this kind that is meant.

        Raises ``RobotError``.
        """
        return self.radio.snapshot(self._find(kind, factory_id))

    async def connect(
        self,
        kind: CubeKind = CubeKind.UNKNOWN,
        factory_id: int = 0,
        timeout: float = CONNECT_TIMEOUT,
    ) -> Cube:
        """Connect a cube, by default the nearest of its kind, and keep it connected.

        Another cube of the same kind is disconnected. The driver goes on trying after an error;
        ``timeout`` in s. Raises ``RobotError``, ``ConnectionLost``.
        """
        if kind is CubeKind.UNKNOWN or factory_id in self.radio.known:
            kind = self._find(kind, factory_id).kind
        slot = self.radio.slots.get(kind)
        if slot is None:
            raise RobotError(Reason.NOT_FOUND, f"{cube_name(kind, factory_id)} cannot be connected")
        self.radio.request(kind, factory_id, _now())
        self._notify(_now())
        await self._wait_for(
            lambda: slot.link is CubeLink.CONNECTED and factory_id in (ANY, slot.factory_id),
            timeout,
            f"{cube_name(kind, factory_id)} did not connect within {timeout:g} s; "
            "bring it near the robot or give it a new battery",
        )
        return self.radio.snapshot(self.radio.known[slot.factory_id])

    async def disconnect(self, kind: CubeKind = CubeKind.UNKNOWN, factory_id: int = 0) -> Cube:
        """Disconnect a cube; no other of its kind is connected instead.

        Raises ``RobotError``, ``ConnectionLost``.
        """
        cube = self._find(kind, factory_id)
        slot = self.radio.slots.get(cube.kind)
        if slot is not None and slot.factory_id in (0, cube.factory_id):
            self.radio.release(cube.kind, _now())
            self._notify(_now())
            await self._wait_for(
                lambda: slot.factory_id != cube.factory_id,
                DISCONNECT_TIMEOUT,
                f"{cube.name} did not disconnect within {DISCONNECT_TIMEOUT:g} s",
            )
        return self.radio.snapshot(self.radio.known.get(cube.factory_id, cube))

    def set_lights(
        self, lights: CubeLights, kind: CubeKind = CubeKind.UNKNOWN, factory_id: int = 0
    ) -> bool:
        """Show lights on a cube, now if it is connected and each time it connects.

        Colours that its battery cannot carry are made darker together. Return whether it is
        connected. Raises ``RobotError`` and ``SendQueueFull``.
        """
        cube = self._find(kind, factory_id)
        self._lights[cube.factory_id] = lights
        return self._show(cube)

    def lights_of(self, factory_id: int) -> CubeLights | None:
        """Return the lights that were set on a cube, None for the driver's own pattern."""
        return self._lights.get(factory_id)

    def release_lights(self, kind: CubeKind = CubeKind.UNKNOWN, factory_id: int = 0) -> bool:
        """Show the driver's own pattern again. Returns and raises as ``set_lights``."""
        cube = self._find(kind, factory_id)
        if self._lights.pop(cube.factory_id, None) is not None:
            self._greetings[cube.factory_id] = (_LAST_STEP, math.inf)
        return self._show(cube)

    def stream_acceleration(
        self, on: bool, kind: CubeKind = CubeKind.UNKNOWN, factory_id: int = 0, who: str = ""
    ) -> bool:
        """Let a cube send its acceleration about 30 times a second. As ``set_lights``.

        It stops when nobody wants it any more of those who wanted it, told apart by ``who``.
        """
        cube = self._find(kind, factory_id)
        wanting = self._streams.setdefault(cube.factory_id, set())
        (wanting.add if on else wanting.discard)(who)
        on = bool(wanting)
        slot = self._slot_if_connected(cube)
        if slot is not None and on is not cube.is_streaming:
            self._stream(slot, cube, on)
            self._notify(_now())
        return slot is not None

    # -- session and connections

    def _on_setup(self, _: None) -> None:
        self._is_active = True
        self.senses.reset()
        self.radio.start(_now())
        self._notify(_now())

    def _on_session(self, state: SessionState) -> None:
        if state.phase in (Phase.INITIALIZING, Phase.CONNECTED) or not self._is_active:
            return
        self._is_active = self._is_gamma_set = False
        self.radio.stop(_now())
        self._notify(_now())

    def _on_robot_state(self, _: messages.RobotState, now: float) -> None:
        """Do what is due; the robot's states are the clock of it."""
        if not self._is_active:
            return
        self.senses.poll(now)
        if self.radio.poll(now):
            self._notify(now)
        for slot, cube in self.radio.connected():
            step, until = self._greetings.get(cube.factory_id, (_LAST_STEP, math.inf))
            if now >= until:
                self._greet(cube, step + 1, now)
            self._bring_up_to_date(slot, cube)

    def _on_available(self, message: messages.ObjectAvailable, now: float) -> None:
        if self.radio.on_available(message, now) is not None:
            self._notify(now)

    def _on_connection(self, message: messages.ObjectConnectionState, now: float) -> None:
        slot = self.radio.on_connection(message, now)
        if slot is not None and slot.link is CubeLink.CONNECTED:
            self._set_up(slot, self.radio.known[slot.factory_id], now)
        self._notify(now)

    def _set_up(self, slot: Slot, cube: Cube, now: float) -> None:
        """Send a new connection its lights first: without any a cube sends nothing."""
        self._shown.pop(cube.factory_id, None)
        self._greet(cube, 0, now)
        self._bring_up_to_date(slot, self.radio.update(cube, is_streaming=False))

    # -- lights and streams

    def _greet(self, cube: Cube, step: int, now: float) -> None:
        until = math.inf if step == _LAST_STEP else now + CUBE_GREETING[step][0]
        self._greetings[cube.factory_id] = (step, until)

    def _show(self, cube: Cube) -> bool:
        """Send a cube its lights unless it has them; return whether it is connected."""
        slot = self._slot_if_connected(cube)
        if slot is None:
            return False
        step, _ = self._greetings.get(cube.factory_id, (_LAST_STEP, math.inf))
        lights = self._lights.get(cube.factory_id, CUBE_GREETING[step][1])
        if lights == self._shown.get(cube.factory_id):
            return True
        if not self._is_gamma_set:
            self._session.send(messages.SetCubeGamma(_GAMMA))
            self._is_gamma_set = True
        selection, colors, brightness = cube_messages(slot.number, cube.kind, lights)
        self._session.send(selection)
        self._session.send(colors)
        self._shown[cube.factory_id] = lights
        self._count_dimming(cube, brightness)
        return True

    def _bring_up_to_date(self, slot: Slot, cube: Cube) -> None:
        """Send a connected cube its lights and what it is to stream, unless it has that."""
        is_wanted = bool(self._streams.get(cube.factory_id))
        # What a full queue refuses is sent after one of the next states.
        with contextlib.suppress(NotConnected, SendQueueFull):
            self._show(cube)
            if is_wanted is not cube.is_streaming:
                self._stream(slot, cube, is_wanted)
                self._notify(_now())

    def _count_dimming(self, cube: Cube, brightness: float) -> None:
        if brightness == 1.0:
            self._dimmed_cubes.discard(cube.factory_id)
            return
        self.dimmed += 1
        if cube.factory_id not in self._dimmed_cubes:
            self._dimmed_cubes.add(cube.factory_id)
            _log.warning(
                "the lights of %s are shown at %.0f %% brightness: its battery carries no more",
                cube.name,
                brightness * 100,
            )

    def _stream(self, slot: Slot, cube: Cube, on: bool) -> None:
        self._session.send(messages.StreamObjectAccel(slot.number, on))
        self.radio.update(cube, is_streaming=on)

    def _find(self, kind: CubeKind, factory_id: int) -> Cube:
        if factory_id:
            cube = self.radio.known.get(factory_id)
            if cube is not None and kind not in (CubeKind.UNKNOWN, cube.kind):
                raise RobotError(Reason.NOT_FOUND, f"{cube.name} is not {cube_name(kind)}")
        elif kind not in self.radio.slots:
            raise RobotError(
                Reason.NOT_FOUND, "name the cube: its kind (1, 2, 3, charger pad) or its factory id"
            )
        else:
            cube = self.radio.best(kind)
        if cube is None:
            raise RobotError(
                Reason.NOT_FOUND,
                f"{cube_name(kind, factory_id)} has not been heard; bring it near the robot or "
                "give it a new battery",
            )
        return cube

    def _slot_if_connected(self, cube: Cube) -> Slot | None:
        slot = self.radio.slot_of(cube.factory_id)
        return slot if slot is not None and slot.link is CubeLink.CONNECTED else None

    async def _wait_for(self, condition: Callable[[], bool], timeout: float, text: str) -> None:
        try:
            await self._session.until(condition, timeout)
        except TimeoutError:
            raise RobotError(Reason.TIMEOUT, text) from None

    def _notify(self, now: float) -> None:
        cubes = self.all
        before, self._notified = self._notified, {cube.factory_id: cube for cube in cubes}
        if [_compared(cube) for cube in cubes] != [_compared(cube) for cube in before.values()]:
            self.on_change.emit(cubes)
        for cube in cubes:
            for kind in _link_events(before.get(cube.factory_id), cube):
                self.on_event.emit(CubeEvent(now, kind, cube))


def _now() -> float:
    return asyncio.get_running_loop().time()


def _compared(cube: Cube) -> str:
    """Return what makes a change of a cube; a NaN equals another."""
    return str(replace(cube, rssi=0, missed_packets=0, last_heard=0.0))


def _link_events(before: Cube | None, cube: Cube) -> list[CubeEventType]:
    was_heard, was_connected = (
        (before.is_available, before.is_connected) if before else (False, False)
    )
    events = []
    if cube.is_available and not was_heard:
        events.append(CubeEventType.APPEARED)
    if cube.is_connected is not was_connected:
        events.append(CubeEventType.CONNECTED if cube.is_connected else CubeEventType.DISCONNECTED)
    if was_heard and not cube.is_available:
        events.append(CubeEventType.DISAPPEARED)
    return events
