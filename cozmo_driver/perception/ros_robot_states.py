"""The robot's states, put together of ``odom``, ``joint_states`` and ``status`` by their stamps."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import Any

from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from cozmo_interfaces.msg import RobotStatus

from ..robot import JOINTS, Pose2D
from ..ros.geometry import OdometrySets, seconds, yaw_of
from ..ros.rclpy_compat import LatestMessage
from .world.pose_history import StampedState

_DEPTH = 100
"""Messages of each topic, 3 s, that are kept until they are asked for."""
_APART = 0.5
"""s between a pose and the nearest angles of the joints that make it useless."""
_HEAD, _LIFT = JOINTS[:2]


class RobotStates:
    """Joins messages to states; once it ``reads`` topics, whenever it is asked for states."""

    def __init__(self) -> None:
        self._topics: list[LatestMessage[Any]] = []
        self._poses, self._joints, self._statuses = (
            deque[tuple[float, Any]](maxlen=_DEPTH) for _ in range(3)
        )
        self._queues: dict[type, deque[tuple[float, Any]]] = {
            Odometry: self._poses,
            JointState: self._joints,
            RobotStatus: self._statuses,
        }
        self._status: RobotStatus | None = None
        self._odometry_sets = OdometrySets()
        self.odom_frame, self.base_frame, self.stamp = "", "", Time()
        """Of the last one."""
        self.rejected = 0
        """Poses that are not finite, without angles of head and lift, or before any ``status``."""

    @property
    def wheels_owner(self) -> int:
        """Of the newest ``status``."""
        newest = self._statuses[-1][1] if self._statuses else self._status
        return int(newest.wheels_owner) if newest else RobotStatus.OWNER_NONE

    def read(self, node: Node) -> None:
        """Subscribe without an executor, which would wake up 70 times in a second."""
        qos = QoSProfile(depth=_DEPTH)
        self._topics = [
            LatestMessage(node, kind, topic, qos)
            for kind, topic in (
                (RobotStatus, "status"),
                (JointState, "joint_states"),
                (Odometry, "odom"),
            )
        ]

    def add(self, message: Odometry | JointState | RobotStatus) -> None:
        """Take a message; their stamps rise, unless a recording begins again."""
        stamp, queue = seconds(message.header.stamp), self._queues[type(message)]
        if queue and stamp < queue[-1][0]:
            queue.clear()
        queue.append((stamp, message))

    def poll(self) -> Iterator[StampedState]:
        """Return the states that are complete by now, the oldest first; none before a status."""
        for topic in self._topics:
            while (message := topic.take()) is not None:
                self.add(message)
        poses, joints = self._poses, self._joints
        if self._status is None and not self._statuses:
            return
        while poses and joints and not 0.0 < poses[0][0] - joints[-1][0] < _APART:
            state = self._state(*poses.popleft())
            if state is None:
                self.rejected += 1
            else:
                yield state

    def _state(self, stamp: float, odometry: Odometry) -> StampedState | None:
        position, twist = odometry.pose.pose.position, odometry.twist.twist
        yaw = yaw_of(odometry.pose.pose.orientation)
        angles, status = self._angles(stamp), self._status_at(stamp)
        # Without its origin a pose would count as of another one than those after it.
        if angles is None or status is None:
            return None
        head, lift = angles
        if not all(map(math.isfinite, (position.x, position.y, yaw, head, lift))):
            return None
        here = Pose2D(position.x, position.y, yaw)
        self.odom_frame, self.stamp = odometry.header.frame_id, odometry.header.stamp
        self.base_frame = odometry.child_frame_id
        return StampedState(
            stamp,
            position.x,
            position.y,
            yaw,
            head,
            lift,
            yaw_rate=twist.angular.z,
            pitch=-status.pitch if math.isfinite(status.pitch) else None,
            is_moving=status.is_moving,
            is_on_treads=status.off_treads_state == RobotStatus.ON_TREADS,
            is_on_charger=status.is_on_charger,
            is_at_cliff=status.is_cliff_detected,
            is_carrying=status.is_carrying_cube,
            # Neither falls, so that every change shows.
            origin_id=status.origin_id + self._odometry_sets.update(status, here),
            spread=math.sqrt(max(0.0, odometry.pose.covariance[0])),
        )

    def _angles(self, stamp: float) -> tuple[float, float] | None:
        """Return the angles of head and lift at a time."""
        joints = self._joints
        while len(joints) > 1 and joints[1][0] <= stamp:
            joints.popleft()
        (before, first), (after, last) = joints[0], joints[min(1, len(joints) - 1)]
        if min(abs(stamp - before), abs(stamp - after)) >= _APART:
            return None
        share = min(max((stamp - before) / (after - before), 0.0), 1.0) if after > before else 0.0
        try:
            head, lift = (
                (1.0 - share) * first.position[index] + share * last.position[index]
                for index in map(first.name.index, (_HEAD, _LIFT))
            )
        except (ValueError, IndexError):
            return None
        return head, lift

    def _status_at(self, stamp: float) -> RobotStatus | None:
        statuses = self._statuses
        while statuses and statuses[0][0] <= stamp:
            self._status = statuses.popleft()[1]
        return self._status
