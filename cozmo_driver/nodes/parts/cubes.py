"""``cubes``, ``cube_events``, ``cube_accel`` and the service ``connect_cube``."""

from __future__ import annotations

from rclpy.callback_groups import ReentrantCallbackGroup

from cozmo_interfaces.msg import CubeAccel, CubeArray
from cozmo_interfaces.msg import CubeEvent as CubeEventMessage
from cozmo_interfaces.srv import ConnectCube

from ...protocol import SendQueueFull
from ...robot import Cube, CubeAcceleration, CubeEvent, Reason, RobotError
from ..context import Context
from ..conversions.cubes import (
    cube_accel_message,
    cube_array_message,
    cube_event_message,
    cube_kind,
    cube_message,
)
from ..jobs import Jobs
from ..qos import LATCHED, SENSOR
from ..reasons import refuse


class CubesPart:
    """Tells what cubes do; they send their acceleration only while somebody takes it."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Follow the robot's cubes."""
        self._context, self._jobs = context, jobs
        self._cubes = context.robot.cubes
        self._prefix = context.parameters["frame_prefix"]
        node = context.node
        self._all = node.create_publisher(CubeArray, "cubes", LATCHED)
        self._events = node.create_publisher(CubeEventMessage, "cube_events", SENSOR)
        self._accelerations = node.create_publisher(CubeAccel, "cube_accel", SENSOR)
        self._stamp = context.new_stamper()
        self._known: tuple[Cube, ...] = ()
        self._streams: dict[int, bool] = {}
        """What each cube was told."""
        self._service = node.create_service(
            ConnectCube, "connect_cube", self._connect, callback_group=ReentrantCallbackGroup()
        )
        self._publish_all(())
        self._cubes.on_change.connect(self._publish_all)
        self._cubes.on_event.connect(self._publish_event)
        self._cubes.on_acceleration.connect(self._publish_acceleration)
        context.robot.on_state.connect(lambda _: self._follow_subscribers())

    # -- in the robot's thread

    def _publish_all(self, cubes: tuple[Cube, ...]) -> None:
        self._known = cubes
        stamp = self._context.stamp_now()
        self._all.publish(cube_array_message(cubes, stamp, self._context.stamp_of))

    def _publish_event(self, event: CubeEvent) -> None:
        stamp = self._context.stamp_of(event.time)
        self._events.publish(cube_event_message(event, stamp, self._prefix))

    def _publish_acceleration(self, felt: CubeAcceleration) -> None:
        stamp = self._stamp(felt.time)
        self._accelerations.publish(cube_accel_message(felt, stamp, self._prefix))

    def _follow_subscribers(self) -> None:
        is_wanted = self._accelerations.get_subscription_count() > 0
        for cube in self._known:
            if self._streams.get(cube.factory_id, False) is is_wanted:
                continue
            try:
                self._cubes.stream_acceleration(is_wanted, factory_id=cube.factory_id)
            except SendQueueFull:
                # With the next state it is tried again.
                return
            self._streams[cube.factory_id] = is_wanted

    async def _change_link(self, request: ConnectCube.Request) -> Cube:
        change = self._cubes.connect if request.connect else self._cubes.disconnect
        return await change(cube_kind(request.cube_id), int(request.factory_id))

    # -- in the executor's thread

    async def _connect(
        self, request: ConnectCube.Request, response: ConnectCube.Response
    ) -> ConnectCube.Response:
        try:
            cube = await self._jobs.result_of(self._change_link(request))
        except Exception as error:
            self._add_cube(request, response)
            return refuse(response, error)
        done = "connected" if request.connect else "disconnected"
        response.success, response.reason = True, int(Reason.NONE)
        response.message = f"cube {int(cube.kind)} ({cube.factory_id:08x}) is {done}"
        response.cube = cube_message(cube, self._context.stamp_of)
        return response

    def _add_cube(self, request: ConnectCube.Request, response: ConnectCube.Response) -> None:
        """Tell how the cube that was meant is, if it is known."""
        try:
            kind = cube_kind(request.cube_id)
            cube = self._context.in_loop(self._cubes.find, kind, int(request.factory_id))
        except (RobotError, ValueError):
            return
        response.cube = cube_message(cube, self._context.stamp_of)
