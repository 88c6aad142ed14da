"""Pieces of a path: lines, arcs and turns in place, in m and rad (spec 07 §7).

They describe the track of the drive center, whose direction is the robot's heading; driven
backwards (negative speed) the robot faces away from where it goes. The robot itself is given the
track of its origin in its own coordinate system (``own_tracks``).

Every segment has a ``length``, m, points ``start`` and ``end``, the robot's headings there,
``traveled(pose)``, the length behind the robot, and ``transformed(frame)``: the segment, given in
the frame at pose ``frame``, in that pose's parent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...protocol import Message, PathSegmentSpeed, messages
from ..calibration import RobotCalibration
from ..data import Pose2D
from ..errors import check_range
from ..geometry import DRIVE_CENTER_X, MAX_WHEEL_SPEED, MAX_YAW_RATE, TRACK_WIDTH, wrap_angle

PATH_SPEED = 0.100
DEFAULT_REVERSE_SPEED = 0.080
PATH_ACCELERATION = 0.200
DEFAULT_DECELERATION = 0.500
"""m/s and m/s^2 of lines and arcs: the engine's motion profile (spec 07 §7)."""
PATH_TURN_SPEED = 2.0
DEFAULT_TURN_ACCELERATION = 10.0
DEFAULT_TURN_TOLERANCE = 0.035
"""rad/s, rad/s^2 and rad of turns."""
_LEAST_RADIUS, _LARGEST_RADIUS = 0.001, 100.0
_LEAST_LENGTH, _LEAST_SPEED = 1e-6, 0.001
"""m, as a line without any would have no heading; and m/s or rad/s."""
_HALF_CIRCLE = math.radians(170.0)

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """Straight from start to end. Raises ``ValueError``, as the others, for what is impossible."""

    start: Point
    end: Point
    speed: float = PATH_SPEED
    acceleration: float = PATH_ACCELERATION
    deceleration: float = DEFAULT_DECELERATION

    def __post_init__(self) -> None:
        _check_finite("line", *self.start, *self.end)
        _check_profile("line", self.speed, self.acceleration, self.deceleration)

    @property
    def length(self) -> float:
        return math.dist(self.start, self.end)

    @property
    def start_heading(self) -> float:
        (x0, y0), (x1, y1) = self.start, self.end
        return _facing(math.atan2(y1 - y0, x1 - x0), self.speed)

    @property
    def end_heading(self) -> float:
        return self.start_heading

    def traveled(self, pose: Pose2D) -> float:
        (x0, y0), (x1, y1) = self.start, self.end
        if not self.length:
            return 0.0
        along = ((pose.x - x0) * (x1 - x0) + (pose.y - y0) * (y1 - y0)) / self.length
        return min(self.length, max(0.0, along))

    def transformed(self, frame: Pose2D) -> Line:
        return replace(self, start=_moved(frame, self.start), end=_moved(frame, self.end))


@dataclass(frozen=True, slots=True)
class Arc:
    """Around a centre; ``start_angle`` is the direction from there to the first point."""

    center: Point
    radius: float
    start_angle: float
    sweep_angle: float
    """Counter-clockwise positive, at most a full circle."""
    speed: float = PATH_SPEED
    acceleration: float = PATH_ACCELERATION
    deceleration: float = DEFAULT_DECELERATION

    def __post_init__(self) -> None:
        _check_finite("arc", *self.center, self.radius, self.start_angle, self.sweep_angle)
        _check_profile("arc", self.speed, self.acceleration, self.deceleration)
        check_range("an arc's radius", self.radius, _LEAST_RADIUS, _LARGEST_RADIUS, "m")
        if not abs(self.sweep_angle) <= 2 * math.pi + 1e-6:
            raise ValueError(
                f"an arc sweeps at most a full circle, not {self.sweep_angle:.3f} rad; use several"
            )

    @property
    def length(self) -> float:
        return self.radius * abs(self.sweep_angle)

    @property
    def start(self) -> Point:
        return self._point(self.start_angle)

    @property
    def end(self) -> Point:
        return self._point(self.start_angle + self.sweep_angle)

    @property
    def start_heading(self) -> float:
        return self._heading(self.start_angle)

    @property
    def end_heading(self) -> float:
        return self._heading(self.start_angle + self.sweep_angle)

    def traveled(self, pose: Pose2D) -> float:
        angle = math.atan2(pose.y - self.center[1], pose.x - self.center[0])
        sign = math.copysign(1.0, self.sweep_angle)
        middle = abs(self.sweep_angle) / 2
        # Measured from the middle, so that just before the start is not almost a full circle.
        swept = middle + wrap_angle((angle - self.start_angle) * sign - middle)
        return self.radius * min(abs(self.sweep_angle), max(0.0, swept))

    def transformed(self, frame: Pose2D) -> Arc:
        return replace(
            self,
            center=_moved(frame, self.center),
            start_angle=wrap_angle(self.start_angle + frame.yaw),
        )

    def _point(self, angle: float) -> Point:
        return (
            self.center[0] + self.radius * math.cos(angle),
            self.center[1] + self.radius * math.sin(angle),
        )

    def _heading(self, angle: float) -> float:
        direction = angle + math.copysign(math.pi / 2, self.sweep_angle)
        return _facing(wrap_angle(direction), self.speed)


