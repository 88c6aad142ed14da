"""What the robot shows: ``face/image``, ``display/image``, the lights of backpack, cubes, head."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sensor_msgs.msg import Image
from std_srvs.srv import SetBool

from cozmo_interfaces.msg import BackpackLights, CubeLights

from ...media.display_codec import Gray, Picture
from ...protocol import SendQueueFull
from ...robot import RobotError
from ..context import Context
from ..conversions.cubes import backpack_lights, cube_kind, cube_lights
from ..conversions.media import image_message, picture_of
from ..topics import COMMAND, LATCHED, SENSOR
from .services import when_connected

_FRAME = "display_link"


class DisplayPart:
    """Shows what comes on ``face/image``; publishes what the face shows, whoever drew it.

    The picture is latched: up to 10 s pass between two changes, and who comes later shall see it.
    """

    def __init__(self, context: Context) -> None:
        """Subscribe, and publish the dark face of a robot that is not connected."""
        self._context, self._display = context, context.robot.display
        self._frame = context.parameters["frame_prefix"] + _FRAME
        self._counts = context.command_topic("face/image")
        self._publisher = context.node.create_publisher(Image, "display/image", LATCHED)
        context.node.create_subscription(Image, "face/image", self._on_image, COMMAND)
        self._publish(self._display.shown)
        self._display.on_change.connect(self._publish)

    def _on_image(self, message: Image) -> None:
        try:
            picture = picture_of(message)
        except ValueError as error:
            self._counts.reject(error)
            return
        self._context.thread.post(self._show, picture)

    # -- in the robot's thread

    def _show(self, picture: Gray) -> None:
        try:
            self._display.show(picture)
        except SendQueueFull as error:
            self._counts.refuse(f"the robot does not answer: {error}")
            return
        self._counts.accept()

    def _publish(self, picture: Picture) -> None:
        stamp = self._context.stamp_now()
        self._publisher.publish(image_message(picture * 255, stamp, self._frame))


class LightsPart:
    """``backpack_lights``, ``cube_lights`` and the service ``set_head_light``."""

    def __init__(self, context: Context) -> None:
        self._context, self._robot = context, context.robot
        self._subscribe(BackpackLights, "backpack_lights", self._show_on_backpack)
        self._subscribe(CubeLights, "cube_lights", self._show_on_cube)
        context.jobs.serve(SetBool, "set_head_light", self._set_head_light)

    def _subscribe(self, kind: type, topic: str, show: Callable[[Any], None]) -> None:
        counts = self._context.command_topic(topic)

        def apply(message: Any) -> None:
            try:
                show(message)
            except (ValueError, RobotError) as error:
                counts.reject(error)
            except SendQueueFull as error:
                counts.refuse(error)
            else:
                counts.accept()

        # Each command counts: those for several cubes come one after the other.
        self._context.node.create_subscription(
            kind, topic, lambda message: self._context.thread.post(apply, message), SENSOR
        )

    # -- in the robot's thread

    async def _set_head_light(self, request: SetBool.Request, _: SetBool.Response) -> str:
        self._robot.head_light.set(bool(request.data))
        on = "on" if request.data else "off"
        return await when_connected(self._robot, f"the head light is {on}")

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
