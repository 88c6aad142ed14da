"""The action ``dock``, what it is fed by, and ``place_on_ground``."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from geometry_msgs.msg import PoseStamped
from std_srvs.srv import Trigger

from cozmo_interfaces.action import Dock

from ..protocol import NotConnected, SendQueueFull
from ..robot import (
    DOCKING_ACCELERATION,
    DOCKING_SPEED,
    DRIVE_CENTER,
    DockAction,
    DockingError,
    DockingFailed,
    DockingMethod,
    DockingProgress,
    DockingResult,
    RobotError,
)
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.context import Context
from ..ros.geometry import filled, or_default, pose_and_height, seconds
from ..ros.transforms import driver_frames

_NANO = 1e-9
_TF_TIMEOUT = 0.3
"""How long to wait for the transform of an error, s: without any for 1 s the robot gives up."""
_PUT_DOWN = "the robot put down what it carried"
_LOADS = {
    None: Dock.Result.LOAD_UNKNOWN,
    True: Dock.Result.LOAD_FELT,
    False: Dock.Result.LOAD_NOT_FELT,
}


class DockingPart:
    """Docks with what ``docking/error`` tells the pose of, in any frame that tf knows."""

    def __init__(self, context: Context) -> None:
        self._context, self._docking = context, context.robot.docking
        self._frames = driver_frames(context)
        self._base = context.frame("base_frame")
        self._lookup: asyncio.Future[None] | None = None
        self._newest: tuple[PoseStamped, float] | None = None
        """The error, and when it was seen, s, that is looked up next."""
        self._counts = context.command_topic("docking/error")
        ActionBridge(context, Dock, "dock", self._dock)
        context.jobs.serve(Trigger, "place_on_ground", self._place)
        context.subscribe(PoseStamped, "docking/error", _checked, self._on_error)

    async def _dock(self, goal: Goal) -> str:
        request = goal.request

        def on_progress(progress: DockingProgress) -> None:
            goal.publish(filled(Dock.Feedback, progress))

        action = DockAction(request.action)
        is_default = request.method == Dock.Goal.METHOD_DEFAULT
        try:
            if action is DockAction.PLACE_LOW_BLIND:
                _fill(goal.result, await self._docking.place_on_ground(on_progress))
                return _PUT_DOWN
            result = await self._docking.dock(
                action,
                method=None if is_default else DockingMethod(request.method),
                speed=or_default("speed", request.speed, DOCKING_SPEED),
                acceleration=or_default("acceleration", request.acceleration, DOCKING_ACCELERATION),
                offset=(request.offset.x, request.offset.y),
                on_progress=on_progress,
            )
        except DockingFailed as error:
            _fill(goal.result, error.result)
            raise
        _fill(goal.result, result)
        return "the robot has docked"

    async def _place(self, _: Trigger.Request, __: Trigger.Response) -> str:
        await self._docking.place_on_ground()
        return _PUT_DOWN

    def _on_error(self, message: PoseStamped) -> None:
        if not self._docking.is_active:
            return
        stamp, now = seconds(message.header.stamp), self._context.ros_now() * _NANO
        taken = time.monotonic() - (now - stamp if stamp else 0.0)
        if message.header.frame_id.removeprefix("/") in ("", self._base):
            pose, height = pose_and_height(message.pose)
            here = DRIVE_CENTER.compose(pose)
            self._docking.on_error(DockingError(taken, here.x, here.y, height, here.yaw))
            return
        # While tf is waited for, newer errors replace older ones.
        self._newest = message, taken
        if self._lookup is None or self._lookup.done():
            self._lookup = asyncio.ensure_future(self._look_up_newest())

    async def _look_up_newest(self) -> None:
        while self._newest is not None:
            newest, self._newest = self._newest, None
            await self._look_up(*newest)

    async def _look_up(self, message: PoseStamped, taken: float) -> None:
        """Give the robot an error in another frame, once its transform has come."""
        try:
            frame = await self._frames.pose_of(message.header, timeout=_TF_TIMEOUT)
            pose, height = pose_and_height(message.pose, frame)
            here = self._docking.history.pose_at(taken).inverse().compose(pose)
            self._docking.on_error(DockingError(taken, here.x, here.y, height, here.yaw))
        except (RobotError, ValueError, NotConnected, SendQueueFull) as error:
            self._counts.refuse(error)


def _checked(message: PoseStamped) -> PoseStamped:
    """Return a message that holds a pose. Raises ``ValueError``."""
    pose_and_height(message.pose)
    return message


def _fill(message: Any, result: DockingResult) -> None:
    message.block, message.code = int(result.block), int(result.code)
    message.load = _LOADS[result.load]
