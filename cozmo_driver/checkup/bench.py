"""What a step works with: the robot, the person beside it, and how to record both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from ..link import with_timeout
from ..protocol import ConnectionLost
from ..robot import Image, Robot, RobotState
from .person import Person

_Found = TypeVar("_Found")

SILENCE = 3.0
"""s without a state after which the link counts as lost; a busy Wi-Fi stalls for up to 2 s."""
_LONGEST_GAP = 0.4
"""s of the robot's clock between two states of a movement, whose ones between were lost. Those of a
healthy link come 0.35 s apart at most (spec 14)."""
STILL = 0.003
"""Below this a tread stands, m/s."""
_SETTLING = 0.4
_LONGEST_STOP = 2.0
_STREAM_TIMEOUT = 6.0
"""s in which images come: 15 that may be torn are dropped before (spec 03 §2)."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A drive at commanded speeds; times on the loop's clock, s."""

    linear: float
    angular: float
    begun: float
    """When the speeds were sent."""
    ended: float
    """When the stop was sent."""
    states: list[RobotState]
    """From a moment before it until the treads stood."""

    def steady(self, after: float) -> list[RobotState]:
        """Return the states from ``after`` s of driving until the stop."""
        return [s for s in self.states if self.begun + after <= s.time <= self.ended]


@dataclass(frozen=True, slots=True)
class Arrival:
    image: Image
    at: float
    """On the loop's clock, s."""


class Bench:
    """The robot on the bench, for one step after the other."""

    def __init__(self, robot: Robot, person: Person) -> None:
        self.robot, self.person = robot, person
        self.silence = 0.0
        """s without a state while this step moved or played something, which then tells little; 0
        for none."""

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    @property
    def state(self) -> RobotState:
        """The latest. Raises ``ConnectionLost`` before the first."""
        if self.robot.state is None:
            raise ConnectionLost("no state came from the robot")
        return self.robot.state

    async def record(
        self, seconds: float, until: Callable[[RobotState], bool] = lambda _: False
    ) -> list[RobotState]:
        """Return the states of the next seconds, or until one is as wanted.

        Raises ``ConnectionLost`` where they cease.
        """
        states: list[RobotState] = []
        has_come = asyncio.Event()
        is_over = False

        def take(state: RobotState) -> None:
            nonlocal is_over
            if not is_over:
                states.append(state)
                is_over = until(state)
                has_come.set()

        disconnect = self.robot.on_state.connect(take)
        deadline = self.now + seconds
        try:
            while not is_over and self.now < deadline:
                has_come.clear()
                await with_timeout(SILENCE, has_come.wait())
        except TimeoutError:
            raise ConnectionLost(f"no state came for {SILENCE:g} s") from None
        finally:
            disconnect()
        return states

    async def drive(
        self,
        linear: float,
        angular: float,
        seconds: float,
        until: Callable[[RobotState], bool] = lambda _: False,
    ) -> Leg:
        """Drive at m/s and rad/s and stop; return what the robot reported.

        Raises ``RobotError``.
        """
        motion, states = self.robot.motion, [self.state]
        silences = motion.silences
        disconnect = self.robot.on_state.connect(states.append)
        try:
            begun = self.now
            motion.drive(linear, angular)
            await self.record(seconds, until)
            motion.drive(0.0, 0.0)
            ended = self.now
            await self.record(_SETTLING)
            await self.record(_LONGEST_STOP, _stands)
        finally:
            disconnect()
        self._note_silence(states, motion.silences > silences)
        return Leg(linear, angular, begun, ended, states)

    async def recorded(self, work: Awaitable[_Found]) -> tuple[_Found, list[RobotState]]:
        """Do some work; return what came of it, and the states until its end."""
        states = [self.state]
        disconnect = self.robot.on_state.connect(states.append)
        try:
            found = await work
        finally:
            disconnect()
        self._note_silence(states)
        return found, states

    def _note_silence(self, states: list[RobotState], is_stopped: bool = False) -> None:
        """Remember a gap in which states were lost, or for which the driver stopped the treads.

        States that only came late do not harm, as while this program was kept from running.
        """
        pairs = list(pairwise(states))
        lost = max((after.robot_time - one.robot_time for one, after in pairs), default=0.0)
        if is_stopped or lost > _LONGEST_GAP:
            late = (after.received_at - one.received_at for one, after in pairs)
            self.silence = max(self.silence, lost, *late)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    # -- the camera

    @asynccontextmanager
    async def camera(self, *, color: bool = False, is_auto: bool = False) -> AsyncIterator[None]:
        """Let images come during the block; the camera is as it was after it.

        ``is_auto``: the exposure follows them.
        """
        camera = self.robot.camera
        control = camera.exposure_control
        was_enabled, was_color = camera.is_enabled, camera.is_color
        was_auto, exposure = control.is_auto, control.requested
        camera.set_color(color)
        control.set_auto(is_auto)
        camera.enable(True)
        try:
            yield
        finally:
            # Without a link it is for the next session, in which a step may be repeated.
            control.set_auto(was_auto)
            control.set(exposure.gain, exposure.exposure_ms)
            camera.set_color(was_color)
            camera.enable(was_enabled)

    async def images(self, count: int) -> list[Arrival]:
        """Return the next images; fewer where they cease to come for 6 s."""
        arrivals: list[Arrival] = []
        while len(arrivals) < count:
            try:
                image = await with_timeout(_STREAM_TIMEOUT, self.robot.on_image.next())
            except TimeoutError:
                break
            arrivals.append(Arrival(image, self.now))
        return arrivals


def _stands(state: RobotState) -> bool:
    return abs(state.left_wheel_speed) < STILL and abs(state.right_wheel_speed) < STILL
