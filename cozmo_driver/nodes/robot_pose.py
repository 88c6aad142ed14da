"""Where the robot is, for results and feedback."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import PoseStamped

from ..robot import Pose2D
from .context import Context
from .conversions.geometry import stamped_pose_message


class RobotPose:
    """Poses in the odometry frame with the stamp of the latest state; in the robot's thread."""

    def __init__(self, context: Context) -> None:
        """Prepare."""
        self._context = context
        self._frame = context.frame("odom_frame")

    def message(self, pose: Pose2D) -> PoseStamped:
        """Return a pose that ``base_footprint`` has now."""
        odometry = self._context.robot.odometry
        stamp = (
            self._context.stamp_now() if odometry is None else self._context.stamp(odometry.time)
        )
        return stamped_pose_message(pose, stamp, self._frame)

    def put_into(self, result: Any) -> None:
        """Set ``result.pose`` to where the robot is."""
        result.pose = self.message(self._context.robot.localization.drive_center)
