"""Detects that the body does not follow its treads: held, blocked or slipping (spec 10 §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from ..protocol.enums import RobotStatusFlag as Flag
from .data import RobotState
from .geometry import EFFECTIVE_TRACK_WIDTH

_SLOWEST = 0.020
"""Treads that are together slower than this are not judged, m/s."""
_STILL = 0.174533
"""Yaw rate below which the body counts as not turning, rad/s."""
_MISMATCH = 0.2
_MIN_COUNT = 10
_LEAST_SPEED = 1e-8
_NOT_DRIVING_FREELY = Flag.IS_PICKED_UP | Flag.IS_ON_CHARGER | Flag.CLIFF_DETECTED


class Movement(IntEnum):
    """What the body did instead of following the treads; values of ``RobotEvent.movement``."""

    NONE = 0
    TURNED_BUT_STOPPED = 1
    TURNED_OPPOSITE = 2
    BLOCKED = 3
    TREADS_HELD = 4


class Side(IntEnum):
    """Where the robot met whatever kept it; values of ``RobotEvent.side``."""

    NONE = 0
    FRONT = 1
    BACK = 2
    LEFT = 3
    RIGHT = 4

    @property
    def place(self) -> str:
        return _PLACES[self]


_PLACES = {
    Side.NONE: "at the robot",
    Side.FRONT: "in front of the robot",
    Side.BACK: "behind the robot",
    Side.LEFT: "on the robot's left",
    Side.RIGHT: "on the robot's right",
}


@dataclass(frozen=True, slots=True)
class UnexpectedMovement:
    """From ``started_at`` to ``time``, s of the host's monotonic clock."""

    time: float
    started_at: float
    movement: Movement
    side: Side

    @property
    def text(self) -> str:
        return _TEXTS[self.movement]


_TEXTS = {
    Movement.NONE: "the robot drives",
    Movement.TURNED_BUT_STOPPED: "the robot does not turn as its treads do",
    Movement.TURNED_OPPOSITE: "the robot turns against its treads",
    Movement.BLOCKED: "the robot does not follow its treads",
    Movement.TREADS_HELD: "the treads do not turn as commanded",
}


class UnexpectedMovementDetector:
    """Counts states in which treads and gyroscope disagree."""

    def __init__(self, wheel_separation: float) -> None:
        self._separation = wheel_separation
        self._reset()

    def _reset(self) -> None:
        self._count = 0
        self._left = self._right = 0.0
        self._started_at = math.nan

    def update(self, state: RobotState) -> UnexpectedMovement | None:
        if state.has(Flag.IS_PICKING_OR_PLACING):
            return None
        if state.has(_NOT_DRIVING_FREELY):
            self._reset()
            return None
        left, right = state.left_wheel_speed, state.right_wheel_speed
        if abs(left) + abs(right) < _SLOWEST:
            self._count_down()
            return None
        movement, weight = self._judge(left, right, state.yaw_rate)
        if weight < 0:
            self._count_down()
            return None
        if not self._count and weight:
            self._started_at = state.time
        self._count += weight
        if not self._count:
            return None
        self._left += max(1, weight) * left
        self._right += max(1, weight) * right
        if self._count <= _MIN_COUNT:
            return None
        side = side_of(self._left, self._right)
        noticed = UnexpectedMovement(state.time, self._started_at, movement, side)
        self._reset()
        return noticed

    def _count_down(self) -> None:
        self._count -= 1
        if self._count <= 0:
            self._reset()

    def _judge(self, left: float, right: float, yaw_rate: float) -> tuple[Movement, int]:
        if abs(yaw_rate) >= _STILL:
            is_opposite = (right - left) * yaw_rate <= 0
            return Movement.TURNED_OPPOSITE, 2 if is_opposite else -1
        expected = abs(0.5 * (right - left) / self._separation)
        disagrees = left * right < 0 or abs(expected - abs(yaw_rate)) > _MISMATCH
        return Movement.TURNED_BUT_STOPPED, 1 if disagrees else 0


