"""For tests of behaviours: a body that simulates durations and logs its actions."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable, Iterable
from dataclasses import replace

from ..media import DisplayImage
from ..protocol import UpAxis
from ..robot import (
    BackpackLights,
    Cube,
    CubeKind,
    CubeLights,
    CubeLink,
    Pose2D,
    Reason,
    RobotError,
)
from .behavior import BehaviorClass, Life, Situation
from .body import EventLog, Senses, Skill
from .config import BehaviorConfig
from .constraints import ConstrainedBody, Constraints, Permissions
from .games import GameState
from .inner_state import InnerState
from .sight import BLIND, NAMES, SeenObject, Sense, Sight

_CLIP_TIME = 1.5
_JOINT_TIME = 0.3
_SONG_TIME = 16.0
_SPEED = 0.1
_MOVING = ("drive", "turn", "go_to", "go_home", "undock", "use")


def connected_cube(
    kind: CubeKind = CubeKind.CUBE_1, factory_id: int = 0xC1000011, slot: int = 0
) -> Cube:
    """Return a connected cube that lies still on its bottom."""
    return Cube(
        kind,
        factory_id,
        slot,
        CubeLink.CONNECTED,
        is_available=True,
        up_axis=UpAxis.Z_POSITIVE,
        rssi=50,
        battery_voltage=1.5,
        last_heard=0.0,
    )


class FakeBody:
    """A ``Body`` without a robot: it drives by dead reckoning and plays nothing.

    ``diary`` holds what was asked for, with times; ``busy`` what goes on now. ``fails`` decides by
    the name of an action whether it fails, and why.
    """

    def __init__(self, triggers: Iterable[str] | None = None, cubes: Iterable[Cube] = ()) -> None:
        self.felt = Senses(0.0)
        self.cubes = tuple(cubes)
        self.events = EventLog()
        self.places: dict[int, Pose2D] = {}
        self.diary: list[tuple[float, str]] = []
        self.busy: list[str] = []
        self.fails: Callable[[str], str] = lambda _: ""
        self.lights: dict[int | str, str | BackpackLights | CubeLights] = {}
        self.streams: set[int] = set()
        self.can_go_home = False
        self.skills: set[Skill] = set()
        self.seen = BLIND
        """What is seen besides the cubes in ``places``."""
        self.watched: set[Sense] = set()
        self.accelerations: dict[int, float] = {}
        self.expression = ""
        self.picture: DisplayImage | None = None
        self._triggers = None if triggers is None else frozenset(triggers)

    @property
    def senses(self) -> Senses:
        moving = any(one.startswith(_MOVING) for one in self.busy)
        if moving != self.felt.is_moving:
            self.feel(is_moving=moving)
        return self.felt

    def feel(self, **changes: object) -> None:
        now = asyncio.get_running_loop().time()
        self.felt = replace(self.felt, time=now, **changes)  # type: ignore[arg-type]

    @property
    def is_still(self) -> bool:
        shows = self.lights or self.expression or self.picture is not None
        return not (self.busy or shows or self.streams or self.watched)

    def done(self, start: str) -> list[str]:
        return [entry for _, entry in self.diary if entry.startswith(start)]

    @property
    def sight(self) -> Sight:
        now = asyncio.get_running_loop().time()
        placed = {
            NAMES[cube.kind]: SeenObject(NAMES[cube.kind], place, seen_at=now)
            for cube in self.cubes
            if (place := self.places.get(cube.factory_id)) is not None
        }
        return replace(self.seen, objects={**placed, **self.seen.objects})

    def watch(self, sense: Sense, on: bool) -> None:
        (self.watched.add if on else self.watched.discard)(sense)

    def has_clip(self, trigger: str) -> bool:
        return self._triggers is None or trigger in self._triggers

    def can_use(self, skill: Skill) -> bool:
        return skill in self.skills

    async def use(
        self, skill: Skill, name: str = "", base: str = "", place: Pose2D | None = None
    ) -> None:
        await self._do(" ".join(filter(None, ("use", skill.value, name, base))), 10.0)
        if skill in (Skill.PICK_UP, Skill.PUT_DOWN, Skill.PUT_ON, Skill.PUT_BESIDE):
            self.feel(is_carrying=skill is Skill.PICK_UP)

    def cube_acceleration(self, factory_id: int) -> float:
        return self.accelerations.get(factory_id, math.nan)

    async def play(
        self, trigger: str, *, is_body_still: bool = False, is_silent: bool = False
    ) -> None:
        flags = (" still" if is_body_still else "") + (" silent" if is_silent else "")
        await self._do(f"play {trigger}{flags}", _CLIP_TIME)

    async def drive_distance(self, distance: float, speed: float = 0.0) -> None:
        await self._do(f"drive {distance:.3f}", abs(distance) / (speed or _SPEED))
        self.feel(pose=self.felt.pose.compose(Pose2D(distance)))

    async def turn(self, angle: float, speed: float = 2.0) -> None:
        await self._do(f"turn {angle:.3f}", abs(angle) / speed)
        self.feel(pose=self.felt.pose.compose(Pose2D(yaw=angle)))

    async def go_to(self, goal: Pose2D, *, avoids: bool = False) -> None:
        here = self.felt.pose
        await self._do("go_to", math.dist((here.x, here.y), (goal.x, goal.y)) / _SPEED)
        self.feel(pose=goal)

    async def undock(self, extra: float) -> None:
        await self._do("undock", 5.0)
        self.feel(is_on_charger=False)

    async def go_home(self) -> None:
        await self._do("go_home", 20.0)
        self.feel(is_on_charger=True)

    async def move_head(self, angle: float, speed: float = 10.0) -> None:
        await self._do("move_head", _JOINT_TIME)
        self.feel(head_angle=angle)

    async def move_lift(self, height: float) -> None:
        await self._do("move_lift", _JOINT_TIME)

    async def calibrate(self, *, head: bool = True, lift: bool = True) -> None:
        await self._do("calibrate", 1.0)

    async def say(self, text: str) -> None:
        await self._do(f"say {text}", 1.0)

    async def enroll(self, name: str, timeout: float) -> int:
        await self._do(f"enroll {name}", 3.0)
        return 1

    async def sing(self, song: str = "", *, is_body_still: bool = False) -> None:
        await self._do(f"sing {song}{' still' if is_body_still else ''}", _SONG_TIME)

    def show_expression(self, name: str) -> None:
        self.expression = name

    def show_picture(self, picture: DisplayImage | None) -> None:
        self.picture = picture

    def light_backpack(self, pattern: str | BackpackLights) -> None:
        self._light("backpack", pattern)

    def light_cube(self, factory_id: int, trigger: str | CubeLights) -> None:
        self._light(factory_id, trigger)

    def _light(self, what: int | str, pattern: str | BackpackLights | CubeLights) -> None:
        self.lights.pop(what, None)
        if pattern:
            self.lights[what] = pattern
            self.diary.append((asyncio.get_running_loop().time(), f"light {what} {pattern}"))

    def stream_acceleration(self, factory_id: int, on: bool) -> None:
        (self.streams.add if on else self.streams.discard)(factory_id)

    def release(self) -> None:
        self.lights.clear()
        self.streams.clear()
        self.watched.clear()
        self.expression = ""
        self.picture = None

    async def _do(self, what: str, seconds: float) -> None:
        self.diary.append((asyncio.get_running_loop().time(), what))
        why = self.fails(what)
        if why:
            raise RobotError(Reason.BLOCKED, why)
        self.busy.append(what)
        try:
            await asyncio.sleep(seconds)
        finally:
            self.busy.remove(what)


async def run_behavior(
    kind: BehaviorClass,
    body: FakeBody,
    values: dict[str, object] | None = None,
    on_game: Callable[[GameState], object] = lambda _: None,
    seed: int = 0,
) -> Life:
    """Run a behaviour to its end, with these values of its file; everything is allowed."""
    clock, rng = asyncio.get_running_loop().time, random.Random(seed)
    constraints = Constraints(Permissions(True, True))
    inner = InnerState((), body.events, clock, rng)
    constrained = ConstrainedBody(body, constraints)
    situation = Situation(constrained, constraints, inner, rng, on_game=on_game)
    config = BehaviorConfig(f"Test_{kind.name}", kind.name, "a test", values or {})
    life = Life(situation, config)
    try:
        await kind.run(life)
    finally:
        body.release()
    return life