@dataclass(frozen=True, slots=True)
class Turn:
    """In place at a point to a heading, by the shorter way; speeds in rad/s, rad/s^2."""

    center: Point
    target_angle: float
    tolerance: float = DEFAULT_TURN_TOLERANCE
    speed: float = PATH_TURN_SPEED
    acceleration: float = DEFAULT_TURN_ACCELERATION
    deceleration: float = DEFAULT_TURN_ACCELERATION

    def __post_init__(self) -> None:
        _check_finite("turn", *self.center, self.target_angle)
        _check_profile("turn", self.speed, self.acceleration, self.deceleration)
        check_range("a turn's tolerance", self.tolerance, 0.005, math.pi, "rad")

    @property
    def length(self) -> float:
        return 0.0

    @property
    def start(self) -> Point:
        return self.center

    @property
    def end(self) -> Point:
        return self.center

    @property
    def end_heading(self) -> float:
        return self.target_angle

    def traveled(self, _: Pose2D) -> float:
        return 0.0

    def transformed(self, frame: Pose2D) -> Turn:
        return replace(
            self,
            center=_moved(frame, self.center),
            target_angle=wrap_angle(self.target_angle + frame.yaw),
        )


Segment = Line | Arc | Turn


def origin_track(segments: Sequence[Segment], heading: float) -> list[Segment]:
    """Return how the origin moves while the drive center of a robot at ``heading`` moves so."""
    tracks = []
    for segment in segments:
        tracks.append(_seen_from_origin(segment, heading))
        heading = segment.end_heading
    return tracks


def _seen_from_origin(segment: Segment, heading: float) -> Segment:
    if isinstance(segment, Turn):
        return replace(segment, center=_origin(segment.center, heading))
    if isinstance(segment, Line):
        heading = segment.start_heading
        return replace(
            segment, start=_origin(segment.start, heading), end=_origin(segment.end, heading)
        )
    x, y = _origin(segment.start, segment.start_heading)
    return replace(
        segment,
        radius=math.hypot(segment.radius, DRIVE_CENTER_X),
        start_angle=math.atan2(y - segment.center[1], x - segment.center[0]),
    )


def _origin(center: Point, heading: float) -> Point:
    lead = -DRIVE_CENTER_X
    return center[0] + lead * math.cos(heading), center[1] + lead * math.sin(heading)


def own_tracks(
    segments: Sequence[Segment], here: Pose2D, own: Pose2D, calibration: RobotCalibration
) -> list[Segment]:
    """Return what the robot is sent for segments of its drive center, which is ``here``.

    ``own`` is where the robot counts it to be. One that drives or turns further than it counts
    is sent so much less.
    """
    distance, turn = calibration.distance_scale, calibration.turn_scale
    if distance == turn == 1.0:
        frame = own.compose(here.inverse())
        return [track.transformed(frame) for track in origin_track(segments, here.yaw)]
    heading, counted = own.yaw, list[Segment]()
    for segment in segments:
        # Each begins where the last one ends, as the robot counts.
        facing = segment.end_heading if isinstance(segment, Turn) else segment.start_heading
        gap = here.inverse().compose(Pose2D(*segment.start, facing))
        begin = own.compose(Pose2D(gap.x / distance, gap.y / distance, gap.yaw / turn))
        here = Pose2D(*segment.end, segment.end_heading)
        one, own = _counted(segment, begin, distance, turn)
        counted.append(one)
    return origin_track(counted, heading)


def _counted(
    segment: Segment, begin: Pose2D, distance: float, turn: float
) -> tuple[Segment, Pose2D]:
    """Return a segment as the robot counts it from ``begin`` on, and the pose at its end."""
    start = begin.x, begin.y
    if isinstance(segment, Turn):
        return replace(segment, center=start, target_angle=begin.yaw), begin
    if isinstance(segment, Line):
        length = math.copysign(max(segment.length / distance, _LEAST_LENGTH), segment.speed)
        end = begin.compose(Pose2D(length))
        return replace(segment, start=start, end=(end.x, end.y)), end
    angle = segment.start_angle + begin.yaw - segment.start_heading
    radius = min(_LARGEST_RADIUS, max(_LEAST_RADIUS, segment.radius * turn / distance))
    center = begin.x - radius * math.cos(angle), begin.y - radius * math.sin(angle)
    sweep = segment.sweep_angle / turn
    arc = replace(
        segment, center=center, radius=radius, start_angle=wrap_angle(angle), sweep_angle=sweep
    )
    return arc, Pose2D(*arc.end, wrap_angle(begin.yaw + sweep))


