"""``python -m benchmarks.fidelity``: real robots beside the emulator, row by row (spec 18).

The emulator is driven through what two real robots were recorded to do, in virtual time and without
a network. The table goes to docs/simulation.md; the exit code is 1 where a row is outside of its tolerance.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.protocol.messages import (
    DriveWheels,
    MotorActionAck,
    RobotState,
    SetBodyAngle,
    SetHeadAngle,
    SetLiftHeight,
)
from test.emulator.bench import Bench

_PAGE = Path(__file__).parents[1] / "docs" / "simulation.md"
_BEGIN, _END = "<!-- fidelity -->\n", "<!-- end of fidelity -->"
_PERIOD = 0.030
"""s between two states."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of a real robot, what the emulator makes of it, and how far it may be off."""

    what: str
    robot: str
    real: float
    emulated: float
    tolerance: float
    unit: str

    @property
    def is_met(self) -> bool:
        return abs(self.emulated - self.real) <= self.tolerance


class Recording:
    """An emulated robot of a hardware version, and its states since the last command."""

    def __init__(self, hardware: str, seed: int, **options: object) -> None:
        self.bench = Bench(EmulatorOptions(seed=seed, hardware=hardware, **options))
        self.bench.start()
        self.bench.run(1.0)

    def states(self, seconds: float, *messages: object) -> list[tuple[float, RobotState]]:
        """Send messages and return the states of the next seconds, each with its time since then."""
        bench = self.bench
        begin = bench.time
        bench.forget()
        bench.send(*messages)
        bench.run(seconds)
        return [(t - begin, m) for t, m in bench.received if isinstance(m, RobotState)]

    def first(self, kind: type, begin: float) -> float:
        return next(t - begin for t, m in self.bench.received if isinstance(m, kind))


def _speed(state: RobotState) -> float:
    return (state.lwheel_speed_mmps + state.rwheel_speed_mmps) / 2


def _at(states: list[tuple[float, RobotState]], time: float) -> RobotState:
    """Return the state that had arrived last at a time."""
    return [state for t, state in states if t <= time + 1e-6][-1]


def treads(seed: int) -> Iterator[Row]:
    """DriveWheels 30/30 and -30/-30 for 1.0 s, then the stop; robot B."""
    for way, first in ((30.0, (17.0, 22.5, 23.0, 21.0)), (-30.0, (-8.0, -16.5, -23.5, -26.5))):
        robot = Recording("1.0", seed)
        begin = _at(robot.states(0.1), 0.1).pose
        states = robot.states(1.0, DriveWheels(way, way, 0.0, 0.0))
        stop = robot.states(1.5, DriveWheels(0.0, 0.0, 0.0, 0.0))
        name = "forward" if way > 0 else "backward"
        moving = next(i for i, (_, s) in enumerate(states) if _speed(s))
        end = stop[-1][1].pose
        driven = math.copysign(math.hypot(end.x - begin.x, end.y - begin.y), way)
        yield Row(f"way of 1 s at {way:g} mm/s", "B", 26.2 if way > 0 else -28.2, driven, 1.2, "mm")
        for i, real in enumerate(first):
            got = _speed(states[moving + i][1])
            # The first one depends on how long before the state the motion began.
            tolerance = 6.0 if i else 12.0
            yield Row(
                f"{name}: speed after {30 * i} ms of motion", "B", real, got, tolerance, "mm/s"
            )
        if way < 0:
            peak = min(s.lwheel_speed_mmps for _, s in states)
            yield Row("backward: peak", "B", -32.0, peak, 2.5, "mm/s")
            continue
        yield Row(
            "command to the first state with motion", "B", 69, states[moving][0] * 1e3, 31, "ms"
        )
        for time, real in ((0.3, 23.0), (0.5, 25.5), (0.75, 27.0), (1.0, 28.0)):
            near = [_speed(s) for t, s in states if abs(t - time) <= 0.08]
            yield Row(f"speed at {time:g} s", "B", real, statistics.fmean(near), 1.5, "mm/s")
        level = stop[-1][1].accel.x
        jerk = max(s.accel.x - level for t, s in states if t < 0.3)
        yield Row("forward: largest acceleration", "B", 760, jerk, 350, "mm/s2")
        whole = [s for _, s in states + stop if s.lwheel_speed_mmps % 1 or s.rwheel_speed_mmps % 1]
        yield Row("states whose speeds are no whole mm/s", "B", 0, len(whole), 0, "")
        steps = [abs(b.pose.x - a.pose.x) / 0.061 for (_, a), (_, b) in pairwise(states)]
        uneven = max(abs(step - round(step)) for step in steps)
        yield Row(
            "step of the pose, off multiples of 0.061 mm", "B", 0, uneven * 0.061, 0.002, "mm"
        )
        yield from _stopped(stop)


