"""Between the odometry frame and the robot's own coordinate system (spec 07 §10-11)."""

from __future__ import annotations

import itertools
import logging
import math
import random
from collections.abc import Callable

from ..protocol import NotConnected, SendQueueFull, messages
from .calibration import RobotCalibration
from .data import DRIVE_CENTER, OffTreads, Pose2D, RobotState
from .odometry import OdometryTracker
from .session import Session
from .signal import Signal

_log = logging.getLogger(__name__)

_MAX_STRANGE_STATES = 100
"""States with another origin or frame before its pose is sent again (spec 07 §11)."""


class Localization:
    """Sends the robot its pose, and maps poses to the robot's own coordinate system.

    In every session and after every put-down the robot counts in a new coordinate system; the
    odometry goes on.
    """

    def __init__(self, session: Session, tracker: OdometryTracker) -> None:
        self.origin_id = 0
        """Coordinate system, as sent to the robot."""
        self.on_delocalized: Signal[str] = Signal()
        """The pose lost its relation to the world, and why; the odometry is kept."""
        self.on_odometry_set: Signal[Pose2D] = Signal()
        self.odometry_sets = 0
        """Times that the odometry was set to another pose."""
        # A number that the robot has from before, also from another program, would not show that
        # it has changed the system: none is used twice, and the first one is random.
        self._origins = itertools.count(random.randrange(1, 1 << 31))
        self._session, self._tracker = session, tracker
        self._was_on_treads = True
        self._strange_states = 0
        self._due = ""
        """Why a new coordinate system is to be sent; empty for none."""
        self._is_failure_told = False
        session.on_setup.connect(self._on_setup)

    @property
    def pose(self) -> Pose2D:
        return self._tracker.pose

    @property
    def drive_center(self) -> Pose2D:
        """Where the point is that the robot turns about, m and rad in the odometry frame."""
        return self._tracker.pose.compose(DRIVE_CENTER)

    def drive_center_from_now(self) -> Callable[[], Pose2D]:
        """Return what tells where the drive center is in the odometry frame as it is set now.

        That is what a drive is measured by: ``set_odometry`` does not move its goal on the ground.
        """
        tracker = self._tracker
        frame = tracker.pose.compose(tracker.driven.inverse())
        return lambda: frame.compose(tracker.driven).compose(DRIVE_CENTER)

    @property
    def robot_frame(self) -> Pose2D:
        """Pose of the odometry frame in the robot's own coordinate system, where it is now."""
        return self._tracker.origin.inverse()

    @property
    def calibration(self) -> RobotCalibration:
        """What the odometry is corrected by."""
        return self._tracker.calibration

    def is_settled(self, state: RobotState) -> bool:
        """Whether the robot counts in the system it was last sent; only then the mapping holds."""
        return (state.origin_id, state.frame_id) == (self.origin_id, 0)

    def set_odometry(self, pose: Pose2D) -> None:
        """Let the robot be at ``pose`` in the odometry frame from the next state on.

        The robot's own coordinate system stays, so what it drives goes on undisturbed. Raises
        ``ValueError``.
        """
        if not all(math.isfinite(value) and abs(value) < 1e6 for value in (pose.x, pose.y)):
            raise ValueError(f"the position is not finite or absurdly far away: {pose.x}, {pose.y}")
        if not math.isfinite(pose.yaw):
            raise ValueError(f"the heading is not finite: {pose.yaw}")
        self._tracker.rebase(Pose2D(pose.x, pose.y, math.remainder(pose.yaw, 2 * math.pi)))
        self.odometry_sets += 1
        self.on_odometry_set.emit(pose)

    def update(self, state: RobotState) -> None:
        """Check whether the robot stands on its treads, and counts in the system it was sent."""
        is_on_treads = state.off_treads is OffTreads.ON_TREADS
        was_on_treads, self._was_on_treads = self._was_on_treads, is_on_treads
        if not is_on_treads:
            if was_on_treads:
                self.on_delocalized.emit("the robot left its treads")
        elif not was_on_treads:
            self._due = "the robot was put down"
        elif self.is_settled(state):
            self._strange_states = 0
        else:
            self._strange_states += 1
            if self._strange_states > _MAX_STRANGE_STATES and not self._due:
                self._due = "the robot kept counting in another coordinate system"
                self.on_delocalized.emit(self._due)
        if self._due and is_on_treads:
            self._start_due_origin()

    def _start_due_origin(self) -> None:
        """Send a new coordinate system; one that is not sent is tried again with each state."""
        try:
            self._start_origin(self._due)
        except (NotConnected, SendQueueFull) as error:
            if not self._is_failure_told:
                self._is_failure_told = True
                _log.warning("the pose is not sent to the robot yet: %s", error)
        else:
            self._due, self._is_failure_told = "", False

    def _on_setup(self, _: None) -> None:
        self._due, self._is_failure_told = "", False
        self._start_origin("a session began")

    def _start_origin(self, why: str) -> None:
        """Send the robot its pose, in a new coordinate system. The odometry does not jump.

        What it drives is interrupted by this (spec 07 §7). Raises ``NotConnected``,
        ``SendQueueFull``.
        """
        origin_id, pose = next(self._origins), self.pose
        self._session.send(
            messages.AbsoluteLocalizationUpdate(
                pose_frame_id=0,
                pose_origin_id=origin_id,
                pose_x=pose.x * 1000.0,
                pose_y=pose.y * 1000.0,
                heading_angle=pose.yaw,
            )
        )
        self.origin_id, self._strange_states = origin_id, 0
        _log.info("origin %d: %s", origin_id, why)
