"""Treads, turns, head and lift, commanded as they were recorded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean

from cozmo_driver.emulator.joints import lift_height
from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.protocol.messages import (
    DriveWheels,
    MotorActionAck,
    RobotState,
    SetBodyAngle,
    SetHeadAngle,
    SetLiftHeight,
)

from .recording import PERIOD, Recording, Row, States, after

_STATE = PERIOD * 1e3
_STOP = DriveWheels(0.0, 0.0, 0.0, 0.0)


def _speed(state: RobotState) -> float:
    return (state.lwheel_speed_mmps + state.rwheel_speed_mmps) / 2


def _at(states: States, time: float) -> RobotState:
    """Return the state that had arrived last at a time."""
    return [state for t, state in states if t <= time + 1e-6][-1]


def treads(phase: int) -> Iterator[Row]:
    """DriveWheels 30/30 and -30/-30 for 1.0 s, then the stop."""
    robot = Recording("B", phase)
    begin = robot.bench.last_state().pose.x
    states = robot.states(1.0, DriveWheels(30.0, 30.0, 0.0, 0.0))
    stop = robot.states(1.5, _STOP)
    yield Row("30 mm/s for 1 s: way", "B", 26.2, stop[-1][1].pose.x - begin, 1.0, "mm")
    moving = next(i for i, (_, s) in enumerate(states) if _speed(s))
    to_motion = states[moving][0] * 1e3
    yield Row("30 mm/s: to the first state with motion", "B", 69, to_motion, _STATE / 2, "ms")
    for i, real in enumerate((17.0, 22.5, 23.0, 21.0)):
        got = _speed(states[moving + i][1])
        yield Row(f"30 mm/s: after {30 * i} ms of motion", "B", real, got, 4.0, "mm/s")
    for time, real in ((0.3, 23.0), (0.5, 25.5), (0.75, 27.0), (1.0, 28.0)):
        near = fmean(_speed(s) for t, s in states if abs(t - time) <= 0.08)
        yield Row(f"30 mm/s: after {time:g} s", "B", real, near, 1.5, "mm/s")
    whole = [s for _, s in states + stop if s.lwheel_speed_mmps % 1 or s.rwheel_speed_mmps % 1]
    yield Row("states whose speeds are no whole mm/s", "B", 0, len(whole), 0)
    steps = [(b.pose.x - a.pose.x) / 0.061 for (_, a), (_, b) in pairwise(states)]
    uneven = max(abs(step - round(step)) for step in steps) * 0.061
    yield Row("steps of the pose, off multiples of 0.061 mm", "B", 0, uneven, 0.002, "mm")
    yield from _stopped(stop)
    yield from _backward(robot)
    yield from _steady(phase)


def _stopped(stop: States) -> Iterator[Row]:
    standing = next(i for i, (_, s) in enumerate(stop) if not _speed(s))
    furthest, end = max(s.pose.x for _, s in stop), stop[-1][1].pose.x
    yield Row("stop: what the pose goes back by", "B", 0.061, furthest - end, 0.002, "mm")
    frozen = [s for _, s in stop if s.lwheel_speed_mmps and s.pose.x == furthest]
    yield Row("stop: states with the last speed, frozen", "B", 6, len(frozen), 1)
    yield Row("stop: the frozen speed", "B", 11, _speed(frozen[-1]), 4, "mm/s")
    right_only = sum(bool(s.rwheel_speed_mmps) and not s.lwheel_speed_mmps for _, s in stop)
    yield Row("stop: states with the right one frozen alone", "B", 1, right_only, 0.2)
    for flag in (Flag.ARE_WHEELS_MOVING, Flag.IS_MOVING):
        off = next(i for i, (_, s) in enumerate(stop) if not s.status & flag)
        yield Row(f"stop: to {flag.name} off", "B", 550, stop[off][0] * 1e3, 60, "ms")
        still = stop[off][1].timestamp - stop[standing][1].timestamp
        yield Row(f"stop: speeds 0/0 to {flag.name} off", "B", 210, still, _STATE / 2, "ms")


def _backward(robot: Recording) -> Iterator[Row]:
    begin = robot.bench.last_state().pose.x
    states = robot.states(1.0, DriveWheels(-30.0, -30.0, 0.0, 0.0))
    stop = robot.states(1.5, _STOP)
    yield Row("-30 mm/s for 1 s: way", "B", -28.2, stop[-1][1].pose.x - begin, 1.0, "mm")
    moving = next(i for i, (_, s) in enumerate(states) if _speed(s))
    for i, real in ((1, -16.5), (2, -23.5), (3, -26.5), (8, -29.0)):
        got = _speed(states[moving + i][1])
        yield Row(f"-30 mm/s: after {30 * i} ms of motion", "B", real, got, 4.0, "mm/s")
    peak = min(s.lwheel_speed_mmps for _, s in states)
    yield Row("-30 mm/s: peak", "B", -32.0, peak, 2.0, "mm/s")


def _steady(phase: int) -> Iterator[Row]:
    """DriveWheels 40/40 and -40/-40."""
    robot = Recording("B", phase)
    for speed, first in ((40.0, 28.0), (-40.0, -33.0)):
        states = [s for _, s in robot.states(5.0, DriveWheels(speed, speed, 0.0, 0.0))]
        moving = next(i for i, s in enumerate(states) if _speed(s))
        # When it was read first is not recorded.
        got = fmean(_speed(s) for s in states[moving + 2 : moving + 4])
        yield Row(f"{speed:g} mm/s: when first read", "B", first, got, 4.0, "mm/s")
        jitter = sorted(abs(s.lwheel_speed_mmps - speed) for s in states[-70:])
        yield Row(f"{speed:g} mm/s: jitter", "B", 2, jitter[-5], 1, "mm/s")
        yield Row(f"{speed:g} mm/s: single peaks of it", "B", 4, jitter[-1], 2, "mm/s")
        robot.states(1.5, _STOP)


def turn(phase: int) -> Iterator[Row]:
    """SetBodyAngle 45 degrees."""
    robot = Recording("B", phase)
    start = robot.bench.last_state().pose.angle
    states = robot.states(3.0, SetBodyAngle(math.radians(45), 5.236, 10.0, 0.035, True, 1))
    # Recorded once, at a phase of which nothing is known: half a state is 2.6 degrees.
    for time, real, tolerance in ((0.2, 1.45, 2.6), (0.4, 29.6, 2.6), (0.6, 45.0, 1.0)):
        got = math.degrees(_at(states, time).pose.angle - start)
        yield Row(f"turn by 45 deg: after {time:g} s", "B", real, got, tolerance, "deg")
    end = math.degrees(states[-1][1].pose.angle - start) - 45
    yield Row("turn by 45 deg: error at the end", "B", 0.03, end, 0.3, "deg")
    off = [t for t, s in states if s.status & Flag.IS_MOVING][-1]
    yield Row("turn by 45 deg: IS_MOVING until", "B", 0.9, off, 0.12, "s")
    later = [math.degrees(s.pose.angle) for t, s in states if t > off]
    wander = (max(later) - min(later)) / 2
    yield Row("turn by 45 deg: wandering of the yaw afterwards", "B", 0.012, wander, 0.01, "deg")


def head(phase: int) -> Iterator[Row]:
    """SetHeadAngle up and down."""
    robot = Recording("B", phase)
    yield from _head_move(robot, "B", 0.300, 20.0, 3.93, 0.018, 60)
    yield from _head_move(robot, "B", -0.300, 20.0, 3.47, 0.040, 60)
    robot = Recording("A", phase)
    yield from _head_move(robot, "A", 0.400, 10.0, 3.03, 0.001, 240)


def _head_move(
    robot: Recording,
    who: str,
    target: float,
    accel: float,
    peak: float,
    short: float,
    still_after: float,
) -> Iterator[Row]:
    begin = robot.bench.time
    states = robot.states(3.0, SetHeadAngle(target, 15.0, accel, 0.0, 1))
    angles = [s.head_angle for _, s in states]
    name = f"head to {target:g} rad"
    fastest = max(abs(b - a) for a, b in pairwise(angles)) / PERIOD
    yield Row(f"{name}: peak speed", who, peak, fastest, 0.2, "rad/s")
    yield Row(f"{name}: ends short by", who, short, abs(target - angles[-1]), 0.003, "rad")
    in_position = bool(states[-1][1].status & Flag.HEAD_IN_POS)
    yield Row(f"{name}: HEAD_IN_POS at the end", who, short < 0.015, in_position, 0)
    last = max(i for i, (a, b) in enumerate(pairwise(angles)) if a != b) + 1
    still = next(s.timestamp for _, s in states[last:] if not s.status & Flag.IS_MOVING)
    still -= states[last][1].timestamp
    yield Row(f"{name}: last step to IS_MOVING off", who, still_after, still, 20, "ms")
    if who == "A":
        yield from _nodding(who, states, (0.017,))
    if target != 0.300:
        return
    yield from _nodding(who, states, (0.0355, 0.0609))
    ack = after(robot.bench, begin, MotorActionAck)
    yield Row("SetHeadAngle to its acknowledgement", who, 31, ack, 17, "ms")
    first = next(t for t, s in states if s.head_angle != angles[0])
    moving = next(t for t, s in states if s.status & Flag.IS_MOVING)
    lost = next(t for t, s in states if not s.status & Flag.HEAD_IN_POS)
    for what, real, got in (
        ("the first step", 98, first),
        ("IS_MOVING", 132, moving),
        ("HEAD_IN_POS off", 31, lost),
    ):
        yield Row(f"SetHeadAngle to {what}", who, real, got * 1e3, 17, "ms")
    steps = [(b - a) / 0.0045166 for a, b in pairwise(angles)]
    uneven = max(abs(step - round(step)) for step in steps)
    yield Row("steps of the head, off multiples of 0.0045166 rad", who, 0, uneven, 0.02, "steps")


def _nodding(who: str, states: States, real: tuple[float, ...]) -> Iterator[Row]:
    """What the pitch falls by while the head accelerates, in the states after the first step."""
    moving = next(i for i, (_, s) in enumerate(states) if s.head_angle != states[0][1].head_angle)
    for i, fall in enumerate(real, 1):
        got = states[0][1].pose.pitch - states[moving + i][1].pose.pitch
        yield Row(f"head: pitch falls in {30 * i} ms by", who, fall, got, 0.02, "rad")


def lift(phase: int) -> Iterator[Row]:
    """SetLiftHeight 32 to 50 mm and back, with a head that stopped short."""
    robot = Recording("B", phase)
    for angle in (0.300, -0.300):
        robot.states(2.0, SetHeadAngle(angle, 15.0, 20.0, 0.0, 1))
    head_before = robot.bench.last_state().head_angle
    for target, peak, profile in (
        (50.0, 2.4, (34.4, 39.1, 43.9, 48.1, 50.5, 50.5, 51.1, 51.1)),
        (32.0, 3.4, (48.7, 42.1, 35.5, 32.6, 32.0)),
    ):
        states = robot.states(2.0, SetLiftHeight(target, 15.0, 20.0, 0.0, 2))
        angles = [s.lift_angle for _, s in states]
        moving = next(i for i, (a, b) in enumerate(pairwise(angles)) if a != b) + 1
        for i, real in enumerate(profile):
            got = lift_height(angles[moving + i])
            # Half the way of a state at the full speed.
            what = f"lift to {target:g} mm: after {30 * (i + 1)} ms"
            yield Row(what, "B", real, got, peak * PERIOD * 66 / 2, "mm")
        fastest = max(abs(b - a) for a, b in pairwise(angles)) / PERIOD
        yield Row(f"lift to {target:g} mm: peak speed", "B", peak, fastest, 0.3, "rad/s")
        last = max(i for i, (a, b) in enumerate(pairwise(angles)) if abs(b - a) > 0.005) + 1
        lag = next(s.timestamp for _, s in states[last:] if s.status & Flag.LIFT_IN_POS)
        lag -= states[last][1].timestamp
        yield Row(f"lift to {target:g} mm: to LIFT_IN_POS", "B", 105, lag, 20, "ms")
        uneven = max(abs(step - round(step)) for step in ((a - angles[0]) / 0.0091 for a in angles))
        yield Row(f"lift to {target:g} mm: off steps of 0.0091 rad", "B", 0, uneven, 0.02, "steps")
    in_position = bool(robot.bench.last_state().status & Flag.HEAD_IN_POS)
    yield Row("HEAD_IN_POS 0.013 rad short, after the lift's moves", "B", 1, in_position, 0)
    shaken = robot.bench.last_state().head_angle - head_before
    yield Row("what the lift's moves shake the head by", "B", -0.027, shaken, 0.005, "rad")
