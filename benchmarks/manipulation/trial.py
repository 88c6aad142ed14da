"""What is tried, before what scene, and how it ends: the same however goals are executed."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.world import Layout
from cozmo_driver.emulator.world.layout import Floor, Pattern
from cozmo_driver.emulator.world.things import CubePlace
from cozmo_driver.manipulation.manipulator import Manipulator
from cozmo_driver.robot import Pose2D, Reason, RobotError

FLOOR = Floor(
    ((-2000.0, -2000.0), (2000.0, -2000.0), (2000.0, 2000.0), (-2000.0, 2000.0)),
    pattern=Pattern.WOOD,
)
_POLL = 0.02
_FIRST_SERIAL = 0x45000000
_START_TIMEOUT = 60.0


def identity(seed: int) -> Identity:
    """Return another robot for each seed, with errors of its own."""
    return Identity(head_serial=_FIRST_SERIAL + seed)


class Actions(Protocol):
    """The goals; each returns its attempts. Raises ``RobotError``."""

    async def undock(self) -> None: ...

    async def dock_charger(self) -> int: ...

    async def pick_up(self, name: str) -> int: ...

    async def place(self, pose: Pose2D) -> int:
        """``pose`` of the cube's middle in odom."""

    async def stack(self, top: str, bottom: str) -> int: ...

    async def roll(self, name: str) -> int: ...


@dataclass
class Scene:
    """A robot before what a task is about: what it knows, and what is so."""

    body: Manipulator
    actions: Actions
    read: Callable[[Callable[[Any], Any]], Any]
    """Calls a function with the emulator's firmware and returns its result."""
    rng: random.Random
    fewer_pictures: Callable[[], AbstractContextManager[None]] = nullcontext
    target: WorldPose = field(default_factory=WorldPose)
    """Where a cube is to be put."""

    @property
    def robot(self) -> WorldPose:
        """Of its origin, mm."""
        pose: WorldPose = self.read(lambda firmware: firmware.body.world_pose)
        return pose

    def place(self, number: int) -> CubePlace:
        place: CubePlace = self.read(lambda firmware: firmware.place.world.cube(number).place)
        return place

    @property
    def is_carrying(self) -> int:
        """Number of the cube that is on the lift, 0 for none."""

        def number(firmware: Any) -> int:
            cube = firmware.place.fork.cube
            return int(cube.number) if cube is not None and cube.place.bottom > 5.0 else 0

        return int(self.read(number))

    async def until(self, what: Callable[[], object], timeout: float = _START_TIMEOUT) -> None:
        """Wait until something is so. Raises ``RobotError`` after ``timeout`` s."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while not what():
            if loop.time() > end:
                raise RobotError(Reason.TIMEOUT, f"nothing to begin with within {timeout:g} s")
            await asyncio.sleep(_POLL)


@dataclass(frozen=True)
class Outcome:
    """How a trial ended."""

    is_done: bool
    """In the emulated world."""
    is_claimed: bool
    """By the robot."""
    attempts: int = 0
    time: float = math.nan
    """s"""
    off: float = math.nan
    """mm from where it should be; NaN where that is no question."""
    why: str = ""

    @property
    def is_good(self) -> bool:
        return self.is_done and self.is_claimed

    def __str__(self) -> str:
        what = {
            (True, True): "done",
            (False, True): "CLAIMED, BUT NOT DONE",
            (True, False): "DONE, BUT TOLD AS FAILED",
            (False, False): "failed",
        }[self.is_done, self.is_claimed]
        details = f", attempt {self.attempts}" if self.attempts else ""
        details += "" if math.isnan(self.off) else f", off by {self.off:.1f} mm"
        return f"{what} after {self.time:.1f} s{details}" + (f": {self.why}" if self.why else "")


@dataclass(frozen=True)
class Task:
    """What is tried, what must be so afterwards, and which part of the trials must be good."""

    title: str
    goal: float
    start: Callable[[int], tuple[Layout, random.Random]]
    """Returns the world of a seed, and what else is random."""
    prepare: Callable[[Scene], Awaitable[object]]
    """Before the time counts."""
    do: Callable[[Scene], Awaitable[int]]
    """Returns the attempts. Raises ``RobotError``."""
    is_done: Callable[[Scene], bool]
    off: Callable[[Scene], float] = lambda _: math.nan
    """mm"""
    has_vision: bool = True
    time_limit: float = math.inf

    async def run(self, scene: Scene) -> Outcome:
        loop = asyncio.get_running_loop()
        try:
            await scene.until(lambda: scene.body.state.is_connected)
            await self.prepare(scene)
        except RobotError as error:
            return Outcome(False, False, why=f"before it began: {error.reason.name}: {error}")
        begun, attempts, why, is_claimed = loop.time(), 0, "", True
        try:
            attempts = await self.do(scene)
        except RobotError as error:
            is_claimed, why = False, f"{error.reason.name}: {error}"
        took = loop.time() - begun
        return Outcome(self.is_done(scene), is_claimed, attempts, took, self.off(scene), why)
