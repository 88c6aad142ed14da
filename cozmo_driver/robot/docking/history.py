"""Where the robot was and how fast it turned, for pictures that come late."""

from __future__ import annotations

import math
from bisect import bisect
from collections import deque

from ..data import Pose2D, RobotState
from ..errors import Reason, Refused

_STATES = 35
"""In somewhat more than a second."""
_FASTEST_TURN = 0.4
"""rad/s; pictures of a body that turned faster place the marker badly."""
_AROUND = 0.06
"""s about the picture's time in which it must not have turned so fast."""


class MovementHistory:
    """The last second; times on the host's monotonic clock, s."""

    def __init__(self) -> None:
        self._states: deque[tuple[float, Pose2D]] = deque(maxlen=_STATES)

    def clear(self) -> None:
        self._states.clear()

    def update(self, state: RobotState, pose: Pose2D) -> None:
        """Take a state and the pose of the robot's origin in the odometry frame, m and rad."""
        self._states.append((state.time, pose))

    def turned_fast(self, time: float) -> bool:
        """Whether a picture of this time shows a body that turned too fast."""
        around = [(at, pose.yaw) for at, pose in self._states if abs(at - time) <= _AROUND]
        if len(around) < 2:
            return False
        (start, before), (end, after) = around[0], around[-1]
        # Not by the gyroscope, whose figures are moments of a body that shakes (spec 18).
        return abs(math.remainder(after - before, 2 * math.pi)) > _FASTEST_TURN * (end - start)

    def pose_at(self, time: float) -> Pose2D:
        """Return the pose of a time, between states by their straight connection.

        Raises ``Refused`` without a robot.
        """
        if not self._states:
            raise Refused(Reason.NOT_CONNECTED, "no robot is ready")
        times = [at for at, _ in self._states]
        after = bisect(times, time)
        if after in (0, len(times)):
            return self._states[min(after, len(times) - 1)][1]
        (start, a), (end, b) = self._states[after - 1], self._states[after]
        share = (time - start) / (end - start)
        there = a.inverse().compose(b)
        return a.compose(Pose2D(share * there.x, share * there.y, share * there.yaw))
