"""Services that connect, stop and switch."""

from __future__ import annotations

from functools import partial

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from ...robot import Phase, Robot
from ..context import Context
from ..errors import SafetyError
from ..jobs import Jobs
from ..reasons import explain

_STOP_TIMEOUT = 5.0


class ConnectionPart:
    """``connect`` and ``disconnect``."""

    def __init__(self, context: Context) -> None:
        """Offer the services."""
        self._context = context
        node = context.node
        self._services = [
            node.create_service(Trigger, "connect", self._connect),
            node.create_service(Trigger, "disconnect", self._disconnect),
        ]

    def _connect(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        robot = self._context.robot
        response.success = True
        if robot.session_state.phase is Phase.CONNECTED:
            response.message = robot.session_state.text
            return response
        self._context.thread.run(robot.start(), _STOP_TIMEOUT)
        if robot.firmware.is_writing:
            response.message = f"{robot.session_state.text}; the driver connects afterwards"
            return response
        where = f"{robot.options.address}:{robot.options.port}"
        response.message = f"connecting to {where}; the topic connection_state tells the progress"
        return response

    def _disconnect(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        robot = self._context.robot
        if robot.firmware.is_writing:
            response.success = False
            response.message = f"refused: {robot.session_state.text}, which must not be broken off"
            return response
        self._context.thread.run(robot.stop(), _STOP_TIMEOUT)
        response.success = True
        response.message = "disconnected; call connect to drive the robot again"
        return response


class SafetyPart:
    """``emergency_stop``, which latches, and ``release_stop``."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the services."""
        self._context, self._jobs = context, jobs
        node = context.node
        self._services = [
            node.create_service(
                Trigger, "emergency_stop", self._stop, callback_group=ReentrantCallbackGroup()
            ),
            node.create_service(Trigger, "release_stop", self._release),
        ]

    async def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        robot = self._context.robot
        try:
            self._context.in_loop(robot.motion.emergency_stop)
        except Exception as error:
            raise SafetyError("the emergency stop failed") from error
        self._context.node.get_logger().warning("emergency stop: nothing moves until release_stop")
        response.success, response.message = await confirmation(
            self._jobs, robot, "nothing moves until release_stop is called"
        )
        return response

    def _release(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        motion = self._context.robot.motion
        was_stopped = motion.is_stopped
        self._context.in_loop(motion.release_stop)
        response.success = True
        response.message = "movements are allowed again" if was_stopped else "was not stopped"
        return response


class SwitchesPart:
    """``stop_on_cliff``, ``stop_on_bump``, ``enable_camera``: parameters, two also services."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the services and follow the parameters."""
        self._context, self._jobs = context, jobs
        robot = context.robot
        for parameter, switch in (
            ("stop_on_cliff", robot.set_stop_on_cliff),
            ("stop_on_bump", robot.bump.enable),
            ("camera_enabled", robot.camera.enable),
        ):
            context.parameters.on_change(parameter, partial(context.thread.post, switch))
        self._services = [
            context.node.create_service(
                SetBool, "stop_on_cliff", self._set_cliff, callback_group=ReentrantCallbackGroup()
            ),
            context.node.create_service(SetBool, "enable_camera", self._set_camera),
        ]

    async def _set_cliff(
        self, request: SetBool.Request, response: SetBool.Response
    ) -> SetBool.Response:
        self._set("stop_on_cliff", request, response)
        if response.success:
            response.success, response.message = await confirmation(
                self._jobs, self._context.robot, response.message
            )
        return response

    def _set_camera(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._set("camera_enabled", request, response)
        if self._context.robot.session_state.phase is not Phase.CONNECTED:
            response.message += "; the robot is told when it is connected"
        return response

    def _set(self, parameter: str, request: SetBool.Request, response: SetBool.Response) -> None:
        value = Parameter(parameter, Parameter.Type.BOOL, bool(request.data))
        [result] = self._context.node.set_parameters([value])
        response.success = result.successful
        on = "on" if request.data else "off"
        response.message = result.reason or f"{parameter} is {on}"


async def confirmation(jobs: Jobs, robot: Robot, what: str) -> tuple[bool, str]:
    """Wait until the robot has acknowledged ``what``; return whether it has, and the answer."""
    try:
        await jobs.result_of(robot.session.safety.confirmed())
    except Exception as error:
        _, text = explain(error)
        return False, f"{what}, but {text}; the robot is told as soon as that is possible"
    return True, what
