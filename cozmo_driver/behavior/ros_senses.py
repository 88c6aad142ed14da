"""The driver's topics as the senses of the personality."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, Imu

from cozmo_interfaces.msg import (
    ConnectionState,
    CubeArray,
    CubeEvent,
    RobotEvent,
    RobotStatus,
)

from ..robot import Cube
from ..ros.context import NodeContext
from ..ros.geometry import seconds
from ..ros.rclpy_compat import LatestMessage
from ..ros.topics import EVENT, LATCHED
from .body import NOWHERE, EventLog, Senses
from .ros_messages import (
    SensorMessages,
    cube_event,
    cubes_of,
    robot_event,
    senses_of,
)
from .ros_sight import RosSight
from .sight import Sight

_FRESH = 0.02
"""s for which the senses are cached: the robot reports 33 times in a second."""
_POSE_PERIOD, _REST_PERIOD = 0.2, 0.4
"""s between two looks at where the robot is, while it moves and while it does not."""
_SILENCE = 3.0
"""s without odometry after which there is no robot, nor a driver that says so.

Wi-Fi stalls for up to 2 s: the driver stops the wheels meanwhile, and keeps the link for 5 s.
"""


class RosSenses:
    """Reads the latest messages on request; events are handled at once. In the loop."""

    def __init__(self, context: NodeContext) -> None:
        self._context = context
        self.events = EventLog()
        self.cubes: tuple[Cube, ...] = ()
        self.odom_frame = ""
        self.is_linked = False
        """The driver reports that the robot is connected."""
        self.is_known = False
        """The driver has published what it can play."""
        self.on_session: Callable[[], object] = lambda: None
        self.wheels_owner = RobotStatus.OWNER_NONE
        self._sessions = 0
        self._is_moving = False
        self._odometry_at = self._posed_at = -math.inf
        self._messages = SensorMessages()
        self._senses, self._updated_at = NOWHERE, -math.inf
        node = context.node
        self._status = LatestMessage(node, RobotStatus, "status")
        self._odometry = LatestMessage(node, Odometry, "odom")
        self._imu: LatestMessage[Imu] | None = None
        self._battery = LatestMessage(node, BatteryState, "battery_state")
        self._sight = RosSight(context)
        self.watch, self.release = self._sight.watch, self._sight.release
        self._has_been_held = False
        for kind, topic, callback, qos in (
            (ConnectionState, "connection_state", self._on_connection, LATCHED),
            (RobotEvent, "events", self._on_event, EVENT),
            (CubeArray, "cubes", self._on_cubes, LATCHED),
            (CubeEvent, "cube_events", self._on_cube_event, EVENT),
        ):
            context.listen(kind, topic, callback, qos)

    @property
    def now(self) -> Senses:
        now = asyncio.get_running_loop().time()
        if now - self._updated_at >= _FRESH:
            self._updated_at = now
            self._senses = self._update(now)
        return self._senses

    @property
    def sight(self) -> Sight:
        """What is known of the surroundings; faces are forgotten with where the robot was."""
        felt = self.now
        is_held = felt.is_off_ground
        if self._has_been_held and not is_held:
            self._sight.recollection.clear()
        self._has_been_held = is_held
        return self._sight.now(felt.pose, felt.head_angle, self.cubes)

    def _update(self, now: float) -> Senses:
        news = dict(self._news(now))
        is_linked = self.is_linked and now - self._odometry_at < _SILENCE
        is_here, is_starting = is_linked and self.is_known, is_linked and not self.is_known
        before = self._senses
        if not news and (is_here, is_starting) == (before.is_connected, before.is_starting):
            return before
        self._messages = replace(self._messages, **news)
        try:
            return replace(senses_of(self._messages, now, is_here), is_starting=is_starting)
        except ValueError as error:
            self._context.log.warning(f"what the driver tells is not understood: {error}")
            return replace(before, is_connected=False)

    def _news(self, now: float) -> Iterator[tuple[str, Any]]:
        """Take what has come, by the fields of ``SensorMessages``."""
        status = self._status.take()
        if status is not None:
            self.wheels_owner, self._is_moving = status.wheels_owner, status.is_moving
            self._follow_imu(status)
            yield "status", status
            if self._imu is None:
                yield "imu", None
        if now - self._posed_at >= (_POSE_PERIOD if self._is_moving else _REST_PERIOD):
            self._posed_at = now
            if (odometry := self._odometry.take()) is not None:
                self._odometry_at, self.odom_frame = now, odometry.header.frame_id
                yield "odometry", odometry
            if (battery := self._battery.take()) is not None:
                yield "battery", battery
        if self._imu is not None and (imu := self._imu.take()) is not None:
            yield "imu", imu

    def _follow_imu(self, status: RobotStatus) -> None:
        """Follow the acceleration while the robot is in somebody's hands: else it is no news."""
        is_held = status.is_picked_up or status.off_treads_state != RobotStatus.ON_TREADS
        if is_held and self._imu is None:
            self._imu = LatestMessage(self._context.node, Imu, "imu/data_raw")
        elif not is_held and self._imu is not None:
            self._imu.close()
            self._imu = None

    def _on_connection(self, message: ConnectionState) -> None:
        was_linked, self.is_linked = self.is_linked, message.state == ConnectionState.CONNECTED
        is_another = not was_linked or message.connections != self._sessions
        if self.is_linked and is_another:
            self._sessions = message.connections
            self.on_session()

    def _on_event(self, message: RobotEvent) -> None:
        self.events.add(robot_event(message, asyncio.get_running_loop().time()))

    def _on_cubes(self, message: CubeArray) -> None:
        self.cubes = cubes_of(message)

    def _on_cube_event(self, message: CubeEvent) -> None:
        known = {cube.factory_id: cube for cube in self.cubes}
        now = asyncio.get_running_loop().time()
        age = self._context.ros_now() * 1e-9 - seconds(message.header.stamp)
        self.events.add(cube_event(message, known, now - max(0.0, age)), now)
