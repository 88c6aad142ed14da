"""``cubes``, ``cube_events``, ``cube_accel`` and the service ``connect_cube``."""

from __future__ import annotations

import contextlib

from cozmo_interfaces.msg import CubeAccel, CubeArray
from cozmo_interfaces.msg import CubeEvent as CubeEventMessage
from cozmo_interfaces.srv import ConnectCube

from ..protocol import SendQueueFull
from ..robot import Cube, CubeAcceleration, CubeEvent, RobotError
from ..ros.context import Context, Stamper
from ..ros.cube_messages import (
    cube_accel_message,
    cube_array_message,
    cube_event_message,
    cube_kind,
    cube_message,
)
from ..ros.topics import LATCHED, SENSOR


class CubesPart:
    """Publishes the cubes; they send their acceleration only while somebody takes it."""

    def __init__(self, context: Context) -> None:
        self._context, self._cubes = context, context.robot.cubes
        self._prefix = context.parameters["frame_prefix"]
        node = context.node
        self._all = node.create_publisher(CubeArray, "cubes", LATCHED)
        self._events = node.create_publisher(CubeEventMessage, "cube_events", SENSOR)
        self._accelerations = node.create_publisher(CubeAccel, "cube_accel", SENSOR)
        self._stamp = Stamper(context.ros_now)
        self._known: tuple[Cube, ...] = ()
        self._streams: dict[int, bool] = {}
        """What was sent to each cube."""
        context.jobs.serve(ConnectCube, "connect_cube", self._connect)
        self._on_change(())
        self._cubes.on_change.connect(self._on_change)
        self._cubes.on_event.connect(self._on_event)
        self._cubes.on_acceleration.connect(self._on_acceleration)
        context.robot.on_state.connect(lambda _: self._follow_subscribers())

    def _on_change(self, cubes: tuple[Cube, ...]) -> None:
        self._known = cubes
        stamp = self._context.stamp_now()
        self._all.publish(cube_array_message(cubes, stamp, self._context.stamp_of))

    def _on_event(self, event: CubeEvent) -> None:
        stamp = self._context.stamp_of(event.time)
        self._events.publish(cube_event_message(event, stamp, self._prefix))

    def _on_acceleration(self, felt: CubeAcceleration) -> None:
        stamp = self._stamp(felt.time)
        self._accelerations.publish(cube_accel_message(felt, stamp, self._prefix))

    def _follow_subscribers(self) -> None:
        if not self._known:
            return
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

    async def _connect(self, request: ConnectCube.Request, response: ConnectCube.Response) -> str:
        kind, factory_id = cube_kind(request.cube_id), int(request.factory_id)
        change = self._cubes.connect if request.connect else self._cubes.disconnect
        try:
            cube = await change(kind, factory_id)
        finally:
            with contextlib.suppress(RobotError):
                known = self._cubes.find(kind, factory_id)
                response.cube = cube_message(known, self._context.stamp_of)
        done = "connected" if request.connect else "disconnected"
        return f"cube {int(cube.kind)} ({cube.factory_id:08x}) is {done}"
