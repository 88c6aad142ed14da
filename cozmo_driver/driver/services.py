"""Services that connect, stop, switch, calibrate and set the odometry."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from cozmo_interfaces.srv import SetOdometry

from ..link import with_timeout
from ..robot import DRIVE_CENTER, Phase, Reason, Refused, Robot, RobotError
from ..ros.context import Context
from ..ros.errors import accept, explain, refuse
from ..ros.geometry import plane_pose

_log = logging.getLogger(__name__)

_CHANGE_TIMEOUT = 30.0
"""s that a change of the storage has to end: the largest entry takes some 6. Sooner it ends by
itself where the link is lost, or the robot answers nothing for 5 s."""


async def when_connected(robot: Robot, text: str) -> str:
    """Return ``text``, with what to add when the robot takes over a setting later."""
    if robot.session_state.phase is Phase.CONNECTED:
        return text
    return f"{text}; it is sent when the robot is connected"


async def confirmed(robot: Robot, text: str) -> str:
    """Return ``text`` once the robot has acknowledged it. Raises ``RobotError``."""
    try:
        await robot.session.safety.confirmed()
    except Exception as error:
        reason, why = explain(error)
        raise RobotError(reason, f"{text}, but {why}; it is sent as soon as possible") from error
    return text


def serve_parameter(
    context: Context,
    kind: Any,
    service: str,
    parameter: str,
    value_of: Callable[[Any], Any],
    answer: Callable[[Robot, str], Coroutine[Any, Any, str]] = when_connected,
    *,
    what: str = "",
) -> None:
    """Offer a service that sets a parameter to what ``value_of`` finds in the request.

    ``answer`` makes the message in the robot's thread; ``what`` the parameter is called in it.
    """

    async def on_request(request: Any, response: Any) -> Any:
        value = value_of(request)
        [result] = context.node.set_parameters([Parameter(parameter, value=value)])
        text = f"{value:g}" if isinstance(value, float) else "on" if value else "off"
        text = f"{what or parameter} is {text}"
        try:
            if not result.successful:
                raise ValueError(result.reason)
            return accept(response, await context.jobs.result_of(answer(context.robot, text)))
        except Exception as error:
            return refuse(response, error, service)

    context.node.create_service(
        kind, service, on_request, callback_group=context.jobs.callback_group
    )


class ServicesPart:
    """What is asked of the robot as a whole."""

    def __init__(self, context: Context) -> None:
        self._context, self._robot = context, context.robot
        for kind, name, handle in (
            (Trigger, "connect", self._connect),
            (Trigger, "disconnect", self._disconnect),
            (Trigger, "emergency_stop", self._stop),
            (Trigger, "release_stop", self._release),
            (Trigger, "calibrate_motors", self._calibrate),
            (SetOdometry, "set_odometry", self._set_odometry),
        ):
            context.jobs.serve(kind, name, handle)
        robot = context.robot
        context.on_parameter("stop_on_cliff", robot.cliff.enable)
        context.on_parameter("stop_on_bump", robot.obstacles.enable_stop)
        context.on_parameter("camera_enabled", robot.camera.enable)
        serve_parameter(
            context, SetBool, "stop_on_cliff", "stop_on_cliff", lambda r: bool(r.data), confirmed
        )
        serve_parameter(context, SetBool, "enable_camera", "camera_enabled", lambda r: bool(r.data))

    # -- in the robot's thread

    async def _connect(self, _: Trigger.Request, __: Trigger.Response) -> str:
        robot = self._robot
        if robot.session_state.phase is Phase.CONNECTED:
            return robot.session_state.text
        await robot.start()
        if robot.firmware.is_writing:
            return f"{robot.session_state.text}; the driver connects afterwards"
        where = f"{robot.options.address}:{robot.options.port}"
        return f"connecting to {where}; see the topic connection_state"

    async def _disconnect(self, _: Trigger.Request, __: Trigger.Response) -> str:
        robot = self._robot
        if robot.firmware.is_writing:
            raise Refused(
                Reason.BUSY,
                f"refused: {robot.session_state.text}, which must not be broken off",
            )
        await robot.stop(until=self._until_nothing_changes)
        return "disconnected; call connect to drive the robot again"

    async def _until_nothing_changes(self) -> None:
        with suppress(TimeoutError):
            await with_timeout(_CHANGE_TIMEOUT, self._robot.storage.settled())

    async def _stop(self, _: Trigger.Request, __: Trigger.Response) -> str:
        try:
            self._robot.motion.emergency_stop()
        except Exception as error:
            self._robot.session.fail("the emergency stop", error)
            raise
        _log.warning("emergency stop: nothing moves until release_stop")
        return await confirmed(self._robot, "nothing moves until release_stop is called")

    async def _release(self, _: Trigger.Request, __: Trigger.Response) -> str:
        motion = self._robot.motion
        was_stopped = motion.is_stopped or motion.is_held
        motion.release_stop()
        return "movements are allowed again" if was_stopped else "was not stopped"

    async def _calibrate(self, _: Trigger.Request, __: Trigger.Response) -> str:
        await self._robot.motion.calibrate()
        return "head and lift are calibrated"

    async def _set_odometry(self, request: SetOdometry.Request, _: SetOdometry.Response) -> str:
        pose = plane_pose(request.pose)
        self._robot.localization.set_odometry(pose.compose(DRIVE_CENTER.inverse()))
        return f"the robot is at x {pose.x:.3f} m, y {pose.y:.3f} m, {pose.yaw:.3f} rad"
