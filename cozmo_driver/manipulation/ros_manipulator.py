"""The robot of a driver on the graph, for manipulation."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid, Odometry
from sensor_msgs.msg import PointCloud2

from cozmo_interfaces.action import Dock
from cozmo_interfaces.msg import ConnectionState, CubeArray, ObjectStates, RobotInfo, RobotStatus

from ..perception import LocatedObject
from ..planning import Box
from ..robot import (
    DockAction,
    Pose2D,
    RobotError,
    Segment,
)
from ..ros.clients import MOVING_ACTIONS
from ..ros.context import NodeContext
from ..ros.geometry import OdometrySets, plane_pose, stamped_pose_message
from ..ros.on_map import PlaceOnMap
from ..ros.rclpy_compat import LatestMessage
from ..ros.task_moves import TaskMoves
from ..ros.topics import COMMAND, LATCHED, SENSOR
from .manipulator import SIGNAL_PERIOD, SILENCE, STILL_LOST, CubeFace, FaceSource, ManipulatorState
from .obstacle_avoidance import run_while
from .ros_messages import hazard_boxes, located_object, map_boxes, segment_messages

_LISTENED = 0.3
"""s of silence that one look at the topics stands for, at most."""
_LOADS = {Dock.Result.LOAD_FELT: True, Dock.Result.LOAD_NOT_FELT: False}


class RosManipulator:
    """A ``Manipulator`` over the driver's topics, services and actions. Use in the loop."""

    def __init__(self, context: NodeContext) -> None:
        self._context = context
        node = context.node
        self._latest_status = LatestMessage(node, RobotStatus, "status")
        self._latest_odometry = LatestMessage(node, Odometry, "odom")
        self._status: RobotStatus | None = None
        self._pose: Pose2D | None = None
        self._odometry_sets = OdometrySets()
        self._is_linked = False
        self._has_measured_turns = False
        self._silence, self._polled_at = 0.0, math.inf
        self.odom_frame = self.base_frame = ""
        self._stamp = Time()
        """Of the pose."""
        self._objects: dict[str, LocatedObject] = {}
        self._moving: set[int | None] = set()
        """Radio slots of the cubes that move."""
        self._map: list[Box] = []
        self._hazards: list[Box] = []
        self._moves = TaskMoves(context, MOVING_ACTIONS, self._wheels_owner)
        self.place = PlaceOnMap(context)
        self._errors = node.create_publisher(PoseStamped, "docking/error", COMMAND)
        for kind, topic, callback, qos in (
            (ConnectionState, "connection_state", self._on_connection, LATCHED),
            (RobotInfo, "robot_info", self._on_info, LATCHED),
            (ObjectStates, "object_states", self._on_objects, LATCHED),
            (CubeArray, "cubes", self._on_cubes, LATCHED),
            (OccupancyGrid, "map_memory", self._on_map, LATCHED),
            (PointCloud2, "hazards", self._on_hazards, SENSOR),
        ):
            context.listen(kind, topic, callback, qos)

    async def settle(self) -> None:
        """Wait a moment until all that was cancelled has ended."""
        await self._moves.settle()

    def begin(self) -> None:
        """Begin a task: its first movement may take the wheels from others, later ones may not."""
        self._moves.begin()

    def _wheels_owner(self) -> int | None:
        status = self._poll()
        return None if status is None else int(status.wheels_owner)

    # -- what is known

    @property
    def state(self) -> ManipulatorState:
        status = self._poll()
        if status is None or self._pose is None:
            return ManipulatorState()
        return ManipulatorState(
            self._pose,
            status.pitch,
            status.lift_height,
            # Neither falls, so that every change shows.
            int(status.origin_id) + self._odometry_sets.count,
            self._is_linked and self._silence < SILENCE,
            status.is_picked_up or status.off_treads_state != RobotStatus.ON_TREADS,
            status.is_on_charger,
            status.is_carrying_cube,
            status.is_moving,
            status.is_emergency_stopped,
            self._has_measured_turns,
        )

    @property
    def is_driven_by_hand(self) -> bool:
        """Whether ``cmd_vel`` has the wheels."""
        return bool(self._wheels_owner() == RobotStatus.OWNER_TOPIC)

    @property
    def has_vision(self) -> bool:
        return bool(self._objects) and self._context.has_publisher("object_states")

    @property
    def objects(self) -> Mapping[str, LocatedObject]:
        if not self.has_vision:
            return {}
        return {
            name: replace(thing, is_moving=True) if thing.slot in self._moving else thing
            for name, thing in self._objects.items()
        }

    @property
    def obstacles(self) -> Sequence[Box]:
        is_mapped = self._context.has_publisher("map_memory")
        return [*(self._map if is_mapped else ()), *self._hazards]

    def _poll(self) -> RobotStatus | None:
        now = time.monotonic()
        # A program that was kept from running has not listened meanwhile.
        self._silence += min(max(now - self._polled_at, 0.0), _LISTENED)
        self._polled_at = now
        if (status := self._latest_status.take()) is not None:
            self._status = status
        if (odometry := self._latest_odometry.take()) is not None:
            # One that holds no pose counts as none: the next one comes at once.
            with contextlib.suppress(ValueError):
                self._pose = plane_pose(odometry.pose.pose)
                self._silence = 0.0
                self.odom_frame, self._stamp = odometry.header.frame_id, odometry.header.stamp
                self.base_frame = odometry.child_frame_id
                if self._status is not None:
                    self._odometry_sets.update(self._status, self._pose)
        return self._status

    def _on_info(self, message: RobotInfo) -> None:
        self._has_measured_turns = not math.isnan(message.turn_scale)

    def _on_connection(self, message: ConnectionState) -> None:
        self._is_linked = message.state == ConnectionState.CONNECTED

    def _on_objects(self, message: ObjectStates) -> None:
        self._objects = {one.name: located_object(one) for one in message.objects}

    def _on_cubes(self, message: CubeArray) -> None:
        self._moving = {int(cube.slot) for cube in message.cubes if cube.is_moving}

    def _on_map(self, message: OccupancyGrid) -> None:
        self._map = map_boxes(message, self._objects.values())

    def _on_hazards(self, message: PointCloud2) -> None:
        self._hazards = hazard_boxes(message)

    # -- what it does

    async def follow(self, segments: Sequence[Segment]) -> None:
        await self._moves.do("follow_path", segments=segment_messages(segments))

    async def drive(self, distance: float, speed: float, is_cliff_ignored: bool = False) -> None:
        fields = {"distance": float(distance), "speed": float(speed)}
        await self._moves.do("drive_distance", is_cliff_ignored=is_cliff_ignored, **fields)

    async def turn_to(self, heading: float) -> None:
        await self._moves.do("turn_in_place", angle=float(heading), is_absolute=True)

    async def move_lift(self, height: float) -> None:
        await self._moves.do("move_lift", height=float(height))

    async def move_head(self, angle: float) -> None:
        await self._moves.do("move_head", angle=float(angle))

    async def dock(self, action: DockAction, face: FaceSource) -> bool | None:
        docking = asyncio.ensure_future(self._moves.do("dock", action=int(action)))
        await run_while(docking, lambda: self._publish_error(face()), SIGNAL_PERIOD)
        return _LOADS.get(docking.result().load)

    def _publish_error(self, face: CubeFace | None) -> bool:
        """Publish where a face is, as long as that is known."""
        self._poll()
        if face is not None:
            message = stamped_pose_message(face.pose, self._stamp, self.odom_frame)
            message.pose.position.z = face.height
            self._errors.publish(message)
        return True

    async def localize(self) -> bool:
        if not self.place.is_offered:
            return False
        try:
            await self.place.find()
        except RobotError as error:
            if error.reason not in STILL_LOST:
                raise
        return self.place.is_known

    async def place_on_ground(self) -> None:
        # By an action: cancelling ends it, which no service could be told.
        await self._moves.do("dock", action=int(DockAction.PLACE_LOW_BLIND))