def _stopped(stop: list[tuple[float, RobotState]]) -> Iterator[Row]:
    speeds = [(s.lwheel_speed_mmps, s.rwheel_speed_mmps) for _, s in stop]
    standing = next(i for i, pair in enumerate(speeds) if pair == (0.0, 0.0))
    frozen = max(
        sum(1 for pair in speeds[:standing] if pair == other) for other in set(speeds[:standing])
    )
    yield Row("stop: states with the last speed, frozen", "B", 6, frozen, 1, "")
    for flag in (Flag.ARE_WHEELS_MOVING, Flag.IS_MOVING):
        off = next(t for t, s in stop if not s.status & flag)
        name = flag.name or ""
        yield Row(f"stop to {name} off", "B", 550, off * 1e3, 60, "ms")
        yield Row(f"speeds 0/0 to {name} off", "B", 210, (off - stop[standing][0]) * 1e3, 35, "ms")


def turn(seed: int) -> Iterator[Row]:
    """SetBodyAngle 45 degrees; robot B."""
    robot = Recording("1.0", seed)
    start = _at(robot.states(0.1), 0.1).pose.angle
    target = math.radians(45)
    states = robot.states(3.0, SetBodyAngle(target, 5.236, 10.0, 0.035, True, 1))
    for time, real, tolerance in ((0.2, 1.45, 4.0), (0.4, 29.6, 4.0), (0.6, 45.0, 1.5)):
        got = math.degrees(_at(states, time).pose.angle - start)
        yield Row(f"turn of 45 deg: after {time:g} s", "B", real, got, tolerance, "deg")
    end = math.degrees(states[-1][1].pose.angle - start) - 45
    yield Row("turn of 45 deg: error at the end", "B", 0.03, end, 0.5, "deg")
    off = [t for t, s in states if s.status & Flag.IS_MOVING][-1]
    yield Row("turn of 45 deg: IS_MOVING until", "B", 0.9, off, 0.15, "s")


def head(seed: int) -> Iterator[Row]:
    """SetHeadAngle up and down, as recorded."""
    for robot_name, hardware, moves in (
        ("B", "1.0", ((0.300, 20.0, 3.93, 0.018), (-0.300, 20.0, 3.47, 0.040))),
        ("A", "1.5", ((0.400, 10.0, 3.03, 0.001),)),
    ):
        robot = Recording(hardware, seed)
        for target, accel, peak, short in moves:
            begin = robot.bench.time
            states = robot.states(3.0, SetHeadAngle(target, 15.0, accel, 0.0, 1))
            angles = [s.head_angle for _, s in states]
            fastest = max(abs(b - a) for a, b in pairwise(angles)) / _PERIOD
            name = f"head to {target:g} rad"
            yield Row(f"{name}: peak speed", robot_name, peak, fastest, 0.35, "rad/s")
            off = abs(target - angles[-1])
            yield Row(f"{name}: stops short by", robot_name, short, off, 0.006, "rad")
            in_position = bool(states[-1][1].status & Flag.HEAD_IN_POS)
            yield Row(f"{name}: HEAD_IN_POS", robot_name, float(short < 0.015), in_position, 0, "")
            last = max(i for i, (a, b) in enumerate(pairwise(angles)) if a != b) + 1
            still = next(t for t, s in states[last:] if not s.status & Flag.IS_MOVING)
            real = 60 if robot_name == "B" else 240
            lag = (still - states[last][0]) * 1e3
            yield Row(f"{name}: last step to IS_MOVING off", robot_name, real, lag, 31, "ms")
            if target != 0.300:
                continue
            first = next(t for (t, s) in states if s.head_angle != angles[0])
            moving = next(t for t, s in states if s.status & Flag.IS_MOVING)
            lost = next(t for t, s in states if not s.status & Flag.HEAD_IN_POS)
            for what, real, got in (
                ("acknowledgement", 31, robot.first(MotorActionAck, begin)),
                ("first step", 98, first),
                ("IS_MOVING", 132, moving),
                ("HEAD_IN_POS off", 31, lost),
            ):
                yield Row(f"SetHeadAngle to {what}", "B", real, got * 1e3, 34, "ms")
            rests = [angle / 0.0045166 for angle in angles]
            steps = max(abs(b - a - round(b - a)) for a, b in pairwise(rests))
            yield Row("head: off multiples of 0.0045166 rad", "B", 0, steps, 0.02, "step")


