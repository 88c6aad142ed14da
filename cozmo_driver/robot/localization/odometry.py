"""Odometry that never jumps, whatever happens to the robot's own coordinate system."""

from __future__ import annotations

from dataclasses import dataclass

from ..data import OffTreads, Pose2D, RobotState
from .pose_uncertainty import PoseUncertainty


@dataclass(frozen=True, slots=True)
class Odometry:
    """Where the robot is in the odometry frame and how fast it goes, m/s and rad/s."""

    time: float
    pose: Pose2D
    """Of the robot's origin; the velocity is that of the drive center, which has none sideways."""
    linear_velocity: float
    angular_velocity: float
    is_frozen: bool
    """The robot does not stand on its treads: the pose stands still."""
    covariance_scale: float = 1.0
    """How much larger than usual the velocity's variances are, after slip and while lifted."""
    position_variance: float = 0.0
    """Of x and of y, m^2; grown since the start or ``set_odometry`` by driving, slip, lifting."""
    heading_variance: float = 0.0
    """In rad^2; grown likewise."""


class OdometryTracker:
    """Follows the robot's pose through new origins, frames, sessions and pick-ups (spec 07 §10)."""

    def __init__(self) -> None:
        """Start at the origin of the odometry frame."""
        self.pose = Pose2D()
        self.origin = Pose2D()
        """Pose of the robot's own coordinate system in the odometry frame."""
        self.uncertainty = PoseUncertainty()
        self._key: tuple[int, int] | None = None

    def rebase(self, pose: Pose2D | None = None) -> None:
        """Let the next state stand at ``pose``, by default where the last one stood."""
        if pose is not None:
            self.pose = pose
            self.uncertainty.reset()
        self._key = None

    def update(
        self, state: RobotState, *, is_slipping: bool = False, is_pushing: bool = False
    ) -> Odometry:
        """Take a state and whether the treads were found slipping; return the odometry then.

        Of a robot that pushes against something only the heading goes on.
        """
        key = (state.origin_id, state.frame_id)
        is_frozen = state.off_treads is not OffTreads.ON_TREADS
        scale = self.uncertainty.update(
            state.time, is_carried=is_frozen, is_slipping=is_slipping or is_pushing
        )
        if is_frozen:
            self._key = None
            return self._odometry(state.time, 0.0, 0.0, True, scale)
        if key != self._key:
            self._key = key
            self.origin = self.pose.compose(state.pose.inverse())
        else:
            here = self.origin.compose(state.pose)
            if is_pushing:
                here = Pose2D(self.pose.x, self.pose.y, here.yaw)
                self.origin = here.compose(state.pose.inverse())
            self.uncertainty.move(self.pose, here)
            self.pose = here
        linear = 0.0 if is_pushing else (state.left_wheel_speed + state.right_wheel_speed) / 2
        return self._odometry(state.time, linear, state.yaw_rate, False, scale)

    def _odometry(
        self, time: float, linear: float, angular: float, is_frozen: bool, scale: float
    ) -> Odometry:
        position, heading = self.uncertainty.position_variance, self.uncertainty.heading_variance
        return Odometry(time, self.pose, linear, angular, is_frozen, scale, position, heading)
