"""The path follower: a queue of segments, driven one after the other (spec 07 §7).

Millimetres and radians in the frame that the robot reports in. The track is that of the robot's
origin, 20 mm ahead of the point it turns about (spec 07 §1).
"""

from __future__ import annotations

import math

from ..protocol import PathEventType, PathSegmentSpeed, messages
from ..protocol.messages import AppendPathSegmentArc as Arc
from ..protocol.messages import AppendPathSegmentLine as Line
from ..protocol.messages import AppendPathSegmentPointTurn as PointTurn
from .body import Body, Pose2D, wrapped
from .core import Core, Timer
from .hardware import DRIVE_CENTER_OFFSET, PATH_DELAY, TURN_VIGOUR

LEAD = -DRIVE_CENTER_OFFSET
"""mm from the point the robot turns about to its origin."""
MAX_RATE = 4.0
"""rad/s while driving."""
_REACH = 40.0
"""mm within which an error beside the track is steered away."""
_REVERSE_GAIN = 8.0
DEAD_BAND = 0.005
"""rad; a heading this close is reached."""
_SLOWEST_TURN = 0.05
CAPACITY = 16
"""Segments that the robot can hold; more are dropped. What the real robot holds is not known."""
TICK = 0.005
_SLOWEST = 10.0
_CLOSE = 0.5
"""mm before its end at which a segment is done."""
_SMOOTH = math.radians(45.0)
"""Segments that meet at a smaller angle are driven through without a stop."""

Track = Line | Arc
Segment = Track | PointTurn


def _place(track: Track, x: float, y: float, radius: float) -> tuple[float, float, float, float]:
    """Return what is left, the error to the left of travel, the direction, the curvature.

    Of a point, mm, that on an arc shall keep ``radius`` from the centre.
    """
    if isinstance(track, Line):
        direction = directions(track)[0]
        c, s = math.cos(direction), math.sin(direction)
        dx, dy = x - track.x_end_mm, y - track.y_end_mm
        return -(c * dx + s * dy), -s * dx + c * dy, direction, 0.0
    sign = math.copysign(1.0, track.sweep_rad)
    dx, dy = x - track.x_center_mm, y - track.y_center_mm
    angle = math.atan2(dy, dx)
    middle = abs(track.sweep_rad) / 2
    swept = middle + wrapped((angle - track.start_rad) * sign - middle)
    left = (abs(track.sweep_rad) - swept) * track.radius_mm
    return left, sign * (radius - math.hypot(dx, dy)), angle + sign * math.pi / 2, sign / radius


def _radius(track: Track) -> float:
    return track.radius_mm if isinstance(track, Arc) else 0.0


def directions(track: Track) -> tuple[float, float]:
    """Return the directions of travel at the start and the end, rad."""
    if isinstance(track, Line):
        direction = math.atan2(track.y_end_mm - track.y_start_mm, track.x_end_mm - track.x_start_mm)
        return direction, direction
    start = track.start_rad + math.copysign(math.pi / 2, track.sweep_rad)
    return start, start + track.sweep_rad


def steer(track: Track, pose: Pose2D, speed: float) -> tuple[float, float]:
    """Return forward speed in mm/s and turn rate in rad/s that keep the robot on its track."""
    radius = _radius(track)
    if track.speed.speed_mmps >= 0.0:
        _, error, direction, _ = _place(track, pose.x, pose.y, radius)
        angle = wrapped(direction - math.atan(error / _REACH) - pose.angle)
        if abs(angle) > math.pi / 2:
            return 0.0, math.copysign(MAX_RATE, angle)
        rate = speed * math.sin(angle) / LEAD
        return speed * math.cos(angle), min(max(rate, -MAX_RATE), MAX_RATE)
    # Backwards, steering by the origin would be unstable: the point it turns about goes ahead.
    x = pose.x - LEAD * math.cos(pose.angle)
    y = pose.y - LEAD * math.sin(pose.angle)
    radius = math.sqrt(max(radius**2 - LEAD**2, 1.0))
    _, error, direction, curvature = _place(track, x, y, radius)
    heading = direction + math.pi - math.atan(error / _REACH)
    rate = speed * curvature + _REVERSE_GAIN * wrapped(heading - pose.angle)
    return -speed, min(max(rate, -MAX_RATE), MAX_RATE)