def lift(seed: int) -> Iterator[Row]:
    """SetLiftHeight 32 to 50 mm and back; robot B."""
    robot = Recording("1.0", seed)
    for angle in (0.300, -0.300):
        robot.states(2.0, SetHeadAngle(angle, 15.0, 20.0, 0.0, 1))
    head_before = robot.bench.last_state().head_angle
    for target, peak, profile in (
        (50.0, 2.4, (34.4, 39.1, 43.9, 48.1, 50.5, 50.5, 51.1, 51.1)),
        (32.0, 3.4, (48.7, 42.1, 35.5, 32.6, 32.0)),
    ):
        states = robot.states(2.0, SetLiftHeight(target, 15.0, 20.0, 0.0, 2))
        angles = [s.lift_angle for _, s in states]
        heights = [45.0 + 66.0 * math.sin(angle) for angle in angles]
        moving = next(i for i, (a, b) in enumerate(pairwise(angles)) if a != b) + 1
        for i, real in enumerate(profile):
            what = f"lift to {target:g} mm: after {30 * (i + 1)} ms"
            yield Row(what, "B", real, heights[moving + i], 3.0, "mm")
        fastest = max(abs(b - a) for a, b in pairwise(angles)) / _PERIOD
        yield Row(f"lift to {target:g} mm: peak speed", "B", peak, fastest, 0.4, "rad/s")
        last = max(i for i, (a, b) in enumerate(pairwise(angles)) if abs(b - a) > 0.005) + 1
        arrived = next(t for t, s in states[last:] if s.status & Flag.LIFT_IN_POS)
        lag = (arrived - states[last][0]) * 1e3
        yield Row(f"lift to {target:g} mm: arrival to LIFT_IN_POS", "B", 105, lag, 46, "ms")
    shaken = robot.bench.last_state().head_angle - head_before
    yield Row("the lift's moves shake the head by", "B", -0.027, shaken, 0.010, "rad")


def standing(seed: int) -> Iterator[Row]:
    """Five seconds at rest."""
    for robot_name, hardware, angle, accel, noise, gyro, pitch, spread, cliff in (
        ("A", "1.5", -0.432, (-3279, 1139, 9739), (11, 12, 9), (0.4, 0.9, 0.9), 0.107, 3e-4, 873),
        ("B", "1.0", -0.287, (-2391, -761, 9502), (11, 7, 7), (0.9, 0.3, 0.5), 0.0405, 3e-4, 889),
    ):
        robot = Recording(hardware, seed)
        if hardware == "1.0":
            for target in (0.300, -0.300):
                robot.states(2.0, SetHeadAngle(target, 15.0, 20.0, 0.0, 1))
            for height in (50.0, 32.0):
                robot.states(2.0, SetLiftHeight(height, 15.0, 20.0, 0.0, 1))
        states = [s for _, s in robot.states(5.0)]
        for i, axis in enumerate("xyz"):
            samples = [s.accel[i] for s in states]
            what = f"standing: acceleration {axis}"
            # The head does not stand where the real one stood: a hundredth of a radian is 100 mm/s2.
            yield Row(what, robot_name, accel[i], statistics.fmean(samples), 150, "mm/s2")
            sd = statistics.stdev(samples)
            yield Row(f"{what}, its sd", robot_name, noise[i], sd, 2.5, "mm/s2")
            sd = statistics.stdev(s.gyro[i] for s in states) * 1e3
            yield Row(f"standing: gyro {axis}, its sd", robot_name, gyro[i], sd, 0.2, "1e-3 rad/s")
        pitches = [s.pose.pitch for s in states]
        mean = statistics.fmean(pitches)
        yield Row("standing: pitch", robot_name, pitch, mean, 0.005, "rad")
        yield Row(
            "standing: pitch, its sd", robot_name, spread, statistics.stdev(pitches), 2e-4, "rad"
        )
        made = statistics.fmean(math.atan2(-s.accel.x, s.accel.z) + s.head_angle for s in states)
        yield Row("pitch less what the acceleration says", robot_name, 0, mean + made, 0.001, "rad")
        yaw = [abs(b.pose.angle - a.pose.angle) for a, b in pairwise(states)]
        yield Row("standing: yaw per state", robot_name, 3e-5, statistics.fmean(yaw), 3e-5, "rad")
        raw = [s.cliff_data_raw[0] for s in states]
        yield Row("standing: cliff", robot_name, cliff, statistics.fmean(raw), 2, "")
        yield Row("standing: cliff values", robot_name, 2, len(set(raw)), 1, "")


SECTIONS: tuple[Callable[[int], Iterator[Row]], ...] = (treads, turn, head, lift, standing)


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = [
        "| figure | robot | real | emulated | difference | tolerance | |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        figures = (row.real, row.emulated, row.emulated - row.real, row.tolerance)
        cells = " | ".join(f"{figure:.4g}" for figure in figures)
        mark = "" if row.is_met else "**outside**"
        lines.append(
            f"| {row.what}{f', {row.unit}' if row.unit else ''} | {row.robot} | {cells} | {mark} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fidelity", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    rows = [row for section in SECTIONS for row in section(seed)]
    print(table(rows))
    return 0 if all(row.is_met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
