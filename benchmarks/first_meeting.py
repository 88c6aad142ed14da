"""What ``cozmo checkup`` makes of robots that it has never met: how right it is, and what it gives.

``python -m benchmarks.first_meeting`` prints a table; ``--robots 40`` how many emulated ones, each
with errors of its own, ``--minutes 60`` after which no other one begins. Each is checked on a desk,
calibrated before a cube, then drives a square and looks at cubes with what was measured, and is
compared with the twin that its report makes. In virtual time. 0 where all is as wanted.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cozmo_driver.checkup import (
    STEPS,
    Checkup,
    Files,
    Nobody,
    Verdict,
    chosen_steps,
    keep_measured,
    report_of,
    save_report,
)
from cozmo_driver.emulator import Identity
from cozmo_driver.perception import RobotPerception, load_mount
from cozmo_driver.robot import (
    LIGHT_CUBES,
    CameraOptions,
    data_directory,
    load_robot_calibration,
)
from test.checkup import desk
from test.robot.hands import hall, with_robot
from test.robot.test_odometry_truth import drive_by_poses, measured
from test.robot.virtual import in_virtual_time

from . import calibration, camera_pose
from .fidelity.twin import twin

_OTHER_STEPS = ["calibrate", "docking", "edge"]
"""The first has a table of its own, the others move the robot off its place."""
_PLACINGS = 4
_HEAD = -0.1
"""rad at which it looks at a cube that is 0.25 m ahead."""
_MOST_MINUTES, _MOST_MM, _MEDIAN_MM, _WANTED_ROWS = 10.0, 3.0, 20.0, 0.95


@dataclass(frozen=True, slots=True)
class Meeting:
    """What came of one robot."""

    minutes: float
    """Of its time."""
    failed: tuple[str, ...]
    """Steps whose verdict is that something is broken, which nothing is."""
    errors: dict[str, float]
    """As ``calibration.FIGURES`` have them."""
    square: float
    """mm by which odometry was off after 4 m."""
    cubes: tuple[float, ...]
    """mm by which cubes that it looked at are not where it takes them to be."""
    rows: int
    met: int
    """Rows of the twin, and how many are within their tolerance."""
    beside: tuple[str, ...]
    """The other rows."""


class MeetingFailed(RuntimeError):
    """A robot that was not calibrated."""


def meet(serial: int) -> Meeting:
    """Check, calibrate and use a robot. Raises ``MeetingFailed``."""
    hardware = ("1.0", "1.5")[serial % 2]
    with TemporaryDirectory() as folder, _data_in(Path(folder)):
        checkup, errors = _checked(serial, hardware, Path(folder) / "report")
        failed = [
            name for name, it in checkup.outcomes.items() if it.result.verdict is Verdict.FAILED
        ]
        rows = twin(Path(folder) / "report", serial)
        return Meeting(
            minutes=checkup.robot_time / 60.0,
            failed=tuple(failed),
            errors=errors,
            square=_square(serial, hardware),
            cubes=tuple(_cubes(serial, hardware)),
            rows=len(rows),
            met=sum(row.is_met for row in rows),
            beside=tuple(row.what for row in rows if not row.is_met),
        )


@contextmanager
def _data_in(folder: Path) -> Iterator[None]:
    """Let what is kept by serial number be kept in a folder of its own."""
    before = os.environ.get("XDG_DATA_HOME")
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_DATA_HOME"]
        else:
            os.environ["XDG_DATA_HOME"] = before


def _checked(serial: int, hardware: str, folder: Path) -> tuple[Checkup, dict[str, float]]:
    """Return the checkup with the calibration in it, and what errs by how much; make the report."""
    done: list[Checkup] = []
    tracks: list[float] = []

    @in_virtual_time(desk.emulated(serial, hardware, serial), cubes=())
    async def on_a_desk(world: Any) -> None:
        steps = chosen_steps(STEPS, skip=_OTHER_STEPS)
        done.append(Checkup(world.robot, desk.Helper(world), steps))
        await done[0].run()

    @in_virtual_time(
        calibration.emulated(serial), camera=CameraOptions(enabled=True), cubes=LIGHT_CUBES
    )
    async def before_a_cube(world: Any) -> None:
        calibrating = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["calibrate"]))
        await calibrating.run()
        checkup = done[0]
        checkup.outcomes |= calibrating.outcomes
        checkup.robot_time += calibrating.robot_time
        found = {name: outcome.result for name, outcome in checkup.outcomes.items()}
        keep_measured(data_directory(), serial, found)
        save_report(report_of(checkup, world.robot, b"salt"), folder, Files({}))
        tracks.append(world.firmware.body.wheels.track / 1000.0)

    on_a_desk()
    before_a_cube()
    outcome = done[0].outcomes["calibrate"].result
    mount = load_mount(data_directory(), serial)
    if outcome.verdict is not Verdict.PASSED or mount is None:
        raise MeetingFailed(outcome.sentence)
    kept = load_robot_calibration(data_directory(), serial).measured
    return done[0], calibration.errors_of(kept, mount.mount, serial, tracks[0])


def _square(serial: int, hardware: str) -> float:
    """Return by how much odometry is off after a square of 4 m, mm."""
    identity = Identity(head_serial=serial)
    robot = hall(ideal=False, seed=serial, hardware=hardware, identity=identity)
    errors: list[float] = []

    @with_robot(robot, calibration_directory=data_directory())
    async def drive(world: Any) -> None:
        errors.append(1e3 * (await measured(world, drive_by_poses))[0])

    drive()
    return errors[0]


def _cubes(serial: int, hardware: str) -> list[float]:
    """Return by how much cubes ahead are off where the robot takes them to be, mm."""
    random = np.random.default_rng(serial)
    errors: list[float] = []
    robot = camera_pose.emulated(serial, random) | {"hardware": hardware}
    camera = CameraOptions(enabled=True)

    @in_virtual_time(emulator=robot, camera=camera, calibration_directory=data_directory())
    async def look(world: Any) -> None:
        async with RobotPerception(world.robot, directory=data_directory()) as eyes:
            await world.robot.joints.move_head(_HEAD)
            for _ in range(_PLACINGS):
                errors.append(1e3 * (await camera_pose.figures(world, eyes, random)).cube)

    look()
    return errors


def _table(meetings: Sequence[Meeting], refused: int) -> tuple[list[str], bool]:
    """Return the lines of the table, and whether all is as wanted."""
    rows = [
        ("robot time, minutes", [one.minutes for one in meetings], _MOST_MINUTES),
        *(
            (f"{name}, {figure.unit}", [abs(one.errors[name]) for one in meetings], figure.wanted)
            for name, figure in calibration.FIGURES.items()
        ),
        ("cube at 250 mm, mm", [off for one in meetings for off in one.cubes], _MOST_MM),
    ]
    lines = [
        f"| {len(meetings) + refused} robots, {refused} refused | median | 90 % | worst | wanted |",
        "|---|--:|--:|--:|--:|",
    ]
    are_met = not refused
    for name, values, wanted in rows:
        within = sum(value <= wanted for value in values)
        are_met &= within == len(values)
        lines.append(f"| {name} | {_shown(values)} | {within} of {len(values)} within {wanted:g} |")
    squares = [one.square for one in meetings]
    are_met &= float(np.median(squares)) <= _MEDIAN_MM
    lines.append(
        f"| odometry after a square of 4 m, mm | {_shown(squares)} | median {_MEDIAN_MM:g} |"
    )
    shares = [one.met / one.rows for one in meetings]
    alike = sum(share >= _WANTED_ROWS for share in shares)
    are_met &= alike == len(shares)
    lines.append(
        f"| twin's rows outside their tolerance, % | {_shown([100 - 100 * s for s in shares])} | "
        f"{alike} of {len(shares)} within {100 * (1 - _WANTED_ROWS):.0f} |"
    )
    return lines, are_met and not any(one.failed for one in meetings)


def _shown(values: Sequence[float]) -> str:
    # A cube that was not seen is NaN, and worse than any other.
    known = np.nan_to_num(values, nan=math.inf)
    return " | ".join(f"{np.quantile(known, q, method='higher'):.3f}" for q in (0.5, 0.9, 1.0))


def main() -> int:
    """Print a line for each robot on stderr, and the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_meeting", description=__doc__)
    parser.add_argument("--robots", type=int, default=40, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first one's serial number")
    parser.add_argument("--minutes", type=float, default=math.inf, help="for all of them")
    chosen = parser.parse_args()
    deadline = time.monotonic() + 60.0 * chosen.minutes
    meetings: list[Meeting] = []
    refused = 0
    for serial in range(chosen.first, chosen.first + chosen.robots):
        if time.monotonic() > deadline:
            break
        try:
            meeting = meet(serial)
        except MeetingFailed as error:
            refused += 1
            print(f"{serial}: {error}", file=sys.stderr, flush=True)
            continue
        meetings.append(meeting)
        print(f"{serial}: {meeting}", file=sys.stderr, flush=True)
    if not meetings:
        return 1
    lines, are_met = _table(meetings, refused)
    print("\n".join(lines))
    return 0 if are_met else 1


if __name__ == "__main__":
    sys.exit(main())