def in_halves(segments: Sequence[tuple[int, Segment]], heading: float) -> list[tuple[int, Segment]]:
    """Return numbered segments with turns of about half a circle, and arcs of a whole one, in two.

    As a robot counts that turns less than that, the other way may be the shorter one.
    """
    halves = list[tuple[int, Segment]]()
    for number, segment in segments:
        if isinstance(segment, Turn):
            jump = wrap_angle(segment.target_angle - heading)
            if abs(jump) > _HALF_CIRCLE:
                halves.append((number, replace(segment, target_angle=heading + jump / 2)))
        elif isinstance(segment, Arc) and abs(segment.sweep_angle) > 2 * _HALF_CIRCLE:
            sweep = segment.sweep_angle / 2
            halves.append((number, replace(segment, sweep_angle=sweep)))
            middle = segment.start_angle + sweep
            segment = replace(segment, start_angle=middle, sweep_angle=sweep)
        halves.append((number, segment))
        heading = segment.end_heading
    return halves


def with_turns(
    segments: Sequence[Segment], heading: float, threshold: float, speed: float
) -> list[tuple[int, Segment]]:
    """Return the segments and a turn in place before each one where the heading jumps further.

    With each comes the number of the segment given. ``heading`` is the robot's at the start.
    Lines of no length are left out.
    """
    turned: list[tuple[int, Segment]] = []
    for number, segment in enumerate(segments):
        if isinstance(segment, Line) and segment.length < _LEAST_LENGTH:
            continue
        if not isinstance(segment, Turn) and (
            abs(wrap_angle(segment.start_heading - heading)) > threshold
        ):
            turned.append((number, Turn(segment.start, segment.start_heading, speed=speed)))
        turned.append((number, segment))
        heading = segment.end_heading
    return turned


def expected_duration(
    segments: Sequence[Segment], heading: float, wheel_speed: float, yaw_rate: float
) -> float:
    """Return about how long a robot takes that starts with this heading, s; limits in m/s, rad/s.

    Where they leave no speed, it is that of the slowest one.
    """
    total = 0.0
    for segment in segments:
        length = segment.length
        if isinstance(segment, Turn):
            length = abs(wrap_angle(segment.target_angle - heading))
        speed = max(_LEAST_SPEED, speed_sent(segment, wheel_speed, yaw_rate))
        total += length / speed + speed / segment.acceleration + speed / segment.deceleration
        heading = segment.end_heading
    return total


def speed_sent(segment: Segment, wheel_speed: float, yaw_rate: float) -> float:
    """Return the size of a segment's speed with no tread beyond ``wheel_speed`` m/s and no turn
    beyond ``yaw_rate`` rad/s.
    """
    fastest = yaw_rate if isinstance(segment, Turn) else wheel_speed
    if isinstance(segment, Arc):
        # The outer tread is faster than the middle.
        share = 1.0 + TRACK_WIDTH / 2 / segment.radius
        fastest = min(wheel_speed / share, yaw_rate * segment.radius)
    return min(abs(segment.speed), fastest)


def append_message(segment: Segment, wheel_speed: float, yaw_rate: float) -> Message:
    """Return the message that appends a segment given in the robot's own coordinate system.

    Its speed is limited as in ``speed_sent``.
    """
    speed = speed_sent(segment, wheel_speed, yaw_rate)
    if isinstance(segment, Turn):
        return messages.AppendPathSegmentPointTurn(
            segment.center[0] * 1000.0,
            segment.center[1] * 1000.0,
            segment.target_angle,
            segment.tolerance,
            PathSegmentSpeed(speed, segment.acceleration, segment.deceleration),
            True,
        )
    if isinstance(segment, Line):
        return messages.AppendPathSegmentLine(
            segment.start[0] * 1000.0,
            segment.start[1] * 1000.0,
            segment.end[0] * 1000.0,
            segment.end[1] * 1000.0,
            _profile(segment, speed),
        )
    return messages.AppendPathSegmentArc(
        segment.center[0] * 1000.0,
        segment.center[1] * 1000.0,
        segment.radius * 1000.0,
        segment.start_angle,
        segment.sweep_angle,
        _profile(segment, speed),
    )


def _profile(segment: Line | Arc, speed: float) -> PathSegmentSpeed:
    return PathSegmentSpeed(
        math.copysign(speed, segment.speed) * 1000.0,
        segment.acceleration * 1000.0,
        segment.deceleration * 1000.0,
    )


def _facing(direction: float, speed: float) -> float:
    return direction if speed > 0 else wrap_angle(direction + math.pi)


def _moved(frame: Pose2D, point: Point) -> Point:
    pose = frame.compose(Pose2D(*point))
    return pose.x, pose.y


def _check_finite(what: str, *values: float) -> None:
    if not all(math.isfinite(value) and abs(value) < 1e4 for value in values):
        raise ValueError(f"a {what} has a value that is not finite or absurdly large")


def _check_profile(what: str, speed: float, acceleration: float, deceleration: float) -> None:
    fastest, unit = (MAX_YAW_RATE, "rad/s") if what == "turn" else (MAX_WHEEL_SPEED, "m/s")
    check_range(f"the speed of a {what}", abs(speed), _LEAST_SPEED, fastest + 1e-9, unit)
    check_range(f"the acceleration of a {what}", acceleration, 0.001, 1000.0)
    check_range(f"the deceleration of a {what}", deceleration, 0.001, 1000.0)
