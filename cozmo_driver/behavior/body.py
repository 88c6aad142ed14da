"""What a behaviour may do and see: the only way by which it reaches the robot."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from ..animation import backpack_lights_of, cube_lights_of
from ..media import DisplayImage
from ..resources import CubeLightAnimation, Library
from ..robot import (
    BackpackLights,
    Cube,
    CubeEvent,
    CubeLights,
    OffTreads,
    Pose2D,
    Reason,
    RobotError,
    RobotEvent,
)
from .sight import Sense, Sight

Event = RobotEvent | CubeEvent
_REMEMBERED = 200


STARTING = "the driver is still reading its clips: try again in a moment"


@dataclass(frozen=True, slots=True)
class Senses:
    """What the robot feels at ``time`` (s, monotonic); m, rad, V, m/s^2; pitch nose down positive.

    ``acceleration`` is the length of the vector. ``is_settled``: no motor is being calibrated.
    """

    time: float
    is_connected: bool = True
    is_starting: bool = False
    """A robot is there, and what it can play is not known yet."""
    off_treads: OffTreads = OffTreads.ON_TREADS
    is_picked_up: bool = False
    is_on_charger: bool = False
    is_charging: bool = False
    is_cliff: bool = False
    cliff_raw: int = 880
    pitch: float = 0.0
    head_angle: float = 0.0
    lift_angle: float = 0.0
    acceleration: float = 9.81
    battery_voltage: float = 4.0
    is_settled: bool = True
    is_emergency_stopped: bool = False
    is_moving: bool = False
    is_carrying: bool = False
    pose: Pose2D = Pose2D()

    @property
    def is_gone(self) -> bool:
        return not (self.is_connected or self.is_starting)

    @property
    def why_unusable(self) -> str:
        return "there is no robot" if self.is_gone else STARTING if self.is_starting else ""

    @property
    def is_off_ground(self) -> bool:
        return self.is_picked_up or self.off_treads is not OffTreads.ON_TREADS


NOWHERE = Senses(-math.inf, is_connected=False)
"""Before the first state of a robot."""


class EventLog:
    """The latest events of robot and cubes in the order in which they came."""

    def __init__(self) -> None:
        self._events: deque[tuple[float, Event]] = deque(maxlen=_REMEMBERED)
        self.total = 0
        """Events so far."""

    def add(self, event: Event, arrived_at: float | None = None) -> None:
        """Take an event that came at ``arrived_at``, s, by default when it happened."""
        self._events.append((event.time if arrived_at is None else arrived_at, event))
        self.total += 1

    def newer_than(self, total: int) -> tuple[int, list[Event]]:
        """Return the current ``total`` and the events since it was ``total``, oldest first."""
        count = min(self.total - total, len(self._events))
        latest = list(self._events)[len(self._events) - count :]
        return self.total, [event for _, event in latest]

    def since(self, time: float) -> Iterable[Event]:
        """Return the events that came after ``time``, s, oldest first."""
        return [event for arrived_at, event in self._events if arrived_at > time]


class Skill(Enum):
    """What manipulation does; the value is its action's name, and how."""

    GO_TO = "go_to_object"
    """Drive to before an object and face it."""
    ALIGN = "align"
    """Stand square before a cube, the lift at it."""
    PICK_UP = "pick_up_cube"
    PUT_DOWN = "place_cube"
    """Where the robot stands, or at a place."""
    PUT_ON = "place_cube on"
    PUT_BESIDE = "place_cube beside"
    ROLL = "roll_cube"
    STACK = "stack_cubes"
    WHEELIE = "pop_a_wheelie"
    KNOCK_OVER = "knock_over"
    PYRAMID = "build_pyramid"
    FIND = "find_object"
    """Turn about until it is in sight."""
    FOLLOW = "follow_object"
    """Face it and keep its distance, until cancelled."""


