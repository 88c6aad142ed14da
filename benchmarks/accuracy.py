"""Where the driver brings the emulated robots: their truth beside what was commanded.

``python -m benchmarks.accuracy`` prints a table; ``--seeds 5`` how many robots of each hardware,
``--only odometry`` the works with that in their names.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import statistics
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.variation import variation_of
from cozmo_driver.robot import (
    Measurement,
    RobotCalibration,
    lift_height,
    save_robot_calibration,
)
from test.robot.hands import hall, truth, with_robot
from test.robot.test_odometry_truth import drive_by_poses, drive_by_velocity, measured

_PERIOD = 0.05
"""s between two commands on cmd_vel."""
_MEASURED = 0.002
"""Standard deviation of a measured scale."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is commanded, and how far its end may be off."""

    what: str
    run: Callable[[Any], Awaitable[float]]
    """Returns the error."""
    tolerance: float
    unit: str
    noise: bool = False
    """With the treads' slip and spread, and the gyro's scale."""
    calibrated: bool = False
    """The robot's scales were measured, with the errors below."""


def _drive(linear: float, angular: float, seconds: float) -> Callable[[Any], Awaitable[float]]:
    """Return what drives by speed and stops; the error is a share of the way or the turn."""

    async def run(world: Any) -> float:
        start, turned, before = truth(world), 0.0, truth(world)
        for _ in range(round(seconds / _PERIOD)):
            world.robot.motion.drive(linear, angular)
            await world.pass_time(_PERIOD)
            now = truth(world)
            turned, before = turned + math.remainder(now.yaw - before.yaw, 2 * math.pi), now
        world.robot.motion.drive(0.0, 0.0)
        await world.pass_time(0.8)
        end = truth(world)
        if angular:
            turned += math.remainder(end.yaw - before.yaw, 2 * math.pi)
            return abs(turned / (angular * seconds) - 1.0)
        way = start.inverse().compose(end).x
        return abs(way / (linear * seconds) - 1.0)

    return run


async def _distance(world: Any) -> float:
    start = truth(world)
    await world.robot.maneuvers.drive_distance(0.1)
    await world.pass_time(0.5)
    return abs(start.inverse().compose(truth(world)).x - 0.1) * 1e3


async def _turn(world: Any) -> float:
    start = truth(world)
    await world.robot.turns.turn(math.pi / 2)
    await world.pass_time(0.5)
    return abs(math.degrees(start.inverse().compose(truth(world)).yaw) - 90.0)


async def _head(world: Any) -> float:
    """Return how far the result is from where the head stays."""
    worst = 0.0
    for target in (0.3, -0.3, -0.26, 0.0):
        angle = await world.robot.joints.move_head(target)
        await world.pass_time(0.6)
        worst = max(worst, abs(angle - world.robot.state.head_angle))
    return worst


async def _lift(world: Any) -> float:
    worst = 0.0
    for target in (0.05, 0.092, 0.032):
        height = await world.robot.joints.move_lift(target)
        await world.pass_time(0.6)
        worst = max(worst, abs(height - lift_height(world.robot.state.lift_angle)))
    return worst * 1e3


WORKS = (
    Work("drive_distance 0.1 m", _distance, 2.0, "mm"),
    Work("turn_in_place 90 deg", _turn, 1.0, "deg"),
    *(
        Work(f"cmd_vel {v:g} m/s for {t:g} s, with slip", _drive(v, 0.0, t), 0.05, "share", True)
        for v, t in ((0.05, 2.0), (-0.05, 2.0), (0.02, 2.0), (0.1, 2.0), (0.15, 2.0), (0.05, 1.0))
    ),
    *(
        Work(f"cmd_vel {w:g} rad/s for {t:g} s, with slip", _drive(0.0, w, t), 0.05, "share", True)
        for w, t in ((0.5, 2.0), (1.0, 2.0), (-1.0, 2.0), (2.0, 2.0))
    ),
    # On a floor with a track of 92 mm what is missing is not made up for within a second.
    Work("cmd_vel 1 rad/s for 1 s, with slip", _drive(0.0, 1.0, 1.0), 0.10, "share", True),
    Work("move_head: result beside where it stays", _head, 0.005, "rad"),
    Work("move_lift: result beside where it stays", _lift, 0.7, "mm"),
)


def _square(drive: Callable[[Any], Awaitable[None]]) -> Callable[[Any], Awaitable[float]]:
    """Return what drives four sides of 1 m; the error is that of the odometry at the end."""

    async def run(world: Any) -> float:
        position, _ = await measured(world, drive)
        return float(position) * 1e3

    return run


SQUARES = tuple(
    Work(f"odometry after a square of 4 m, {how}{said}", _square(drive), most, "mm", True, is_known)
    for is_known, said, most in ((False, "", 80.0), (True, ", calibrated", 30.0))
    for how, drive in (("go_to_pose", drive_by_poses), ("cmd_vel", drive_by_velocity))
)


def calibration_of(serial: int) -> RobotCalibration:
    """Return what a measurement of an emulated robot has, which errs by some."""
    random, variation = Random(f"{serial} calibration"), variation_of(serial)
    true = {
        "distance_scale": sum(variation.tread_scales) / 2,
        "turn_scale": 1.0 / variation.gyro_scales[2],
    }
    return RobotCalibration().with_values(
        {
            name: Measurement(scale * random.gauss(1.0, _MEASURED), _MEASURED, "a benchmark")
            for name, scale in true.items()
        }
    )


def error_of(work: Work, hardware: str, seed: int) -> float:
    """Return the error of one robot, in the unit of the work."""
    errors: list[float] = []
    serial = seed + 1
    robot = hall(
        ideal=not work.noise, seed=seed, hardware=hardware, identity=Identity(head_serial=serial)
    )
    with TemporaryDirectory() as folder:
        directory = Path(folder)
        if work.calibrated:
            save_robot_calibration(directory, serial, calibration_of(serial))

        @with_robot(robot, calibration_directory=directory)
        async def measure(world: Any) -> None:
            await asyncio.sleep(0.011 * seed)
            errors.append(await work.run(world))

        measure()
    return errors[0]


def main() -> int:
    """Print the table; 0 when every error is within its tolerance."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="", help="works with this in their names")
    chosen = parser.parse_args()
    seeds = range(chosen.seeds)
    print("| work | hardware | mean error | median error | worst error | tolerance | |")
    print("|---|---|--:|--:|--:|--:|---|")
    is_met = True
    for work in (one for one in (*WORKS, *SQUARES) if chosen.only in one.what):
        for hardware in ("1.0", "1.5"):
            errors = [error_of(work, hardware, seed) for seed in seeds]
            worst, mean, middle = max(errors), statistics.mean(errors), statistics.median(errors)
            mark = "" if worst <= work.tolerance else "**outside**"
            is_met &= worst <= work.tolerance
            print(
                f"| {work.what}, {work.unit} | {hardware} | {mean:.3g} | {middle:.3g} | "
                f"{worst:.3g} | {work.tolerance:g} | {mark} |"
            )
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
