"""Steps for what moves on the spot: the motors' calibration, head and lift."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from ..robot import MAX_HEAD_ANGLE, MAX_LIFT_HEIGHT, MIN_HEAD_ANGLE, MIN_LIFT_HEIGHT, RobotState
from .analysis import curve, mean
from .bench import Bench
from .step import Motion, Quantity, Result, Series, Step, Verdict

_SETTLING = 0.3
_LOOKING = 1.0
"""s of states that a resting angle is the mean of."""
_MIDDLE = 0.2
"""rad and from how far both ways it is gone to, for the backlash."""
_AWAY = 0.3
_HEAD_UP = 0.30
"""As in the recording of robot B: from the lower stop by 0.73 rad."""
_LIFT_UP = 0.050


async def _calibration(bench: Bench) -> Result:
    begun = bench.now
    await bench.robot.motion.calibrate()
    duration = bench.now - begun
    states = await bench.record(1.0)
    head, lift = mean([s.head_angle for s in states]), mean([s.lift_height for s in states])
    values = {
        "duration": Quantity(duration, "s"),
        "head_after": Quantity(head, "rad"),
        "lift_after": Quantity(lift, "m"),
    }
    sentence = (
        f"done after {duration:.2f} s, head at {math.degrees(head):.1f}°, "
        f"lift at {1000 * lift:.1f} mm"
    )
    return Result(Verdict.PASSED, sentence, values)


async def _head(bench: Bench) -> Result:
    joints = bench.robot.motion.joints
    await joints.move_head(MIN_HEAD_ANGLE)
    low = await _resting(bench, _head_angle)
    _, rising = await bench.recorded(joints.move_head(_HEAD_UP))
    short_up = _HEAD_UP - await _resting(bench, _head_angle)
    await joints.move_head(MAX_HEAD_ANGLE)
    high = await _resting(bench, _head_angle)
    _, falling = await bench.recorded(joints.move_head(_MIDDLE))
    from_above = await bench.record(_LOOKING)
    short_down = mean([s.head_angle for s in from_above]) - _MIDDLE
    await joints.move_head(_MIDDLE - _AWAY)
    await joints.move_head(_MIDDLE)
    await bench.record(_SETTLING)
    from_below = await bench.record(_LOOKING)
    reported = _mean_of(from_above, _head_angle) - _mean_of(from_below, _head_angle)
    felt = _mean_of(from_above, _felt_angle) - _mean_of(from_below, _felt_angle)
    await joints.move_head(0.0)
    speeds = _speeds(rising, _head_angle), _speeds(falling, _head_angle)
    values = {
        "low": Quantity(low, "rad"),
        "high": Quantity(high, "rad"),
        "short_up": Quantity(short_up, "rad"),
        "short_down": Quantity(short_down, "rad"),
        "peak_speed": Quantity(max(speeds[0]), "rad/s"),
        "peak_speed_down": Quantity(-min(speeds[1]), "rad/s"),
        "hysteresis": Quantity(reported, "rad"),
        "backlash": Quantity(felt - reported, "rad"),
    }
    sentence = (
        f"{math.degrees(low):.1f}° to {math.degrees(high):.1f}°, up to {max(speeds[0]):.1f} rad/s, "
        f"stops {math.degrees(short_up):.1f}° short going up, "
        f"backlash {math.degrees(felt - reported):.1f}°"
    )
    series = _motion_plot(
        "Head", {"up": rising, "down": falling}, "angle / °", lambda s: math.degrees(s.head_angle)
    )
    return Result(Verdict.PASSED, sentence, values, series=(series,))


async def _lift(bench: Bench) -> Result:
    joints = bench.robot.motion.joints
    await joints.move_lift(MIN_LIFT_HEIGHT)
    low = await _resting(bench, _height)
    _, rising = await bench.recorded(joints.move_lift(_LIFT_UP))
    short = _LIFT_UP - await _resting(bench, _height)
    _, falling = await bench.recorded(joints.move_lift(MIN_LIFT_HEIGHT))
    before = await bench.record(_SETTLING)
    await joints.move_lift(MAX_LIFT_HEIGHT)
    raised = await bench.record(_LOOKING)
    await joints.move_lift(MIN_LIFT_HEIGHT)
    high = _mean_of(raised, _height)
    tilt = _mean_of(raised, lambda s: s.pitch) - _mean_of(before, lambda s: s.pitch)
    up, down = max(_speeds(rising, _arm)), -min(_speeds(falling, _arm))
    values = {
        "rest_low": Quantity(low, "m"),
        "high": Quantity(high, "m"),
        "short_up": Quantity(short, "m"),
        "peak_speed_up": Quantity(up, "rad/s"),
        "peak_speed_down": Quantity(down, "rad/s"),
        "tilt_of_body": Quantity(tilt, "rad"),
    }
    sentence = (
        f"{1000 * low:.1f} to {1000 * high:.1f} mm, up with {up:.1f} rad/s of its arm, "
        f"down with {down:.1f}"
    )
    series = _motion_plot(
        "Lift", {"up": rising, "down": falling}, "height / mm", lambda s: 1000 * s.lift_height
    )
    return Result(Verdict.PASSED, sentence, values, series=(series,))


def _head_angle(state: RobotState) -> float:
    return state.head_angle


def _felt_angle(state: RobotState) -> float:
    """Return the head's angle against gravity, but for a constant: spec 18, standing robot."""
    return math.atan2(state.acceleration.x, state.acceleration.z)


def _height(state: RobotState) -> float:
    return state.lift_height


def _arm(state: RobotState) -> float:
    return state.lift_angle


def _mean_of(states: list[RobotState], value: Callable[[RobotState], float]) -> float:
    return mean([value(state) for state in states])


async def _resting(bench: Bench, value: Callable[[RobotState], float]) -> float:
    return _mean_of(await bench.record(_SETTLING), value)


def _speeds(states: list[RobotState], value: Callable[[RobotState], float]) -> list[float]:
    """Return the speeds from state to state; 0 is one of them."""
    return [0.0] + [
        (value(b) - value(a)) / (b.robot_time - a.robot_time) for a, b in pairwise(states)
    ]


def _motion_plot(
    title: str,
    moves: dict[str, list[RobotState]],
    label: str,
    value: Callable[[RobotState], float],
) -> Series:
    curves = {name: curve(states, value) for name, states in moves.items()}
    return Series(f"{title}: moves as the app makes them", "time / s", label, curves)


STEPS = (
    Step(
        "calibration",
        "Calibration of the motors",
        "Head and lift run against their lower stops, as at every start. Keep fingers away.",
        _calibration,
        motion=Motion.JOINTS,
    ),
    Step(
        "head",
        "Head",
        "The head moves up and down, quickly, within its whole range.",
        _head,
        motion=Motion.JOINTS,
        is_on_ground=True,
    ),
    Step(
        "lift",
        "Lift",
        "The lift moves up and down, quickly, within its whole range; nothing may lie on it.",
        _lift,
        motion=Motion.JOINTS,
        is_on_ground=True,
    ),
)
