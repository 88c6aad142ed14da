"""Odometry that never jumps, and how little it can be trusted (spec 07 §10)."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from .calibration import RobotCalibration
from .data import DRIVE_CENTER, OffTreads, Pose2D, RobotState
from .geometry import EFFECTIVE_TRACK_WIDTH

_DISTANCE = 0.02
"""Standard deviation in x and y per distance. Over 0.6 to 6.4 m with turns the pose was found 10 to
18 mm off per m; this expects 28 mm of both axes together, as many turns make it worse."""
_TURN = 1e-3
"""Variance of the heading per turn, rad^2/rad: 0.08 rad for one turn around, after which 0.085 were
found. The gyro errs by 1.3 % of a turn, to the other side in turns to the other side."""
_STEADY = 0.002
"""Of a turn: by how much the gyroscope errs beside its scale. An estimate."""
_SWING = 1e-3
"""To both sides, in which a heading that swings does not count as turning, rad: of a robot that
stands it wanders within 0.0003, after a stop by 0.0005 (spec 18). Slow turns leave it, too."""
SLIP = 0.05, 0.05
"""Standard deviations, m and rad: slip is noticed up to half a second late, at 0.1 m/s."""
_TURNED = 0.1
"""Time that the turn rate is a mean of, s. A gyroscope's figure is one moment of a body that swings
by 0.033 rad/s while it drives (spec 18); of the heading over 90 ms it is 0.016 rad/s."""
_ANY_HEADING = math.pi / math.sqrt(3)
"""Standard deviation of a heading that nothing is known of, rad."""
_CARRIED = 0.5, _ANY_HEADING
"""As of slip: as far as an arm reaches, and whichever way round."""
UNLINKED = 5.0
"""s that a robot goes on driving as it did after it heard the last of the driver (spec 01 §5)."""
_BEND = 0.2
"""Standard deviation of what unequal treads turn a robot whose driving nobody trims, rad/m. An
estimate: 1 % between them."""


class PoseUncertainty:
    """Variances of the pose, which grow, and the scale of the velocity's, which falls back to 1."""

    def __init__(self) -> None:
        self.turn_deviation = math.inf
        """Standard deviation of the turn scale; infinite where it was not measured."""
        self.inflation, self.duration = 100.0, 2.0
        """What the scale jumps to, at least 1, and how long it takes to fall back, s."""
        self._disturbed_at = -math.inf
        self._is_carried = self._is_slipping = False
        self.reset()

    def reset(self) -> None:
        self._position = self._heading = self._turn_variance = 0.0
        self._swing = 0.0
        """How far the heading is from that up to which turns are counted."""

    @property
    def position_variance(self) -> float:
        """Of x and of y, m^2."""
        return self._position**2

    @property
    def heading_variance(self) -> float:
        """In rad^2."""
        return min(self._heading**2 + self._turn_variance, _ANY_HEADING**2)

    def update(self, time: float, *, is_carried: bool, is_slipping: bool) -> float:
        """Take what befalls the robot at ``time``, s; return the scale of the velocity's."""
        if is_carried and not self._is_carried:
            self.disturb(*_CARRIED)
        if is_slipping and not self._is_slipping:
            self.disturb(*SLIP)
        self._is_carried, self._is_slipping = is_carried, is_slipping
        if is_carried or is_slipping:
            self._disturbed_at = time
            return self.inflation
        age = time - self._disturbed_at
        if age >= self.duration:
            return 1.0
        return float(self.inflation ** (1.0 - max(0.0, age) / self.duration))

    def move(self, before: Pose2D, after: Pose2D) -> None:
        """Add a step of the robot's origin.

        The errors of the heading that turns cause are in ``_DISTANCE``, others lead astray from it.
        """
        a = _center(before, before.yaw - self._swing)
        swing = self._swing + math.remainder(after.yaw - before.yaw, 2 * math.pi)
        self._swing = min(max(swing, -_SWING), _SWING)
        b = _center(after, after.yaw - self._swing)
        self._position += (_DISTANCE + self._heading) * math.dist((a.x, a.y), (b.x, b.y))
        turned = abs(swing - self._swing)
        # Of one turn around as by the scale's deviation, as ``_TURN`` is by that of all robots.
        measured = 2 * math.pi * (self.turn_deviation**2 + _STEADY**2)
        self._turn_variance += min(_TURN, measured) * turned

    def disturb(self, position: float, heading: float) -> None:
        """Add what moved the robot unseen: standard deviations, m and rad."""
        self._position += position
        self._heading = min(self._heading + heading, _ANY_HEADING)


