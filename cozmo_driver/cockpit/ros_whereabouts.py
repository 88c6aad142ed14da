"""The feed ``whereabouts``: where the robot is on the map of landmarks, for the scene in odom."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile
from visualization_msgs.msg import Marker, MarkerArray

from cozmo_interfaces.msg import LocalizationState

from ..robot import Pose2D
from ..ros.geometry import plane_pose
from ..ros.rclpy_compat import LatestMessage
from ..ros.topics import LATCHED

WHEREABOUTS_FEED: Final = "whereabouts"
_STATUSES = {
    LocalizationState.UNKNOWN: "lost",
    LocalizationState.AMBIGUOUS: "several places fit",
    LocalizationState.TRACKING: "known",
    LocalizationState.DEAD_RECKONING: "known by odometry",
}
_KEPT = 60
"""States, 2 s: a pose on the map comes after the ``odom`` of its time."""
_SIGMAS = 2.0
"""Standard deviations that the ellipse shows."""
_TAG = 1
"""Id of the markers of ``landmark_markers`` that are the tags themselves."""


class WhereaboutsFeed:
    """Joins pose and odometry of one time; in the loop."""

    def __init__(self, node: Node, prefix: str) -> None:
        self._node, self._prefix = node, prefix
        self._topics: tuple[LatestMessage[Any], ...] = ()
        self._odometry: dict[tuple[int, int], Pose2D] = {}
        self._value: dict[str, Any] | None = None

    def start(self) -> None:
        self._value = None
        self._topics = tuple(
            LatestMessage(self._node, kind, f"{self._prefix}/{topic}", qos)
            for kind, topic, qos in (
                (LocalizationState, "localization_state", LATCHED),
                (PoseWithCovarianceStamped, "pose", LATCHED),
                (Odometry, "odom", QoSProfile(depth=_KEPT)),
            )
        )

    def stop(self) -> None:
        for topic in self._topics:
            topic.close()
        self._topics = ()

    def poll(self) -> dict[str, Any] | None:
        """Return what is known; None where nothing localizes."""
        if not self._topics:
            return None
        states, poses, odometry = self._topics
        while (message := odometry.take()) is not None:
            self._odometry[_key(message)] = plane_pose(message.pose.pose)
            if len(self._odometry) > _KEPT:
                del self._odometry[next(iter(self._odometry))]
        if (state := states.take()) is not None:
            self._value = (self._value or {"odom": None, "ellipse": None}) | state_value(state)
        pose = poses.take()
        if self._value is None:
            return None
        if not self._value["is_known"]:
            self._value |= {"odom": None, "ellipse": None}
        elif pose is not None and (here := self._odometry.get(_key(pose))) is not None:
            self._value |= place_value(pose, here)
        return dict(self._value)


def _key(message: Any) -> tuple[int, int]:
    return message.header.stamp.sec, message.header.stamp.nanosec


def state_value(state: LocalizationState) -> dict[str, Any]:
    """Return status and deviations, m and rad, None where the pose is not known."""
    is_known = math.isfinite(state.position_deviation)
    return {
        "status": _STATUSES.get(state.status, "?"),
        "is_known": is_known,
        "position": round(state.position_deviation, 4) if is_known else None,
        "yaw": round(state.yaw_deviation, 4) if is_known else None,
        "landmarks": state.landmarks,
        "doubts": list(state.doubts),
    }


def place_value(pose: PoseWithCovarianceStamped, here: Pose2D) -> dict[str, Any]:
    """Return where odom is on the map, and in odom the ellipse of what is not known of ``here``."""
    odom = plane_pose(pose.pose.pose).compose(here.inverse())
    covariance = np.array(pose.pose.covariance).reshape(6, 6)[:2, :2]
    (small, large), axes = np.linalg.eigh(covariance)
    angle = math.atan2(axes[1, 1], axes[0, 1]) - odom.yaw
    along, across = (_SIGMAS * math.sqrt(max(float(one), 0.0)) for one in (large, small))
    return {
        "odom": _rounded(odom.x, odom.y, odom.yaw),
        "ellipse": _rounded(here.x, here.y, angle, along, across),
    }


def _rounded(*values: float) -> list[float]:
    return [round(float(value), 4) for value in values]


def landmarks(message: MarkerArray) -> list[dict[str, Any]]:
    """Return the tags on the map: place, turn and size, and whether they are not believed."""
    return [
        {
            "name": one.ns,
            "place": _rounded(*(getattr(one.pose.position, axis) for axis in "xyz")),
            "turn": _rounded(*(getattr(one.pose.orientation, part) for part in "xyzw")),
            "size": round(one.scale.x, 4),
            "is_doubted": one.color.r > 0.5,
        }
        for one in message.markers
        if one.action == Marker.ADD and one.id == _TAG
    ]