_LEVER = 0.013
"""How far the sensor is ahead of the point that the robot turns about, m (spec 13 §2)."""
SLOWEST = 0.018
"""Below this a standing body is indistinguishable from noise, m/s."""
_STANDING, _TURNS = 0.010, 0.5
"""A tread below this stands, m/s; a robot above this turns, rad/s."""
_MEMORY = 0.5
"""Time constant in which a difference is forgotten, s."""
_STOPPED, _LEAST, _MOVES = 0.5, 0.012, 0.5
"""Shares of the treads' speed that the body lacks when it is held, at least so many m/s, and that
it has when it is free."""
_STATES = 3
"""States in a row that must say the same."""
_BEND, _TURN_SHARE, _LEAST_TURN = 5.0, 0.5, 0.2
"""Turn that the treads do not explain: more than this in rad/m, this share of theirs, and rad/s."""
_TURNING_STATES = 6
_CLIMBS = 0.005
"""m/s that the body seems to gain on its treads as it tilts: it backs up a charger's ramp, whose
rails turn it (spec 16 §6)."""
_LEARNED = 10
"""States without a shock that give the sensor's zero well enough."""
_REST_GAIN, _DRIVING_GAIN = 0.05, 0.01
"""Share of a state in the accelerometer's zero."""
_HEAD_STEP = 0.002
"""rad from where the sensor's zero was learned, half a step of the head (spec 18): gravity's share
in a step would count as 44 mm/s^2."""
_LIFT_STEP = 0.02
"""rad from state to state; what moves faster shakes the sensor, which sits in the head."""
_SLOPE = 0.2
"""rad of pitch from where the sensor's zero was learned to a slope on which it is another one."""
_SHAKE, _ROCKS = 10, 3
"""States until it has calmed down, and until a body whose treads stopped has (spec 18)."""
_JOLT = 0.4
"""m/s^2 from state to state, as of a start: it shows in one state and in the treads' way of the
next, so that neither the zero is learned nor judging begins between the two."""
_PERIOD, _LONGEST_STEP = 0.030, 0.045
"""s between states; a state that is missing took its acceleration with it."""
_HELD_SPEED, _HELD_SHARE, _HELD_TIME = 0.030, 0.3, 0.4
"""A tread commanded at least this fast that reaches less than this share for so long is held."""
_CANNOT_PUSH = _NOT_DRIVING_FREELY | Flag.IS_PICKING_OR_PLACING


