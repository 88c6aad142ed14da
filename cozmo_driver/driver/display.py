"""What the robot shows: ``face/image``, ``display/image``, the lights of backpack, cubes, head."""

from __future__ import annotations

from sensor_msgs.msg import Image
from std_srvs.srv import SetBool

from cozmo_interfaces.msg import BackpackLights, CubeLights

from ..media import DisplayImage
from ..robot import BackpackLights as Lights
from ..robot import CubeKind
from ..robot import CubeLights as LightsOfCube
from ..ros.context import Context
from ..ros.cube_messages import backpack_lights, cube_kind, cube_lights
from ..ros.media_messages import image_message, picture_of
from ..ros.topics import LATCHED, SENSOR
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
        self._publisher = context.node.create_publisher(Image, "display/image", LATCHED)
        context.subscribe(Image, "face/image", picture_of, self._display.show)
        self._publish(self._display.shown)
        self._display.on_change.connect(self._publish)

    def _publish(self, picture: DisplayImage) -> None:
        stamp = self._context.stamp_now()
        self._publisher.publish(image_message(picture * 255, stamp, self._frame))


class LightsPart:
    """``backpack_lights``, ``cube_lights`` and the service ``set_head_light``."""

    def __init__(self, context: Context) -> None:
        self._robot = context.robot
        # Each command counts: those for several cubes come one after the other.
        context.subscribe(
            BackpackLights, "backpack_lights", _read_backpack, self._show_on_backpack, SENSOR
        )
        context.subscribe(CubeLights, "cube_lights", _read_cube, self._show_on_cube, SENSOR)
        context.jobs.serve(SetBool, "set_head_light", self._set_head_light)

    # -- in the robot's thread

    async def _set_head_light(self, request: SetBool.Request, _: SetBool.Response) -> str:
        self._robot.head_light.set(bool(request.data))
        on = "on" if request.data else "off"
        return await when_connected(self._robot, f"the head light is {on}")

    def _show_on_backpack(self, lights: Lights | None) -> None:
        if lights is None:
            self._robot.backpack.release()
        else:
            self._robot.backpack.set(lights)

    def _show_on_cube(self, command: tuple[CubeKind, int, LightsOfCube | None]) -> None:
        kind, factory_id, lights = command
        if lights is None:
            self._robot.cubes.release_lights(kind, factory_id)
        else:
            self._robot.cubes.set_lights(lights, kind, factory_id)


def _read_backpack(message: BackpackLights) -> Lights | None:
    return None if message.is_released else backpack_lights(message)


def _read_cube(message: CubeLights) -> tuple[CubeKind, int, LightsOfCube | None]:
    lights = None if message.is_released else cube_lights(message)
    return cube_kind(message.cube_id), int(message.factory_id), lights
