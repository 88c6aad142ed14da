"""The robot's path follower: a queue of segments, driven one after the other (spec 07 §7)."""

from __future__ import annotations

import math
from dataclasses import astuple

from ..protocol.enums import PathEventType
from ..protocol.messages import (
    AbsoluteLocalizationUpdate,
    AppendPathSegmentArc,
    AppendPathSegmentLine,
    AppendPathSegmentPointTurn,
    ClearPath,
    DriveWheels,
    DriveWheelsCurvature,
    ExecutePath,
    MotorActionAck,
    PathFollowingEvent,
    SetBodyAngle,
    StopAllMotors,
    TrimPath,
    TurnInPlaceAtSpeed,
)
from ..protocol.structs import PathSegmentSpeed
from .body import Body, wrapped
from .core import Core
from .path_tracking import (
    Arc,
    Line,
    PointTurn,
    Segment,
    Speed,
    direction_at_ends,
    remaining,
    steer,
    turn_rate,
)
from .wheels import EFFECTIVE_TRACK, MAX_ACCEL, Wheels

CAPACITY = 16
"""Segments that the robot can hold; more are dropped. What the real robot holds is not known."""
TICK = 0.005
_SLOWEST = 10.0
_CLOSE = 0.5
"""mm before its end at which a segment is done."""
_SMOOTH = math.radians(45.0)
"""Segments that meet at a smaller angle are driven through without a stop."""


