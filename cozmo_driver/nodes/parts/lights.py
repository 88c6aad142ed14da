"""``backpack_lights``, ``cube_lights`` and the service ``set_head_light``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from std_srvs.srv import SetBool

from cozmo_interfaces.msg import BackpackLights, CubeLights

from ...protocol import SendQueueFull
from ...robot import Phase, RobotError
from ..command_topic import CommandTopic
from ..context import Context
from ..conversions.cubes import backpack_lights, cube_kind, cube_lights
from ..qos import SENSOR


class LightsPart:
    """Shows lights as told; bad ones are rejected with a reason."""

    def __init__(self, context: Context) -> None:
        """Subscribe and offer the service."""
        self._context, self._robot = context, context.robot
        self._subscriptions = [
            self._subscribe(BackpackLights, "backpack_lights", self._show_on_backpack),
            self._subscribe(CubeLights, "cube_lights", self._show_on_cube),
        ]
        self._service = context.node.create_service(SetBool, "set_head_light", self._set_head_light)

    def _subscribe(self, kind: type, topic: str, show: Callable[[Any], None]) -> object:
        commands = self._context.command_topic(topic)

        def take(message: Any) -> None:
            self._context.thread.post(self._try, commands, show, message)

        # Each command counts: those for several cubes come one after the other.
        return self._context.node.create_subscription(kind, topic, take, SENSOR)

    def _set_head_light(
        self, request: SetBool.Request, response: SetBool.Response
    ) -> SetBool.Response:
        try:
            self._context.in_loop(self._robot.head_light.set, bool(request.data))
        except SendQueueFull as error:
            response.success, response.message = False, f"the robot does not answer: {error}"
            return response
        response.success = True
        response.message = f"the head light is {'on' if request.data else 'off'}"
        if self._robot.session_state.phase is not Phase.CONNECTED:
            response.message += "; the robot is told when it is connected"
        return response

    # -- in the robot's thread

    def _try(self, commands: CommandTopic, show: Callable[[Any], None], message: Any) -> None:
        try:
            show(message)
        except (ValueError, RobotError) as error:
            commands.reject(error)
        except SendQueueFull as error:
            commands.refuse(error)
        else:
            commands.accept()

    def _show_on_backpack(self, message: BackpackLights) -> None:
        if message.is_released:
            self._robot.backpack.release()
        else:
            self._robot.backpack.set(backpack_lights(message))

    def _show_on_cube(self, message: CubeLights) -> None:
        which = cube_kind(message.cube_id), int(message.factory_id)
        if message.is_released:
            self._robot.cubes.release_lights(*which)
        else:
            self._robot.cubes.set_lights(cube_lights(message), *which)