def turn_rate(error: float, rate: float, profile: PathSegmentSpeed, dt: float) -> float:
    """Return the rate, rad/s, to turn away ``error`` rad, from the current ``rate``; 0 at rest."""
    if abs(error) <= DEAD_BAND:
        return 0.0
    braking = math.sqrt(2 * profile.decel_mmps2 * abs(error))
    target = math.copysign(max(min(abs(profile.speed_mmps), braking), _SLOWEST_TURN), error)
    change = max(profile.accel_mmps2 * dt, _SLOWEST_TURN)
    return min(max(target, rate - change), rate + change)


class PathFollower:
    """Drives paths and turns to headings; any other motion command interrupts it."""

    def __init__(self, core: Core, body: Body) -> None:
        self._core, self._body = core, body
        self.dropped = 0
        """Segments for which there was no room, or with a speed that is no number."""
        self.longest_queue = 0
        """Most segments ever held."""
        self.trim_shifts_index = False
        """Whether the reported index counts from what ``TrimPath`` left; not known of robots."""
        self._segments: list[Segment] = []
        self._position = self._finished = 0
        self._path_id: int | None = None
        self._turn: PointTurn | None = None
        self._speed = self._rate = 0.0
        self._ticking = Timer()
        core.handle(messages.ClearPath, lambda _: self.interrupt())
        core.handle(Line, self._on_segment)
        core.handle(Arc, self._on_segment)
        core.handle(PointTurn, self._on_segment)
        core.handle(messages.TrimPath, self._on_trim)
        core.handle(messages.ExecutePath, self._on_execute)
        core.handle(messages.SetBodyAngle, self._on_body_angle)
        core.handle(messages.StopAllMotors, lambda _: self.interrupt())
        core.handle(messages.AbsoluteLocalizationUpdate, lambda _: self.interrupt())
        for command in (
            messages.DriveWheels,
            messages.DriveWheelsCurvature,
            messages.TurnInPlaceAtSpeed,
        ):
            core.handle(command, lambda _: self.interrupt(stop=False))
        core.when_disconnected(self._forget)

    @property
    def is_pathing(self) -> bool:
        return self._path_id is not None

    @property
    def reported_index(self) -> int:
        """Index of the segment being driven as RobotState has it: 8 bits, -1 for none."""
        if self._path_id is None:
            return -1
        index = self._position if self.trim_shifts_index else self._finished
        return (index + 128) % 256 - 128

    def interrupt(self, stop: bool = True) -> None:
        """End what is driven and forget the path; ``stop`` halts the treads too."""
        was_active = self._path_id is not None or self._turn is not None
        self._end(PathEventType.INTERRUPTED)
        if was_active and stop:
            self._body.wheels.stop()

    # -- messages

    def _on_segment(self, segment: Segment) -> None:
        speed, accel, decel = segment.speed
        if len(self._segments) >= CAPACITY or not all(map(math.isfinite, segment.speed)):
            self.dropped += 1
            return
        profile = PathSegmentSpeed(speed, abs(accel) or 200.0, abs(decel) or 500.0)
        if isinstance(segment, Arc):
            segment = segment._replace(radius_mm=max(abs(segment.radius_mm), 1.0))
        self._segments.append(segment._replace(speed=profile))
        self.longest_queue = max(self.longest_queue, len(self._segments))

    def _on_trim(self, m: messages.TrimPath) -> None:
        """Delete finished segments and those at the end that are not yet driven."""
        front = min(m.num_pop_front, self._position)
        del self._segments[:front]
        self._position -= front
        keep = max(len(self._segments) - m.num_pop_back, self._position + self.is_pathing)
        del self._segments[keep:]

    def _on_execute(self, m: messages.ExecutePath) -> None:
        self._send(PathEventType.INTERRUPTED)
        self._turn = None
        self._path_id = m.path_id
        self._position = self._finished = 0
        self._send(PathEventType.STARTED)
        if self._body.is_lifted:
            self.interrupt()
            return
        self._start()

    def _on_body_angle(self, m: messages.SetBodyAngle) -> None:
        """Turn to a heading, by the shorter way or in the direction of the speed's sign."""
        self.interrupt(stop=False)
        self._core.send(messages.MotorActionAck(m.action_id))
        accel = (abs(m.accel_rad_per_sec2) or 10.0) * TURN_VIGOUR
        profile = PathSegmentSpeed(m.max_speed_rad_per_sec, accel, 10.0)
        self._turn = PointTurn(0.0, 0.0, m.angle_rad, m.angle_tolerance_rad, profile)
        self._start()

    # -- driving

    def _start(self) -> None:
        self._speed = self._rate = 0.0
        self._ticking.cancel()
        delay = 0.0 if self._body.wheels.left.speed or self._body.wheels.right.speed else PATH_DELAY
        self._ticking = self._core.after(delay, self._tick)

    def _tick(self) -> None:
        if self._turn is not None:
            is_done = self._turn_on(self._turn)
        else:
            self._drive_on()
            is_done = self._position >= len(self._segments)
        if is_done:
            self._body.wheels.servo(0.0, 0.0)
            self._end(PathEventType.COMPLETED)
            return
        self._ticking = self._core.after(TICK, self._tick)

    def _drive_on(self) -> None:
        if self._position >= len(self._segments):
            return
        segment = self._segments[self._position]
        done = self._turn_on(segment) if isinstance(segment, PointTurn) else self._follow(segment)
        if done:
            self._position += 1
            self._finished += 1

    def _turn_on(self, turn: PointTurn) -> bool:
        """Turn on; return whether the heading is reached and the robot at rest."""
        error = wrapped(turn.target_angle_rad - self._body.reported_pose.angle)
        self._speed = 0.0
        self._rate = turn_rate(error, self._rate, turn.speed, TICK)
        self._body.wheels.steer(0.0, self._rate)
        wheels = self._body.wheels
        return not (self._rate or wheels.left.speed or wheels.right.speed)

    def _follow(self, segment: Track) -> bool:
        pose = self._body.reported_pose
        left = _place(segment, pose.x, pose.y, _radius(segment))[0]
        at_end = self._end_speed(segment)
        if left <= _CLOSE + at_end * TICK:
            if not at_end:
                self._speed = 0.0
                self._body.wheels.steer(0.0, 0.0)
            return True
        profile = segment.speed
        braking = math.sqrt(at_end**2 + 2 * profile.decel_mmps2 * left)
        speed = min(self._speed + profile.accel_mmps2 * TICK, abs(profile.speed_mmps), braking)
        self._speed = max(speed, _SLOWEST)
        self._body.wheels.steer(*steer(segment, pose, self._speed))
        return False

    def _end_speed(self, segment: Track) -> float:
        """Return the speed at the end of a segment: not 0 where the next one goes on."""
        following = self._segments[self._position + 1 : self._position + 2]
        after = following[0] if following else None
        if after is None or isinstance(after, PointTurn):
            return 0.0
        if after.speed.speed_mmps * segment.speed.speed_mmps <= 0.0:
            return 0.0
        if abs(wrapped(directions(after)[0] - directions(segment)[1])) > _SMOOTH:
            return 0.0
        return min(abs(segment.speed.speed_mmps), abs(after.speed.speed_mmps))

    def _end(self, event: PathEventType) -> None:
        self._send(event)
        self._forget()

    def _forget(self) -> None:
        self._ticking.cancel()
        self._path_id = self._turn = None
        self._segments.clear()
        self._position = self._finished = 0

    def _send(self, event: PathEventType) -> None:
        if self._path_id is not None:
            self._core.send(messages.PathFollowingEvent(self._path_id, event))
