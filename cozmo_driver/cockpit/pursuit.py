"""What the robot is after because a page has asked for it: one goal at a time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import numpy as np

from ..perception import camera_pose
from ..robot import CAMERA_TILT, Pose2D, Reason
from .robot_port import Answer, RobotPort
from .wheel import Wheel

_FARTHEST = 3.0
"""Of a place from the robot, m; what is farther was not meant."""
_BELOW_ROBOT = 0.03
"""m; nearer places have no direction."""
_HEADINGS, _LOOK = 8, 0.6
"""Of a look around, and s of rest at each: perception takes images at rest."""
_ROUNDS = 8
"""After which the angle of the head changes no more."""
Kind = Literal["drive", "look"]
KINDS: Final = ("drive", "look")


@dataclass(frozen=True, slots=True)
class Goal:
    """A place on the floor, m in the frame of the odometry."""

    kind: Kind
    x: float
    y: float

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for what is no place."""
        if self.kind not in KINDS or not (math.isfinite(self.x) and math.isfinite(self.y)):
            raise ValueError(f"{self.kind} ({self.x}, {self.y}) is no place to drive to or look at")


class Pursuit:
    """The goal of one robot; in the server's loop. It lives as long as its page has the wheel."""

    def __init__(self, robot: RobotPort, wheel: Wheel, on_change: Callable[[Any], object]) -> None:
        """``on_change`` gets the place as JSON, None for none."""
        self._robot, self._wheel, self._on_change = robot, wheel, on_change
        self._task: asyncio.Task[Answer] | None = None

    async def start(self, page: str, goal: Goal, pose: Pose2D) -> Answer:
        """Drive to a place or look at it; a newer goal takes its place. Its end is the answer."""
        if math.hypot(goal.x - pose.x, goal.y - pose.y) > _FARTHEST:
            return Answer(False, f"that is more than {_FARTHEST:g} m away: choose a nearer place")
        work = self._drive(goal) if goal.kind == "drive" else self._look(goal, pose)
        return await self._pursue(page, work, asdict(goal))

    async def do(
        self, page: str, action: str, looks_for: Callable[[], bool] | None = None, **fields: Any
    ) -> Answer:
        """Pursue a goal of an action, the same way; first look around until ``looks_for`` holds."""

        async def work() -> Answer:
            if looks_for is not None and (failed := await self._look_around(looks_for)):
                return failed
            return await self._robot.do(action, **fields)

        return await self._pursue(page, work(), None)

    async def _pursue(self, page: str, work: Coroutine[Any, Any, Answer], shown: Any) -> Answer:
        older = self._task
        task = self._task = asyncio.ensure_future(self._wheel.pursue(page, work))
        if older is not None:
            older.cancel()  # after the newer one has begun: the wheel is not given up in between
        self._on_change(shown)
        await asyncio.wait([task])
        if self._task is not task:
            return Answer(True, "")  # the robot has another goal now
        self._task = None
        self._on_change(None)
        return Answer(True, "") if task.cancelled() else task.result()

    def cancel(self) -> None:
        """Give the goal up: the robot stops."""
        if self._task is not None:
            self._task.cancel()

    async def _drive(self, goal: Goal) -> Answer:
        """Drive to a place; around what is known while there is a manipulation node."""
        pose = {"position": {"x": goal.x, "y": goal.y}, "orientation": {"w": 1.0}}
        answer = Answer(False, "")
        for avoid in (True, False):
            answer = await self._robot.do(
                "go_to_pose", pose={"pose": pose}, is_heading_ignored=True, avoid=avoid
            )
            if answer.fields.get("reason") != Reason.UNSUPPORTED:
                break
        return answer

    async def _look_around(self, is_found: Callable[[], bool]) -> Answer | None:
        """Turn once around with the head level, as far as it takes; return what has failed.

        It ends there: somebody else moves the robot, or it is stopped.
        """
        if is_found():
            return None
        answer = await self._robot.do("move_head", angle=0.0)
        for _ in range(_HEADINGS):
            if not answer.success:
                return answer
            await asyncio.sleep(_LOOK)
            if is_found():
                return None
            answer = await self._robot.do("turn_in_place", angle=math.tau / _HEADINGS)
        return None if answer.success else answer

    async def _look(self, goal: Goal, pose: Pose2D) -> Answer:
        """Turn and nod at once."""
        dx, dy = goal.x - pose.x, goal.y - pose.y
        distance = math.hypot(dx, dy)
        limits = self._robot.limits
        head = min(limits["head_high"], max(limits["head_low"], head_towards(distance)))
        parts = [self._robot.do("move_head", angle=head)]
        if distance > _BELOW_ROBOT:
            yaw = math.atan2(dy, dx)
            parts.append(self._robot.do("turn_in_place", angle=yaw, is_absolute=True))
        answers = await asyncio.gather(*parts)
        return next((answer for answer in answers if not answer.success), answers[0])


def head_towards(distance: float, height: float = 0.0) -> float:
    """Return the head angle that has a point in the image's middle row.

    ``distance`` is that from ``base_link``, ``height`` above the floor.
    """
    head = 0.0
    for _ in range(_ROUNDS):
        x, _, z = camera_pose(np.eye(4), head)[:3, 3]
        head = math.atan2(height - z, max(distance - x, 1e-3)) + CAMERA_TILT
    return head
