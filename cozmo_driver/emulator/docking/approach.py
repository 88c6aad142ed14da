"""From error signals to where the robot stands before the object (spec 16 §2.2-2.3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ...protocol import DockAction, DockingMethod, PathEventType
from ...protocol.messages import DockingErrorSignal, DockingStatus, PathFollowingEvent
from ..body import CENTER_TO_ORIGIN, Body, Pose2D, wrapped
from ..core import Core, Timer
from ..hardware import DRIVE_CENTER_OFFSET, PATH_DELAY
from ..joints import Joints, lift_angle
from . import figures as f
from .figures import DockFigures, Result, Status

TICK = 0.005
_PATH_ID = 0
_CLOSE = 0.5
_SLOWEST = 10.0
_TURNED = 0.02


class _Mode(Enum):
    LOOKING = "looking"
    DRIVING = "driving"
    TURNING = "turning"
    NUDGING = "nudging"
    REVERSING = "reversing"


@dataclass(frozen=True, slots=True)
class Request:
    """What the robot was asked for."""

    action: DockAction
    figures: DockFigures
    method: DockingMethod
    speed: float
    accel: float
    retries: int
    is_carrying: bool


class Approach:
    """Drives the robot in front of the object that the signals are about."""

    def __init__(
        self, core: Core, body: Body, joints: Joints, on_end: Callable[[Result], None]
    ) -> None:
        """Call ``on_end`` once the robot is there, or cannot get there."""
        self._core, self._body, self._joints, self._on_end = core, body, joints, on_end
        self._mode: _Mode | None = None
        self._ticking = Timer()
        self._speed = self._heading = self._distance = self._delay = 0.0
        self._line = self._block = Pose2D()
        """Where the path leads, for the drive centre; the object's face. By dead reckoning."""
        self._last: DockingErrorSignal | None = None
        self._last_at = self._signal_at = 0.0
        """When that came, and when any did."""
        self._strange = self._failures = 0
        self._lift = 0.0
        self.aside = 0.0
        """Fault: mm to the left that the path is driven beside where it should be."""

    @property
    def is_active(self) -> bool:
        return self._mode is not None

    @property
    def is_pathing(self) -> bool:
        return self._mode in (_Mode.DRIVING, _Mode.NUDGING)

    def start(self, request: Request) -> None:
        self.stop()
        self._request = request
        self._mode, self._signal_at, self._last = _Mode.LOOKING, self._core.now, None
        self._failures = self._strange = 0
        self._cruise, self._accel = request.speed, request.accel
        self._lift = f.LOW
        self._tick()

    def stop(self) -> None:
        """Forget everything; what the treads do is up to the caller."""
        if self.is_pathing:
            self._send(PathEventType.INTERRUPTED)
        self._ticking.cancel()
        self._mode = None

    def end_path(self) -> None:
        """Let a dropped path count as driven to its end."""
        if self.is_pathing:
            self._judge()

    # -- signals

    def on_signal(self, m: DockingErrorSignal) -> None:
        if self._mode not in (_Mode.LOOKING, _Mode.DRIVING):
            return
        is_driving = self._mode is _Mode.DRIVING
        is_blind = self._request.method in (DockingMethod.BLIND, DockingMethod.EVEN_BLINDER)
        if is_driving and (is_blind or self._is_out_of_view()):
            self._signal_at = self._core.now
            return
        if m.z_height > f.HIGHEST:
            self._end(Result.TOO_HIGH)
            return
        if m.x_dist_err <= 0.0 or abs(m.angle_err) >= f.WORST_ANGLE:
            self._look()
            return
        self._signal_at = self._last_at = self._core.now
        self._last = m
        if not is_driving or self._is_replanned(m):
            self._plan(m)

    def _is_replanned(self, m: DockingErrorSignal) -> bool:
        is_there = m.x_dist_err <= self._request.figures.distance + f.ALREADY_DOCKED
        if self._is_blind or (is_there and abs(m.y_hor_err) <= self._tolerance(m)):
            return False
        if self._request.method is DockingMethod.TRACKER:
            return True
        off = self._seen(m).seen_from(self._block)
        is_strange = (
            max(abs(off.x), abs(off.y)) > f.REPLAN_DISTANCE or abs(off.angle) > f.REPLAN_ANGLE
        )
        self._strange = self._strange + 1 if is_strange else 0
        return self._strange >= f.REPLAN_COUNT

    def _seen(self, m: DockingErrorSignal) -> Pose2D:
        """Return the face's pose: as seen from where the robot was when the picture was taken."""
        origin = self._body.reckoned_at(m.timestamp, f.HISTORY).then(CENTER_TO_ORIGIN)
        return origin.then(Pose2D(m.x_dist_err, m.y_hor_err, m.angle_err))

    def _plan(self, m: DockingErrorSignal) -> None:
        self._block, self._strange = self._seen(m), 0
        there = Pose2D(-self._request.figures.distance + DRIVE_CENTER_OFFSET, self.aside)
        self._line = self._block.then(there)
        if self._mode is _Mode.LOOKING:
            self._mode, self._speed = _Mode.DRIVING, 0.0
            self._delay = PATH_DELAY if self._body.wheels.stand else 0.0
            self._send(PathEventType.STARTED)
        head = math.atan((m.z_height - f.HEAD_PIVOT) / m.x_dist_err) + f.HEAD_TILT
        if head > f.LOWEST_HEAD:
            self._joints.head.move_to(head, 0.0, 0.0)

    @staticmethod
    def _tolerance(m: DockingErrorSignal) -> float:
        return f.HIGH_TOLERANCE if m.z_height > f.HIGH_FROM else f.ON_GROUND_TOLERANCE

    @property
    def _ahead(self) -> Pose2D:
        """Where the face should be now, as seen from the robot's origin."""
        return self._block.seen_from(self._body.reckoned.then(CENTER_TO_ORIGIN))

    @property
    def _is_blind(self) -> bool:
        """Whether the robot goes on without signals."""
        no_return = self._request.figures.no_return
        return no_return is not None and self._ahead.x <= no_return

    def _is_out_of_view(self) -> bool:
        face = self._ahead
        if math.hypot(face.x, face.y) <= f.VIEW_FROM:
            return False
        edges = (face.then(Pose2D(0.0, side * f.MARKER / 2)) for side in (-1.0, 1.0))
        return any(abs(math.atan2(edge.y, edge.x)) > f.VIEW_ANGLE for edge in edges)

    # -- driving

    def _tick(self) -> None:
        step = {
            _Mode.LOOKING: self._wait,
            _Mode.DRIVING: self._drive,
            _Mode.TURNING: self._turn,
            _Mode.NUDGING: self._nudge,
            _Mode.REVERSING: self._reverse,
        }
        if self._mode is not None:
            self._ticking = self._core.after(TICK, self._tick)
            step[self._mode]()

    def _wait(self) -> None:
        is_patient = self._request.method is DockingMethod.EVEN_BLINDER
        if not is_patient and self._core.now - self._signal_at > f.LOOKING_TIMEOUT:
            self._end(Result.TOO_LONG)

    def _drive(self) -> None:
        silence = self._core.now - self._signal_at
        is_patient = self._request.method is DockingMethod.EVEN_BLINDER
        if silence > f.LOST_TIMEOUT and not (
            is_patient or self._is_blind or self._is_out_of_view()
        ):
            self._look()
            return
        self._delay -= TICK
        if self._delay > 0.0:
            return
        is_soft = self._request.method is DockingMethod.TRACKER
        if self._follow(self._request.figures.into, self._cruise, self._accel, is_soft):
            self._judge()
        elif self._request.action is DockAction.PICKUP_HIGH:
            self._raise_lift()

    def _follow(self, end: float, cruise: float, accel: float, is_soft: bool) -> bool:
        """Drive along the line to ``end`` mm beyond its pose; return whether it is reached."""
        here = self._body.reckoned.seen_from(self._line)
        left = end - here.x
        if left <= _CLOSE:
            self._body.wheels.servo(0.0, 0.0)
            return True
        braking = math.sqrt(2 * accel * left)
        self._speed = max(min(self._speed + accel * TICK, cruise, braking), _SLOWEST)
        k1, clip = (f.TRACKER_K1, f.TRACKER_ANGLE_CLIP) if is_soft else (f.K1, f.ANGLE_CLIP)
        aside = min(max(here.y, -f.OFFSET_CLIP), f.OFFSET_CLIP)
        askew = min(max(-here.angle, -clip), clip)
        curvature = -k1 * (math.atan(f.K2 * aside / (self._speed + f.SPEED_OFFSET)) - askew)
        self._body.wheels.steer(self._speed, self._speed * curvature)
        return False

    def _raise_lift(self) -> None:
        """Let the lift rise to the upper cube while the robot comes near, and never fall."""
        last = self._last
        ahead, distance = self._ahead.x, self._request.figures.distance
        if last is None or ahead > f.RISE_FROM:
            return
        share = min((f.RISE_FROM - ahead) / (f.RISE_FROM - distance), 1.0)
        top = last.z_height - abs(last.z_height - f.HIGH_FROM) / 10.0
        height = min(f.LOW + share * (top - f.LOW), f.RISE_LIMIT)
        # A lift at rest would not start if it were told anew all the time.
        if height > self._lift + (f.RISE_STEP if share < 1.0 else 0.0):
            self._lift = height
            self._joints.lift.move_to(lift_angle(height), f.LIFT_SPEED, f.LIFT_ACCEL)

    def _look(self) -> None:
        """Stop, and wait for signals that tell where to go."""
        if self._mode is _Mode.DRIVING:
            self._send(PathEventType.INTERRUPTED)
            self._body.wheels.servo(0.0, 0.0)
        self._mode = _Mode.LOOKING

    # -- the end

    def _judge(self) -> None:
        """Tell whether the robot is where it should be, or nudges, or tries again."""
        has_nudged = self._mode is _Mode.NUDGING
        self._mode = _Mode.LOOKING
        self._send(PathEventType.COMPLETED)
        self._body.wheels.servo(0.0, 0.0)
        if has_nudged:
            self._end(Result.SUCCESS_NUDGE)
            return
        is_there, is_near = self._position()
        if is_there:
            self._end(Result.SUCCESS_RETRY if self._failures else Result.SUCCESS)
        elif is_near and not self._request.figures.is_nudged:
            self._end(Result.SUCCESS)
        elif is_near and not self._request.is_carrying:
            self._start_nudge()
        else:
            self._fail()

    def _position(self) -> tuple[bool, bool]:
        """Return whether the robot is in position, and whether it is near enough for a nudge."""
        request, last = self._request, self._last
        if request.method in (DockingMethod.BLIND, DockingMethod.EVEN_BLINDER) or last is None:
            return True, True
        figures = request.figures
        if self._core.now - self._last_at <= f.FRESH:
            no_return = figures.no_return or figures.distance + f.ALREADY_DOCKED
            margin = f.HYBRID_MARGIN if request.method is DockingMethod.HYBRID else 0.0
            off = last.x_dist_err, abs(last.y_hor_err), abs(last.angle_err)
            limits = no_return + margin, self._tolerance(last), f.FRESH_ANGLE
            near = no_return + f.NUDGE_MARGIN, f.NUDGE_ASIDE, f.NUDGE_ANGLE
        else:
            here = self._body.reckoned.seen_from(self._line)
            off = -here.x, abs(here.y), abs(here.angle)
            limits, near = f.STALE_LIMITS, f.STALE_NUDGE

        def is_within(bounds: tuple[float, float, float]) -> bool:
            return all(value <= bound for value, bound in zip(off, bounds, strict=True))

        return is_within(limits), is_within(near)

    def _start_nudge(self) -> None:
        """Turn towards the object's side, and go there at full speed by half that angle."""
        self._core.send(DockingStatus(self._core.timestamp, Status.NUDGE))
        here = self._body.reckoned
        side = math.copysign(1.0, self._ahead.y if self._last is None else self._last.y_hor_err)
        self._mode, self._heading = _Mode.TURNING, wrapped(here.angle + side * f.NUDGE_TURN)
        self._line = Pose2D(here.x, here.y, wrapped(here.angle + side * f.NUDGE_TURN / 2))

    def _turn(self) -> None:
        left = wrapped(self._heading - self._body.reckoned.angle)
        if abs(left) > _TURNED:
            rate = min(f.NUDGE_TURN_RATE, abs(left) / (2 * TICK))
            self._body.wheels.steer(0.0, math.copysign(rate, left))
            return
        self._mode, self._speed = _Mode.NUDGING, 0.0
        self._send(PathEventType.STARTED)

    def _nudge(self) -> None:
        if self._follow(f.NUDGE_DISTANCE, f.NUDGE_SPEED, f.NUDGE_SPEED * 10, is_soft=True):
            self._judge()

    def _fail(self) -> None:
        self._core.send(DockingStatus(self._core.timestamp, Status.BACKING_UP))
        self._failures += 1
        if self._failures > self._request.retries:
            self._end(Result.RETRY_FAILURE)
            return
        self._mode, self._distance = _Mode.REVERSING, f.REVERSE_DISTANCE
        figures = self._request.figures
        if figures.lift is not None and not self._request.is_carrying:
            self._joints.lift.move_to(lift_angle(figures.lift), 0.0, 0.0, 1.0)

    def _reverse(self) -> None:
        self._distance -= f.REVERSE_SPEED * TICK
        if self._distance > 0.0:
            self._body.wheels.servo(-f.REVERSE_SPEED, -f.REVERSE_SPEED)
            return
        self._body.wheels.servo(0.0, 0.0)
        if self._request.method is DockingMethod.HYBRID:
            self._end(Result.RETRY_FAILURE)
            return
        self._cruise, self._accel = f.RETRY_SPEED, f.RETRY_ACCEL
        self._mode, self._signal_at = _Mode.LOOKING, self._core.now

    def _end(self, result: Result) -> None:
        self.stop()
        self._body.wheels.servo(0.0, 0.0)
        self._on_end(result)

    def _send(self, event: PathEventType) -> None:
        self._core.send(PathFollowingEvent(_PATH_ID, event))