def _center(origin: Pose2D, yaw: float) -> Pose2D:
    return Pose2D(origin.x, origin.y, yaw).compose(DRIVE_CENTER)


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
    """Follows the robot's pose through new origins, frames, sessions and pick-ups (spec 07 §10).

    What the robot counts is corrected by its calibration, step by step.
    """

    def __init__(self) -> None:
        self.pose = Pose2D()
        self.origin = Pose2D()
        """Pose of the robot's own coordinate system in the odometry frame, as of the last state:
        it moves where the robot counts wrong."""
        self.uncertainty = PoseUncertainty()
        self._calibration = RobotCalibration()
        self._unset = Pose2D()
        """Pose of the odometry frame in the one that it would be, had nobody set it."""
        self._key: tuple[int, int] | None = None
        self._system: tuple[int, int] | None = None
        """The last key, which stays where the odometry is set."""
        self._own = Pose2D()
        """As the robot counts it, in the last state."""
        self._headings: deque[tuple[float, float]] = deque()
        """Times and headings of the latest states in one frame, s and rad."""
        self._last: RobotState | None = None
        """None off the treads, and where the pose was set since."""

    @property
    def driven(self) -> Pose2D:
        """As ``pose``, had nobody set it: from one to the next leads what was driven."""
        return self._unset.compose(self.origin).compose(self._own)

    @property
    def calibration(self) -> RobotCalibration:
        return self._calibration

    @calibration.setter
    def calibration(self, calibration: RobotCalibration) -> None:
        """Use other scales from the next state on."""
        self._calibration = calibration
        turn = calibration.measured.get("turn_scale")
        self.uncertainty.turn_deviation = math.inf if turn is None else turn.deviation

    def rebase(self, pose: Pose2D | None = None) -> None:
        """Let the next state stand at ``pose``, by default where the last one stood.

        The latter in a new session: what the robot drove since then was not seen.
        """
        if pose is not None:
            self.pose = pose
            self.uncertainty.reset()
            self._last = None
        self._key = None

    def update(self, state: RobotState, *, is_slipping: bool = False) -> Odometry:
        """Return the odometry after a state, of a robot whose treads slip or not."""
        key = (state.origin_id, state.frame_id)
        is_still = False
        is_frozen = state.off_treads is not OffTreads.ON_TREADS
        if self._key is None and self._last is not None:
            self._doubt(self._last, state.time)
        self._last = None if is_frozen else state
        scale = self.uncertainty.update(state.time, is_carried=is_frozen, is_slipping=is_slipping)
        if is_frozen:
            self._key = None
            return self._odometry(state.time, 0.0, 0.0, True, scale)
        if key != self._key:
            origin = self.pose.compose(state.pose.inverse())
            if key == self._system:
                self._unset = self._unset.compose(self.origin).compose(origin.inverse())
            self._key = self._system = key
            self._headings.clear()
            self.origin = origin
        else:
            here = self._followed(state.pose)
            self.uncertainty.move(self.pose, here)
            self.pose = here
            is_still = (state.pose.x, state.pose.y) == (self._own.x, self._own.y)
        self._own = state.pose
        # After a stop the speeds of its last moment are reported for 0.2 s (spec 18).
        linear = 0.0 if is_still else state.speed
        linear *= self._calibration.distance_scale
        angular = self._turn_rate(state) * self._calibration.turn_scale
        return self._odometry(state.time, linear, angular, False, scale)

    def _doubt(self, last: RobotState, time: float) -> None:
        """Count in that the treads may have gone on as in ``last``, for as long as they can."""
        left, right = last.left_wheel_speed, last.right_wheel_speed
        unseen = min(UNLINKED, max(0.0, time - last.time))
        driven = abs(left + right) / 2 * unseen
        turned = abs(right - left) / EFFECTIVE_TRACK_WIDTH * unseen
        self.uncertainty.disturb(driven, turned + _BEND * driven)

    def _followed(self, own: Pose2D) -> Pose2D:
        """Return where the robot is now that it counts itself at ``own``."""
        distance, turn = self._calibration.distance_scale, self._calibration.turn_scale
        if distance == turn == 1.0:
            return self.origin.compose(own)
        before, after = self._own.compose(DRIVE_CENTER), own.compose(DRIVE_CENTER)
        step = scaled_step(before.inverse().compose(after), distance, turn)
        center = self.pose.compose(DRIVE_CENTER).compose(step)
        here = center.compose(DRIVE_CENTER.inverse())
        self.origin = here.compose(own.inverse())
        return here

    def _turn_rate(self, state: RobotState) -> float:
        """Return the mean of the last tenth of a second, rad/s."""
        headings = self._headings
        headings.append((state.robot_time, state.pose.yaw))
        while len(headings) > 2 and state.robot_time - headings[0][0] > _TURNED:
            headings.popleft()
        (start, before), (end, now) = headings[0], headings[-1]
        return math.remainder(now - before, 2 * math.pi) / (end - start) if end > start else 0.0

    def _odometry(
        self, time: float, linear: float, angular: float, is_frozen: bool, scale: float
    ) -> Odometry:
        position, heading = self.uncertainty.position_variance, self.uncertainty.heading_variance
        return Odometry(time, self.pose, linear, angular, is_frozen, scale, position, heading)


def scaled_step(step: Pose2D, distance: float, turn: float) -> Pose2D:
    """Return a short step of the drive center, distance and turn so many times as large.

    Half of what it turns more comes before the distance.
    """
    before = Pose2D(yaw=step.yaw * (turn - 1.0) / 2)
    moved = before.compose(Pose2D(distance * step.x, distance * step.y))
    return Pose2D(moved.x, moved.y, step.yaw * turn)