class PathFollower:
    """Drives paths and turns to headings; any other motion command interrupts it."""

    def __init__(self, core: Core, wheels: Wheels, body: Body) -> None:
        """Take part in the connection."""
        self._core, self._wheels, self._body = core, wheels, body
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
        self._runs = 0
        core.handle(ClearPath, lambda _: self.interrupt())
        core.handle(AppendPathSegmentLine, self._append_line)
        core.handle(AppendPathSegmentArc, self._append_arc)
        core.handle(AppendPathSegmentPointTurn, self._append_turn)
        core.handle(TrimPath, self._trim)
        core.handle(ExecutePath, self._execute)
        core.handle(SetBodyAngle, self._set_body_angle)
        core.handle(StopAllMotors, lambda _: self.interrupt())
        core.handle(AbsoluteLocalizationUpdate, lambda _: self.interrupt())
        for command in (DriveWheels, DriveWheelsCurvature, TurnInPlaceAtSpeed):
            core.handle(command, lambda _: self.interrupt(stop=False))
        core.when_disconnected(self._forget)

    @property
    def is_pathing(self) -> bool:
        """Whether a path is being driven: IS_PATHING."""
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
            self._wheels.stop()

    # -- messages

    def _append(self, segment: Segment) -> None:
        if len(self._segments) >= CAPACITY or not all(map(math.isfinite, astuple(segment.profile))):
            self.dropped += 1
            return
        self._segments.append(segment)
        self.longest_queue = max(self.longest_queue, len(self._segments))

    def _append_line(self, m: AppendPathSegmentLine) -> None:
        self._append(Line(m.x_start_mm, m.y_start_mm, m.x_end_mm, m.y_end_mm, _profile(m.speed)))

    def _append_arc(self, m: AppendPathSegmentArc) -> None:
        self._append(
            Arc(
                m.x_center_mm,
                m.y_center_mm,
                max(abs(m.radius_mm), 1.0),
                m.start_rad,
                m.sweep_rad,
                _profile(m.speed),
            )
        )

    def _append_turn(self, m: AppendPathSegmentPointTurn) -> None:
        self._append(PointTurn(wrapped(m.target_angle_rad), _profile(m.speed)))

    def _trim(self, m: TrimPath) -> None:
        """Delete finished segments and those at the end that are not yet driven."""
        front = min(m.num_pop_front, self._position)
        del self._segments[:front]
        self._position -= front
        keep = max(len(self._segments) - m.num_pop_back, self._position + self.is_pathing)
        del self._segments[keep:]

    def _execute(self, m: ExecutePath) -> None:
        if self._path_id is not None:
            self._send(PathEventType.INTERRUPTED)
        self._turn = None
        self._path_id = m.path_id
        self._position = self._finished = 0
        self._send(PathEventType.STARTED)
        if self._body.is_lifted:
            self.interrupt()
            return
        self._start()

    def _set_body_angle(self, m: SetBodyAngle) -> None:
        """Turn to a heading, by the shorter way or in the direction of the speed's sign."""
        self.interrupt(stop=False)
        self._core.send(MotorActionAck(m.action_id))
        profile = Speed(m.max_speed_rad_per_sec, abs(m.accel_rad_per_sec2) or 10.0, 10.0)
        self._turn = PointTurn(wrapped(m.angle_rad), profile)
        self._start()

    # -- driving

    def _start(self) -> None:
        self._speed = self._rate = 0.0
        self._runs += 1
        run = self._runs
        self._core.after(0.0, lambda: self._tick(run))

    def _tick(self, run: int) -> None:
        if run != self._runs or (self._path_id is None and self._turn is None):
            return
        if self._turn is not None:
            is_done = self._turn_on(self._turn)
        else:
            self._drive_on()
            is_done = self._position >= len(self._segments)
        if is_done:
            self._wheels.stop()
            self._end(PathEventType.COMPLETED)
            return
        self._core.after(TICK, lambda: self._tick(run))

    def _drive_on(self) -> None:
        """Move on along the present segment; go to the next one at its end."""
        if self._position >= len(self._segments):
            return
        segment = self._segments[self._position]
        done = self._turn_on(segment) if isinstance(segment, PointTurn) else self._follow(segment)
        if done:
            self._position += 1
            self._finished += 1

    def _turn_on(self, turn: PointTurn) -> bool:
        """Turn on; return whether the heading is reached and the robot at rest."""
        error = wrapped(turn.angle - self._body.reported_pose.angle)
        self._speed = 0.0
        self._rate = turn_rate(error, self._rate, turn.profile, TICK)
        self._drive(0.0, self._rate)
        return self._rate == 0.0 and not self._wheels.left.speed and not self._wheels.right.speed

    def _follow(self, segment: Line | Arc) -> bool:
        pose = self._body.reported_pose
        left = remaining(segment, pose)
        at_end = self._end_speed(segment)
        if left <= _CLOSE + at_end * TICK:
            if not at_end:
                self._speed = 0.0
                self._drive(0.0, 0.0)
            return True
        profile = segment.profile
        braking = math.sqrt(at_end**2 + 2 * profile.decel * left)
        speed = min(self._speed + profile.accel * TICK, abs(profile.speed), braking)
        self._speed = max(speed, _SLOWEST)
        self._drive(*steer(segment, pose, self._speed))
        return False

    def _end_speed(self, segment: Line | Arc) -> float:
        """Return the speed at the end of a segment: not 0 where the next one goes on."""
        following = self._segments[self._position + 1 : self._position + 2]
        after = following[0] if following else None
        if after is None or isinstance(after, PointTurn):
            return 0.0
        if after.profile.speed * segment.profile.speed <= 0.0:
            return 0.0
        if abs(wrapped(direction_at_ends(after)[0] - direction_at_ends(segment)[1])) > _SMOOTH:
            return 0.0
        return min(abs(segment.profile.speed), abs(after.profile.speed))

    def _drive(self, speed: float, rate: float) -> None:
        difference = rate * EFFECTIVE_TRACK / 2
        self._wheels.drive(speed - difference, speed + difference, MAX_ACCEL, MAX_ACCEL)

    def _end(self, event: PathEventType) -> None:
        if self._path_id is not None:
            self._send(event)
        self._forget()

    def _forget(self) -> None:
        self._path_id = self._turn = None
        self._segments.clear()
        self._position = self._finished = 0

    def _send(self, event: PathEventType) -> None:
        assert self._path_id is not None
        self._core.send(PathFollowingEvent(self._path_id, event))


def _profile(speed: PathSegmentSpeed) -> Speed:
    return Speed(speed.speed_mmps, abs(speed.accel_mmps2) or 200.0, abs(speed.decel_mmps2) or 500.0)
