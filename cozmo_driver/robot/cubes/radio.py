"""Which cubes are in range, and which one is connected in which radio slot (spec 08 §3).

Time is an argument, in s of the host's clock; commands for the robot go to ``send``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from ...protocol import UpAxis
from ...protocol.messages import ObjectAvailable, ObjectConnectionState, SetPropSlot
from .data import Cube, CubeKind, CubeLink, member_or

EXPIRY = 10.0
"""A cube that sends no advertisement for this time has gone, s."""
POLL = 2.0
"""How often the empty slots are checked, s; meanwhile all cubes in range advertise."""
TIMEOUT = 5.0
"""Without an answer for this time another cube is tried, s."""
LOST_TIMEOUT = 2.0
"""The robot itself brings back a lost cube within half a second; after this time help it, s."""
FARTHEST = 150
"""Raw signal strength beyond which an advertisement is ignored."""
MOST_CUBES = 64
"""Cubes remembered; a handful is in range of a robot."""
ANY = 0
_EMPTY = 0
_SLOTTED = (CubeKind.CUBE_1, CubeKind.CUBE_2, CubeKind.CUBE_3, CubeKind.CHARGER)


@dataclass(slots=True)
class Slot:
    """A radio slot of the robot; each kind of cube has its own."""

    number: int
    kind: CubeKind
    link: CubeLink = CubeLink.DISCONNECTED
    factory_id: int = _EMPTY
    deadline: float = math.inf

    def enter(self, link: CubeLink, deadline: float = math.inf) -> None:
        """Enter another state that must be left before ``deadline``."""
        self.link, self.deadline = link, deadline
        if link is CubeLink.DISCONNECTED:
            self.factory_id = _EMPTY


class CubeRadio:
    """Keeps one cube of each requested kind connected.

    It is the requested one, else the last one, else the nearest.
    """

    def __init__(
        self,
        send: Callable[[SetPropSlot], object],
        kinds: Iterable[CubeKind],
    ) -> None:
        self._send = send
        self.known: dict[int, Cube] = {}
        self.slots = {kind: Slot(number, kind) for number, kind in enumerate(_SLOTTED)}
        self.requested: dict[CubeKind, int] = dict.fromkeys(kinds, ANY)
        """Factory id of the cube requested of each kind, or ``ANY``."""
        self.last_connected: dict[CubeKind, int] = {}
        self.ignored = 0
        """Advertisements that are too faint, too many or not of a cube."""
        self.unexpected = 0
        """Connection states of a slot or cube that was not requested."""
        self._tried: set[int] = set()
        self._next_poll = math.inf

    # -- the session

    def start(self, now: float) -> None:
        """Connect the cubes that are known by name at once: a new session starts."""
        self._next_poll = now + POLL
        for slot in self.slots.values():
            factory_id = self._named(slot.kind)
            if factory_id:
                self._connect(slot, factory_id, now)

    def stop(self, now: float) -> None:
        """Forget connections and advertisements: the session has ended."""
        for slot in self.slots.values():
            if slot.link is CubeLink.CONNECTED:
                self._on_link_lost(slot, now)
            slot.enter(CubeLink.DISCONNECTED)
        for cube in tuple(self.known.values()):
            self.update(cube, is_available=False)
        self._tried.clear()
        self._next_poll = math.inf

    # -- what is requested

    def request(self, kind: CubeKind, factory_id: int, now: float) -> None:
        """Keep a cube of this kind connected, this one or with ``ANY`` the nearest."""
        self.requested[kind] = factory_id
        slot = self.slots[kind]
        if factory_id and slot.factory_id not in (_EMPTY, factory_id):
            self._empty(slot, now)
        if slot.link is CubeLink.DISCONNECTED:
            self._fill(slot, now)

    def release(self, kind: CubeKind, now: float) -> None:
        """Disconnect the cube of this kind and connect none."""
        self.requested.pop(kind, None)
        self._empty(self.slots[kind], now)

    # -- what is received

    def on_available(self, message: ObjectAvailable, now: float) -> Cube | None:
        """Return the cube of an advertisement unless it is ignored."""
        rssi = message.rssi & 0xFF
        kind = member_or(CubeKind.UNKNOWN, message.object_type)
        cube = self._know(message.factory_id, kind) if rssi <= FARTHEST else None
        if cube is None:
            self.ignored += 1
            return None
        return self.update(cube, kind=kind, rssi=rssi, last_heard=now, is_available=True)

    def on_connection(self, message: ObjectConnectionState, now: float) -> Slot | None:
        """Return the slot whose link a connection state changed."""
        slot = next((s for s in self.slots.values() if s.number == message.object_id), None)
        if slot is None or slot.link is CubeLink.DISCONNECTED:
            self.unexpected += 1
            return None
        if message.connected:
            return self._connected(slot, message.factory_id, now)
        if message.factory_id not in (slot.factory_id, _EMPTY):
            self.unexpected += 1
            return None
        if slot.link not in (CubeLink.CONNECTED, CubeLink.DISCONNECTING):
            return None
        if slot.link is CubeLink.CONNECTED:
            self._on_link_lost(slot, now)
            slot.enter(CubeLink.LOST, now + LOST_TIMEOUT)
        else:
            slot.enter(CubeLink.DISCONNECTED)
            self._fill(slot, now)
        return slot

    def poll(self, now: float) -> bool:
        """Do what is due; return whether anything changed."""
        changed = self._expire(now)
        for slot in self.slots.values():
            if now >= slot.deadline:
                self._on_timeout(slot, now)
                changed = True
        if now >= self._next_poll:
            self._next_poll = now + POLL
            for slot in self.slots.values():
                if slot.link is CubeLink.DISCONNECTED:
                    changed = self._fill(slot, now) or changed
        return changed

    # -- cubes

    def update(self, cube: Cube, **changes: Any) -> Cube:
        """Return the cube with fields changed, known like that from now on."""
        cube = self.known[cube.factory_id] = replace(cube, **changes)
        return cube

    def snapshot(self, cube: Cube) -> Cube:
        """Return a cube with its slot and link."""
        slot = self.slot_of(cube.factory_id)
        return cube if slot is None else replace(cube, slot=slot.number, link=slot.link)

    def slot_of(self, factory_id: int) -> Slot | None:
        return next((s for s in self.slots.values() if s.factory_id == factory_id), None)

    def connected(self) -> list[tuple[Slot, Cube]]:
        return [
            (slot, self.known[slot.factory_id])
            for slot in self.slots.values()
            if slot.link is CubeLink.CONNECTED
        ]

    def best(self, kind: CubeKind) -> Cube | None:
        """Return the cube that is meant by its kind alone."""
        factory_id = self.slots[kind].factory_id or self._named(kind)
        return self.known.get(factory_id) or self._nearest(kind)

    def _named(self, kind: CubeKind) -> int:
        if kind not in self.requested:
            return _EMPTY
        return self.requested[kind] or self.last_connected.get(kind, _EMPTY)

    def _connected(self, slot: Slot, factory_id: int, now: float) -> Slot | None:
        cube = self._know(factory_id, slot.kind) if factory_id == slot.factory_id else None
        if cube is None or slot.link is CubeLink.DISCONNECTING:
            self.unexpected += 1
            return None
        slot.enter(CubeLink.CONNECTED)
        self.update(cube, last_heard=now, is_available=True)
        self.last_connected[slot.kind] = factory_id
        self._tried.discard(factory_id)
        return slot

    def _on_link_lost(self, slot: Slot, now: float) -> None:
        # Until now it was in reach.
        cube = self.known[slot.factory_id]
        self.update(cube, last_heard=now, is_moving=False, is_streaming=False)

    def _on_timeout(self, slot: Slot, now: float) -> None:
        link, factory_id = slot.link, slot.factory_id
        slot.enter(CubeLink.DISCONNECTED)
        if link is CubeLink.CONNECTING:
            self._tried.add(factory_id)
        if link is CubeLink.LOST or not self._fill(slot, now):
            self._send(SetPropSlot(_EMPTY, slot.number))

    def _empty(self, slot: Slot, now: float) -> None:
        if slot.link in (CubeLink.DISCONNECTED, CubeLink.DISCONNECTING):
            return
        self._send(SetPropSlot(_EMPTY, slot.number))
        if slot.link is CubeLink.CONNECTED:
            self._on_link_lost(slot, now)
            slot.enter(CubeLink.DISCONNECTING, now + TIMEOUT)
        else:
            slot.enter(CubeLink.DISCONNECTED)

    def _fill(self, slot: Slot, now: float) -> bool:
        cube = self._choose(slot.kind)
        if cube is not None:
            self._connect(slot, cube.factory_id, now)
        return cube is not None

    def _connect(self, slot: Slot, factory_id: int, now: float) -> None:
        self._send(SetPropSlot(factory_id, slot.number))
        slot.factory_id = factory_id
        slot.enter(CubeLink.CONNECTING, now + TIMEOUT)
        if cube := self.known.get(factory_id):
            # Nobody has told how it was turned meanwhile; half a second's loss does not come here.
            self.update(cube, up_axis=UpAxis.UNKNOWN_AXIS)

    def _choose(self, kind: CubeKind) -> Cube | None:
        requested = self.requested.get(kind)
        if requested is None:
            return None
        if requested != ANY:
            cube = self.known.get(requested)
            return cube if cube is not None and cube.is_available else None
        return self._nearest(kind)

    def _nearest(self, kind: CubeKind) -> Cube | None:
        in_range = [cube for cube in self.known.values() if cube.is_available and cube.kind is kind]
        if in_range and all(cube.factory_id in self._tried for cube in in_range):
            self._tried.difference_update(cube.factory_id for cube in in_range)
        last = self.last_connected.get(kind, _EMPTY)
        return min(
            in_range,
            key=lambda cube: (
                cube.factory_id in self._tried,
                cube.factory_id != last,
                cube.rssi,
            ),
            default=None,
        )

    def _expire(self, now: float) -> bool:
        changed = False
        for cube in tuple(self.known.values()):
            if cube.is_available and now - cube.last_heard > EXPIRY:
                slot = self.slot_of(cube.factory_id)
                if slot is None or slot.link is not CubeLink.CONNECTED:
                    self.update(cube, is_available=False)
                    changed = True
        return changed

    def _know(self, factory_id: int, kind: CubeKind) -> Cube | None:
        """Return what is known of a cube; None where no more cubes can be remembered."""
        if factory_id == _EMPTY:
            return None
        cube = self.known.get(factory_id)
        if cube is None:
            if len(self.known) >= MOST_CUBES and not self._forget_one():
                return None
            cube = self.known[factory_id] = Cube(kind, factory_id)
        return cube

    def _forget_one(self) -> bool:
        gone = [
            cube
            for cube in self.known.values()
            if not cube.is_available and self.slot_of(cube.factory_id) is None
        ]
        if not gone:
            return False
        del self.known[min(gone, key=lambda cube: cube.last_heard).factory_id]
        return True
