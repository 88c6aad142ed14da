"""How well ``cozmo calibrate`` measures emulated robots, each one with errors of its own.

``python -m benchmarks.calibration`` prints a table; ``--robots 40`` how many, each with a camera, a
head, treads, a gyro, a floor and a cube of its own, in virtual time. 0 where all are as wanted.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cozmo_driver.checkup import ROOM, CalibrationRefused, CalibrationResult, calibrate
from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.variation import variation_of
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.perception import Mount, RobotPerception
from cozmo_driver.robot import CameraOptions, Measurement
from test.robot.virtual import in_virtual_time

_FLOOR = {"rectangle": [-0.5, -0.5, 0.8, 0.5], "pattern": "wood"}
_CENTER = 0.032 + 0.022
"""m of the middle of a cube that touches the robot, ahead of its origin."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What is measured, in what it is told."""

    unit: str
    factor: float
    wanted: float
    """How well, in the figure's unit."""


FIGURES = {
    "distance scale": Figure("%", 100.0, 0.3),
    "gyro scale": Figure("%", 100.0, 0.3),
    "track": Figure("%", 100.0, 2.0),
    "focal length": Figure("%", 100.0, 1.0),
    "pitch": Figure("degrees", math.degrees(1.0), 0.3),
    "roll": Figure("degrees", math.degrees(1.0), 0.3),
    "yaw": Figure("degrees", math.degrees(1.0), 0.3),
    "head zero": Figure("degrees", math.degrees(1.0), 0.3),
}


def emulated(serial: int, *, is_small: bool = False, **options: Any) -> dict[str, Any]:
    """Return the options of an emulated robot that stands 20 to 25 cm before a cube.

    ``is_small``: on a table of just the size that it needs.
    """
    random = np.random.default_rng(serial)
    away, aside = _CENTER + random.uniform(0.20, 0.25), random.uniform(-0.03, 0.03)
    cube = {"number": 1, "x": away, "y": aside, "yaw": random.uniform(-180.0, 180.0)}
    length, side = ROOM[0], ROOM[1] / 2
    small = {"rectangle": [away + side - length, aside - side, away + side, aside + side]}
    floor = [{**_FLOOR, **small}] if is_small else [_FLOOR]
    layout = layout_of({"name": "table", "floor": floor, "cubes": [cube]}, "calibration")
    return {
        "world": lambda: World(layout, seed=serial),
        "seed": serial,
        "identity": Identity(head_serial=serial),
        "hardware": ("1.0", "1.5")[serial % 2],
        **options,
    }


def measure(serial: int, **options: Any) -> tuple[CalibrationResult, dict[str, float]]:
    """Calibrate a robot; return that and by how much each figure errs, in its unit.

    Raises ``CalibrationRefused``.
    """
    found: list[tuple[CalibrationResult, dict[str, float]]] = []
    failed: list[CalibrationRefused] = []

    @in_virtual_time(emulator=emulated(serial, **options), camera=CameraOptions(enabled=True))
    async def run(world: Any) -> None:
        with TemporaryDirectory() as folder:
            async with RobotPerception(world.robot, directory=Path(folder)) as perception:
                await world.until(lambda: world.robot.odometry)
                try:
                    result = await calibrate(world.robot, perception)
                except CalibrationRefused as error:
                    failed.append(error)
                else:
                    track = world.firmware.body.wheels.track / 1000.0
                    errors = errors_of(result.measured, result.mount.mount, serial, track)
                    found.append((result, errors))

    run()
    if failed:
        raise failed[0]
    return found[0]


def errors_of(
    measured: Mapping[str, Measurement], mount: Mount, serial: int, track: float
) -> dict[str, float]:
    """Return by how much each figure errs, in its unit; the floor's ``track`` in m."""
    own = variation_of(serial)
    distance = sum(own.tread_scales) / 2
    track /= distance
    off = {
        "distance scale": measured["distance_scale"].value - distance,
        "gyro scale": measured["turn_scale"].value * own.gyro_scales[2] - 1.0,
        "track": measured["track_width"].value / track - 1.0,
        "focal length": measured["fx"].value / own.optics.lens.fx - 1.0,
        "pitch": mount.pitch - (own.head_zero - own.optics.down),
        "roll": mount.roll - own.optics.roll,
        "yaw": mount.yaw - own.optics.left,
        "head zero": measured["head_zero"].value - own.head_zero,
    }
    return {name: error * FIGURES[name].factor for name, error in off.items()}


def main() -> int:
    """Print a line for each robot on stderr, and the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--robots", type=int, default=40, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first one's serial number")
    chosen = parser.parse_args()
    errors: list[dict[str, float]] = []
    durations, refused = [], 0
    for serial in range(chosen.first, chosen.first + chosen.robots):
        try:
            result, off = measure(serial)
        except CalibrationRefused as error:
            refused += 1
            print(f"{serial:x}: {error}", file=sys.stderr, flush=True)
            continue
        errors.append(off)
        durations.append(result.duration)
        text = ", ".join(f"{name} {value:+.3f}" for name, value in off.items())
        sure = 100.0 * result.measured["distance_scale"].deviation
        print(
            f"{serial:x}: {text}; +-{sure:.2f} %, {result.residual:.2f} pixels, "
            f"{result.duration:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    print(f"| {chosen.robots} robots, {refused} refused | median | 90 % | worst | wanted |")
    print("|---|--:|--:|--:|--:|")
    are_met = not refused
    if not errors:
        return 1
    for name, figure in FIGURES.items():
        values = np.abs([off[name] for off in errors])
        within = int((values <= figure.wanted).sum())
        are_met &= within == len(values)
        shown = " | ".join(f"{np.quantile(values, share):.3f}" for share in (0.5, 0.9, 1.0))
        met = f"{within} of {len(values)} within {figure.wanted:g}"
        print(f"| {name}, {figure.unit} | {shown} | {met} |")
    print(f"\n{np.median(durations):.0f} s of robot time, at most {max(durations):.0f} s.")
    return 0 if are_met else 1


if __name__ == "__main__":
    sys.exit(main())
