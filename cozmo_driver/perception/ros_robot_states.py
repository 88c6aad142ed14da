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

from ..robot import JOINTS
from ..ros.geometry import seconds, yaw_of
from ..ros.rclpy_compat import LatestMessage
from .world.pose_history import RobotMoment

_DEPTH = 100
"""Messages of each topic, 3 s, that are kept until they are asked for."""
_APART = 0.5
"""s between a pose and the nearest angles of the joints that make it useless."""
_HEAD, _LIFT = JOINTS[:2]
_FASTEST, _NOISE = 0.5, 0.02
"""m/s and m: poses that are farther apart are a jump."""
_FASTEST_TURN, _TURN_NOISE = 15.0, 0.1
"""rad/s and rad, likewise."""
_GAP = 1.0
"""s after which nothing can be said of jumps."""


class _Queue:
    """Messages of one topic by their stamps, which rise."""

    def __init__(self, node: Node, kind: type, topic: str) -> None:
        self._topic: LatestMessage[Any] = LatestMessage(node, kind, topic, QoSProfile(depth=_DEPTH))
        self.waiting: deque[tuple[float, Any]] = deque(maxlen=_DEPTH)

    def poll(self) -> None:
        while (message := self._topic.take()) is not None:
            stamp = seconds(message.header.stamp)
            if self.waiting and stamp < self.waiting[-1][0]:
                # A recording begins again.
                self.waiting.clear()
            self.waiting.append((stamp, message))


class RobotStates:
    """Reads states when they are asked for: an executor would wake up 70 times in a second."""

    def __init__(self, node: Node) -> None:
        self._poses = _Queue(node, Odometry, "odom")
        self._joints = _Queue(node, JointState, "joint_states")
        self._statuses = _Queue(node, RobotStatus, "status")
        self._status = RobotStatus(pitch=math.nan)
        self._last: RobotMoment | None = None
        self._origin = 0
        self.odom_frame, self.base_frame, self.stamp = "", "", Time()
        """Of the last one."""
        self.rejected = 0
        """Poses that are not finite, or without angles of head and lift."""

    @property
    def is_carrying(self) -> bool:
        return bool(self._status.is_carrying_cube)

    def poll(self) -> Iterator[RobotMoment]:
        """Return the states that are complete by now, the oldest first."""
        for queue in (self._statuses, self._joints, self._poses):
            queue.poll()
        poses, joints = self._poses.waiting, self._joints.waiting
        while poses and joints and not 0.0 < poses[0][0] - joints[-1][0] < _APART:
            moment = self._moment(*poses.popleft())
            if moment is None:
                self.rejected += 1
            else:
                yield moment

    def _moment(self, stamp: float, odometry: Odometry) -> RobotMoment | None:
        position, twist = odometry.pose.pose.position, odometry.twist.twist
        yaw = yaw_of(odometry.pose.pose.orientation)
        angles = self._angles(stamp)
        if angles is None:
            return None
        head, lift, head_rate = angles
        if not all(map(math.isfinite, (position.x, position.y, yaw, head, lift))):
            return None
        self.odom_frame, self.stamp = odometry.header.frame_id, odometry.header.stamp
        self.base_frame = odometry.child_frame_id
        before, status = self._status, self._status_at(stamp)
        is_lost = status.origin_id != before.origin_id or (
            _is_on_treads(before) and not _is_on_treads(status)
        )
        self._origin += is_lost or _is_jump(self._last, stamp, position.x, position.y, yaw)
        self._last = moment = RobotMoment(
            stamp,
            position.x,
            position.y,
            yaw,
            head,
            lift,
            yaw_rate=twist.angular.z,
            head_rate=head_rate,
            pitch=-status.pitch if math.isfinite(status.pitch) else None,
            is_moving=status.is_moving,
            is_on_treads=_is_on_treads(status),
            is_on_charger=status.is_on_charger,
            is_at_cliff=status.is_cliff_detected,
            origin=self._origin,
        )
        return moment

    def _angles(self, stamp: float) -> tuple[float, float, float | None] | None:
        """Return the angles of head and lift at a time, and how fast the head moves."""
        joints = self._joints.waiting
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
        nearer = last if share > 0.5 else first
        index = first.name.index(_HEAD)
        return head, lift, nearer.velocity[index] if len(nearer.velocity) > index else None

    def _status_at(self, stamp: float) -> RobotStatus:
        statuses = self._statuses.waiting
        while statuses and statuses[0][0] <= stamp:
            self._status = statuses.popleft()[1]
        return self._status


def _is_on_treads(status: RobotStatus) -> bool:
    return bool(status.off_treads_state == RobotStatus.ON_TREADS)


def _is_jump(last: RobotMoment | None, stamp: float, x: float, y: float, yaw: float) -> bool:
    """Whether no robot moves so fast: its odometry was set to something else."""
    if last is None or not 0.0 <= stamp - last.stamp < _GAP:
        return False
    elapsed = stamp - last.stamp
    turn = abs(math.remainder(yaw - last.yaw, 2 * math.pi))
    return (
        math.hypot(x - last.x, y - last.y) > _NOISE + _FASTEST * elapsed
        or turn > _TURN_NOISE + _FASTEST_TURN * elapsed
    )
