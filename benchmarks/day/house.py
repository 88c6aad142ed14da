"""A body without a robot in a small world: a table with edges, a battery, a charger."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Iterable

from cozmo_driver.behavior.testing import FakeBody
from cozmo_driver.emulator.hardware import CHARGE, DRAIN, FULL
from cozmo_driver.robot import (
    Cube,
    OffTreads,
    Pose2D,
    Reason,
    RobotError,
    RobotEvent,
    RobotEventType,
    Side,
)

from .rules import Rules

HALF = (0.5, 0.35)
"""m from the middle of the table to its edges."""
_METER = 10.0
_BLOCKED = 0.01
"""Share of drives that meet something."""
_STOPS = {
    "off the ground": Reason.PICKED_UP,
    "emergency stop": Reason.ESTOP,
    "without a link": Reason.LINK_LOST,
}


class House(FakeBody):
    """Drives by dead reckoning on a table, and stops by itself where the robot would."""

    def __init__(self, rng: random.Random, triggers: Iterable[str], cubes: Iterable[Cube]) -> None:
        """Stand in the middle of the table with a full battery."""
        super().__init__(triggers, cubes)
        self.rules = Rules()
        self.limits = (3.55, 3.7)
        self._rng, self._is_low = rng, False
        self._moves: set[asyncio.Future[None]] = set()

    @property
    def now(self) -> float:
        """The time, s."""
        return asyncio.get_running_loop().time()

    def put(self, cube: Cube, place: Pose2D | None, **facts: object) -> None:
        """Let somebody put a cube somewhere, or take it away: None. ``facts``: how it stands."""
        self.places.pop(cube.factory_id, None)
        if place is not None:
            self.places[cube.factory_id] = place

    def happen(self, kind: RobotEventType, **fields: object) -> None:
        """Let something happen to the robot."""
        fields = {"off_treads": self.felt.off_treads, **fields}
        self.events.add(RobotEvent(kind, kind.name.lower(), self.now, **fields))  # type: ignore[arg-type]

    def feel(self, **changes: object) -> None:
        """Change what the robot feels; what may not go on then is stopped by the robot itself."""
        before = self.felt.off_treads
        super().feel(**changes)
        felt, now = self.felt, self.now
        if felt.battery_voltage < self.limits[0] and not felt.is_on_charger:
            self._is_low = True
        elif felt.battery_voltage > self.limits[1] or felt.is_on_charger:
            self._is_low = False
        for rule, holds in (
            ("off the ground", felt.is_off_ground),
            ("emergency stop", felt.is_emergency_stopped),
            ("without a link", not felt.is_connected),
            ("on its charger", felt.is_on_charger),
            ("its battery is low", self._is_low),
        ):
            self.rules.set(rule, holds, now)
            if holds and rule in _STOPS:
                self._stop(_STOPS[rule], rule)
        if felt.off_treads is not before:
            self.happen(RobotEventType.OFF_TREADS_CHANGED)

    async def live(self) -> None:
        """Drain and charge the battery until cancelled."""
        while True:
            await asyncio.sleep(_METER)
            rate = CHARGE if self.felt.is_on_charger else -DRAIN
            voltage = min(FULL, max(3.3, self.felt.battery_voltage + rate * _METER))
            self.feel(battery_voltage=voltage, is_charging=self.felt.is_on_charger)

    async def drive_distance(self, distance: float, speed: float = 0.0) -> None:
        """See ``Body``; ends at an edge, and sometimes at something in the way."""
        here = self.felt.pose
        free = distance if distance < 0 else min(distance, _to_edge(here))
        if distance < 0:
            self.feel(is_cliff=False, cliff_raw=880)
        await self._move(f"drive {distance:.3f}", abs(free) / (speed or 0.1))
        self.feel(pose=here.compose(Pose2D(free)))
        if free < distance:
            self._meet_edge()

    async def go_to(self, goal: Pose2D, *, avoids: bool = False) -> None:
        """See ``Body``; ends at an edge."""
        here = self.felt.pose
        far = math.dist((here.x, here.y), (goal.x, goal.y))
        heading = math.atan2(goal.y - here.y, goal.x - here.x)
        free = min(far, _to_edge(Pose2D(here.x, here.y, heading)))
        await self._move("go_to", free / 0.1)
        if free < far:
            self.feel(pose=Pose2D(here.x, here.y, heading).compose(Pose2D(free)))
            self._meet_edge()
        self.feel(pose=goal)

    async def turn(self, angle: float, speed: float = 2.0) -> None:
        """See ``Body``."""
        await self._move(f"turn {angle:.3f}", abs(angle) / speed)
        self.feel(pose=self.felt.pose.compose(Pose2D(yaw=angle)))

    async def undock(self, extra: float) -> None:
        """See ``Body``."""
        self.happen(RobotEventType.LEFT_CHARGER)
        await self._move("undock", 6.0)
        self.feel(is_on_charger=False, is_charging=False, pose=Pose2D())

    async def _do(self, what: str, seconds: float) -> None:
        if what.startswith("play") and "still" not in what:
            await self._move(what, seconds)
        else:
            await super()._do(what, seconds)

    async def _move(self, what: str, seconds: float) -> None:
        self.diary.append((self.now, what))
        move = asyncio.get_running_loop().create_future()
        timer = asyncio.get_running_loop().call_later(seconds, _finish, move)
        began = self.now
        self._moves.add(move)
        self.busy.append(what)
        if what.startswith("drive") and self._rng.random() < _BLOCKED:
            self._stumble()
        try:
            await move
        finally:
            timer.cancel()
            self._moves.discard(move)
            self.busy.remove(what)
            self.rules.took(what, began, self.now)

    def _stumble(self) -> None:
        kind = self._rng.choice((RobotEventType.UNEXPECTED_MOVEMENT, RobotEventType.MOTOR_STALLED))
        self.happen(kind, side=self._rng.choice((Side.FRONT, Side.BACK)))
        self._stop(Reason.BLOCKED, "something is in its way")

    def _meet_edge(self) -> None:
        self.feel(is_cliff=True, cliff_raw=8)
        self.happen(RobotEventType.CLIFF_DETECTED, has_stopped=True)
        raise RobotError(Reason.CLIFF, "there is an edge")

    def _stop(self, reason: Reason, text: str) -> None:
        for move in self._moves:
            if not move.done():
                move.set_exception(RobotError(reason, text))


def _finish(move: asyncio.Future[None]) -> None:
    if not move.done():
        move.set_result(None)


def _to_edge(pose: Pose2D) -> float:
    """How far it is to the edge of the table, straight on, m."""
    free = math.inf
    for at, half, step in zip(
        (pose.x, pose.y), HALF, (math.cos(pose.yaw), math.sin(pose.yaw)), strict=True
    ):
        if abs(step) > 1e-9:
            free = min(free, max(0.0, (math.copysign(half, step) - at) / step))
    return free


LYING = (OffTreads.ON_BACK, OffTreads.ON_FACE, OffTreads.ON_LEFT_SIDE, OffTreads.ON_RIGHT_SIDE)