class Body(Protocol):
    """Whatever is awaited may be cancelled at any moment, and raises ``RobotError``."""

    @property
    def senses(self) -> Senses: ...

    @property
    def cubes(self) -> tuple[Cube, ...]: ...

    @property
    def events(self) -> EventLog: ...

    @property
    def can_go_home(self) -> bool:
        """Whether somebody is there who finds the charger."""

    def can_use(self, skill: Skill) -> bool:
        """Whether somebody is there who does it."""

    async def use(
        self, skill: Skill, name: str = "", base: str = "", place: Pose2D | None = None
    ) -> None:
        """Do something with a cube, without a name with the nearest that it can be done with.

        ``base`` is the cube below or beside, ``place`` where a cube is put down.
        """

    @property
    def sight(self) -> Sight:
        """What is known of what is around the robot."""

    def watch(self, sense: Sense, on: bool) -> None:
        """Let ``Sense.GROUND`` or ``Sense.MAP`` be looked for, or no more: both take time."""

    def has_clip(self, trigger: str) -> bool:
        """Tell whether there is a clip for an animation trigger."""

    async def play(
        self, trigger: str, *, is_body_still: bool = False, is_silent: bool = False
    ) -> None:
        """Play a clip for a trigger, or a clip by name.

        ``is_body_still`` leaves the treads out of it, ``is_silent`` its sound.
        """

    async def drive_distance(self, distance: float, speed: float = 0.0) -> None:
        """Drive straight by m, backwards if negative; speed in m/s, 0 for the default."""

    async def turn(self, angle: float, speed: float = 2.0) -> None:
        """Turn in place by rad, counter-clockwise positive; speed in rad/s."""

    async def go_to(self, goal: Pose2D, *, avoids: bool = False) -> None:
        """Drive to a pose in the odometry frame, straight or around what is known to be there."""

    async def undock(self, extra: float) -> None:
        """Drive off the charger and ``extra`` m beyond."""

    async def go_home(self) -> None:
        """Drive onto the charger, from wherever."""

    async def move_head(self, angle: float, speed: float = 10.0) -> None:
        """Move the head to rad, up positive; speed in rad/s."""

    async def move_lift(self, height: float) -> None:
        """Move the lift to m above ground."""

    async def calibrate(self, *, head: bool = True, lift: bool = True) -> None:
        """Run motors against their stops."""

    async def say(self, text: str) -> None:
        """Speak."""

    async def enroll(self, name: str, timeout: float) -> int:
        """Learn the nearest face within s, under a name that its owner agreed to; return its id.

        Below 0 it is known by its place only, for now.
        """

    async def sing(self, song: str = "", *, is_body_still: bool = False) -> None:
        """Sing a song by name, any for empty, with everything on the beat."""

    def show_expression(self, name: str) -> None:
        """Show an expression until the next one; empty for the idle face."""

    def show_picture(self, picture: DisplayImage | None) -> None:
        """Show a picture, 64 x 128, 0 or 1, until the next one; None gives the display back."""

    def light_backpack(self, pattern: str | BackpackLights) -> None:
        """Show lights, or a pattern by its name; empty gives the lights back."""

    def light_cube(self, factory_id: int, trigger: str | CubeLights) -> None:
        """Show lights, or an animation by its trigger; empty gives the cube's lights back."""

    def stream_acceleration(self, factory_id: int, on: bool) -> None:
        """Let a cube stream its acceleration, or no more."""

    def cube_acceleration(self, factory_id: int) -> float:
        """Return the length of the latest acceleration a cube streamed, m/s^2, NaN for none."""

    def release(self) -> None:
        """Give lights, face, the cubes' streams and what is watched back.

        What moves or plays is ended by cancelling whoever awaits it: others keep what is theirs.
        """


class PatternLights:
    """Lights of backpack and cubes by the patterns of a library; for bodies, in the loop.

    The two functions show lights, or give them back for None.
    """

    def __init__(
        self,
        library: Library,
        show_backpack: Callable[[BackpackLights | None], object],
        show_cube: Callable[[int, CubeLights | None], object],
    ) -> None:
        self._library = library
        self._show_backpack, self._show_cube = show_backpack, show_cube
        self._is_backpack_lit = False
        self._shown: dict[int, asyncio.Task[None] | None] = {}
        """Cubes that show something, and what changes it."""

    def light_backpack(self, pattern: str | BackpackLights) -> None:
        if isinstance(pattern, BackpackLights):
            self._show_backpack(pattern)
        elif pattern:
            found = self._library.backpack_patterns.get(pattern)
            if found is None:
                raise RobotError(Reason.NOT_FOUND, f"there is no backpack pattern {pattern!r}")
            self._show_backpack(backpack_lights_of(found))
        elif self._is_backpack_lit:
            self._show_backpack(None)
        self._is_backpack_lit = bool(pattern)

    def light_cube(self, factory_id: int, trigger: str | CubeLights) -> None:
        animation = None
        if trigger and not isinstance(trigger, CubeLights):
            library = self._library
            animation = library.cube_lights.get(library.cube_triggers.get(trigger, trigger))
            if animation is None:
                raise RobotError(Reason.NOT_FOUND, f"there are no cube lights for {trigger!r}")
        is_lit = factory_id in self._shown
        changing = self._shown.pop(factory_id, None)
        if changing is not None:
            changing.cancel()
        if isinstance(trigger, CubeLights):
            self._shown[factory_id] = None
            self._show_cube(factory_id, trigger)
        elif animation is not None:
            self._shown[factory_id] = asyncio.ensure_future(self._play(factory_id, animation))
        elif is_lit:
            self._show_cube(factory_id, None)

    def release(self) -> None:
        self.light_backpack("")
        for factory_id in tuple(self._shown):
            self.light_cube(factory_id, "")

    async def _play(self, factory_id: int, animation: CubeLightAnimation) -> None:
        for step in animation:
            self._show_cube(factory_id, cube_lights_of(step))
            if not step.duration_ms:
                return
            await asyncio.sleep(step.duration_ms / 1000)
        self._show_cube(factory_id, None)