class PushDetector:
    """Follows from state to state whether the robot pushes against something."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.pushing: UnexpectedMovement | None = None
        """Since it was noticed and until the treads stand or the body moves again."""
        self._last: RobotState | None = None
        self._zero, self._learned = 0.0, 0
        self._level = self._head = 0.0
        """rad: pitch and head angle at which the sensor's zero was learned."""
        self._calm_in = 0
        self._tread_speed = 0.0
        self._gain = self._speed = 0.0
        """m/s: of the body over its treads, and of the body since it was found standing."""
        self._count = self._turning = 0
        self._held_since = math.nan

    def update(
        self,
        state: RobotState,
        turned: UnexpectedMovement | None = None,
        commanded: tuple[float, float] = (0.0, 0.0),
        ramp: float = 0.0,
    ) -> UnexpectedMovement | None:
        """Return what a state shows for the first time.

        ``turned`` is what the gyroscope shows. ``commanded`` are tread speeds, m/s, 0
        where they are not known, and ``ramp`` the time in which they are reached, s.
        """
        last, self._last = self._last, state
        if last is None or state.is_off_ground or state.has(_CANNOT_PUSH):
            self._calm_in, self._held_since = _SHAKE, math.nan
            if state.is_on_charger:
                # It tilts the robot (spec 18): the sensor's zero is another one.
                self._learned = 0
            self.release()
            return None
        noticed = (
            self._judge_body(last, state)
            or self._judge_turn(state)
            or self._judge_treads(state, commanded, ramp)
        )
        if noticed is None and turned and turned.movement is Movement.TURNED_BUT_STOPPED:
            # A charger's rails keep a robot straight that backs up between them.
            noticed = turned if turned.side is not Side.BACK else None
        if noticed is None or self.pushing is not None:
            return None
        self.release()
        self.pushing = noticed
        return noticed

    def release(self) -> None:
        """Assume that the robot drives freely."""
        self.pushing, self._count, self._turning = None, 0, 0
        self._gain = self._speed = 0.0

    def _judge_body(self, last: RobotState, state: RobotState) -> UnexpectedMovement | None:
        dt = state.robot_time - last.robot_time
        # The speeds that the robot reports freeze for 0.2 s when the treads come to rest (spec 18).
        way, _ = state.traveled_since(last) or (0.0, 0.0)
        speed, before = way / dt if dt > 0.0 else 0.0, self._tread_speed
        self._tread_speed = speed
        if self.pushing is not None and self._is_over(state):
            self.release()
        if not (speed or before):
            self._level += (state.pitch - self._level) * _REST_GAIN
        is_other_slope = abs(state.pitch - self._level) > _SLOPE
        if abs(state.head_angle - self._head) > _HEAD_STEP or is_other_slope:
            # The sensor's zero is another one in another direction.
            self._calm_in, self._learned = _SHAKE, 0
            self._level, self._head = state.pitch, state.head_angle
        if abs(state.lift_angle - last.lift_angle) > _LIFT_STEP or dt > _LONGEST_STEP:
            self._calm_in = _SHAKE
        felt = _acceleration(state)
        is_judged = not self._calm_in and self._learned >= _LEARNED
        has_jolted = abs(felt - _acceleration(last)) > _JOLT
        if (before and not speed) or (has_jolted and not is_judged):
            self._calm_in = max(self._calm_in, _ROCKS)
        unexplained = felt - (speed - before) / dt if dt > 0.0 else 0.0
        if self._calm_in or self._learned < _LEARNED:
            if self._calm_in:
                self._calm_in -= 1
            else:
                self._learn(unexplained, is_at_rest=False)
            self._gain = self._speed = 0.0
            return None
        forget = 1.0 - dt / _MEMORY
        self._speed = (self._speed + (felt - self._zero) * dt) * forget
        if self.pushing is not None:
            return None
        self._gain = (self._gain + (unexplained - self._zero) * dt) * forget
        sign = math.copysign(1.0, speed)
        if abs(speed) >= SLOWEST and -sign * self._gain > max(_STOPPED * abs(speed), _LEAST):
            self._count += 1
        else:
            self._count = 0
            self._learn(unexplained, is_at_rest=not (speed or before))
        if self._count < _STATES:
            return None
        return _blocked(speed, state.time, state.time - self._count * dt)

    def _judge_turn(self, state: RobotState) -> UnexpectedMovement | None:
        speed = abs(self._tread_speed)
        expected = (state.right_wheel_speed - state.left_wheel_speed) / EFFECTIVE_TRACK_WIDTH
        least = max(_BEND * speed + _TURN_SHARE * abs(expected), _LEAST_TURN)
        turns = speed >= SLOWEST and abs(state.yaw_rate - expected) > least
        climbs = math.copysign(1.0, self._tread_speed) * self._gain > _CLIMBS
        self._turning = self._turning + 1 if turns and not climbs else 0
        if self._turning != _TURNING_STATES:
            return None
        return _blocked(self._tread_speed, state.time, state.time - _TURNING_STATES * _PERIOD)

    def _learn(self, unexplained: float, *, is_at_rest: bool) -> None:
        gain = _REST_GAIN if is_at_rest else _DRIVING_GAIN
        self._learned += 1
        self._zero += (unexplained - self._zero) * max(gain, 1.0 / self._learned)

    def _is_over(self, state: RobotState) -> bool:
        assert self.pushing is not None
        if max(abs(state.left_wheel_speed), abs(state.right_wheel_speed)) < _STANDING:
            return True
        if self.pushing.side in (Side.LEFT, Side.RIGHT):
            moves = abs(state.yaw_rate) > _TURNS
        else:
            speed = self._tread_speed
            sign = 1.0 if self.pushing.side is Side.FRONT else -1.0
            if sign * speed < _STANDING:
                return True
            moves = sign * self._speed > _MOVES * abs(speed)
        self._count = self._count + 1 if moves else 0
        return self._count >= _STATES

    def _judge_treads(
        self, state: RobotState, commanded: tuple[float, float], ramp: float
    ) -> UnexpectedMovement | None:
        pairs = zip(commanded, (state.left_wheel_speed, state.right_wheel_speed), strict=True)
        if not any(abs(t) >= _HELD_SPEED and is_ / t < _HELD_SHARE for t, is_ in pairs):
            self._held_since = math.nan
            return None
        if math.isnan(self._held_since):
            self._held_since = state.time
        if state.time - self._held_since < _HELD_TIME + ramp:
            return None
        started_at, self._held_since = self._held_since, math.inf
        side = side_of(*commanded)
        return UnexpectedMovement(state.time, started_at, Movement.TREADS_HELD, side)


def side_of(left: float, right: float) -> Side:
    """Return where something must be that stops treads of these speeds, m/s."""
    if left * right < -_LEAST_SPEED:
        return Side.RIGHT if left > 0.0 else Side.LEFT
    return Side.FRONT if left + right > 0.0 else Side.BACK


def _blocked(speed: float, time: float, started_at: float) -> UnexpectedMovement:
    side = Side.FRONT if speed > 0.0 else Side.BACK
    return UnexpectedMovement(time, started_at, Movement.BLOCKED, side)


def _acceleration(state: RobotState) -> float:
    """Return the body's acceleration ahead, m/s^2, with what is wrong with the sensor's zero.

    The head's angle gives gravity's share on level ground, the turn the centrifugal one. The pitch
    that the robot reports follows what it feels within 0.3 s, so that it hides what is looked for.
    """
    c, s = math.cos(state.head_angle), math.sin(state.head_angle)
    ahead = state.acceleration.x * c - state.acceleration.z * s
    return ahead + state.yaw_rate**2 * _LEVER
