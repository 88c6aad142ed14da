"""How a robot errs, measured by itself and one cube: it turns, drives up to it and round it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from ..perception import (
    LearntMount,
    Mount,
    PrintedCube,
    RobotPerception,
    check_mount,
    save_mount,
    save_prints,
)
from ..robot import (
    LOW_VOLTAGE,
    Measurement,
    Robot,
    RobotCalibration,
    load_robot_calibration,
    save_robot_calibration,
)
from .estimating import Fit, Problem, head_zero_of
from .surveying import CalibrationRefused, Survey

ROOM = 0.60, 0.40
"""m of free table that it needs, with the cube's middle half the width from three of its sides; the
robot looks at it from the fourth. It reaches 0.38 m from that middle where it turns at its start,
25 cm from the cube, and 0.19 m on the path round it."""
WANTED = {
    "distance_scale": 0.003,
    "turn_scale": 0.003,
    "track_width": 0.0014,
    "fx": 3.0,
    "fy": 3.0,
    "head_zero": math.radians(0.3),
    "pitch": math.radians(0.3),
    "roll": math.radians(0.3),
}
"""How well each shall be known; what is known half as well is not kept."""
_TRACK_NOISE = 0.01
"""Share by which a track may err beyond what spins differ by: speeds come in whole mm/s."""
_RESIDUAL, _WORST = 0.35, 1.2
"""Pixels by which images may be off their explanation: all of them on average, and any one."""
_SLIP = 6.0
"""Standard deviations by which a distance or turn may differ from what was counted."""
_PRINT = 0.03
"""Share by which a marker may differ from the drawn one."""


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    serial: int
    """Of the head."""
    measured: dict[str, Measurement]
    """By the names of ``MEASURED_BOUNDS``."""
    mount: LearntMount
    """Of the camera, zero of the head included."""
    duration: float
    """s"""
    residual: float
    """Pixels by which corners are off, root mean square along an axis."""
    cube: str
    printed: PrintedCube | None
    """How that cube's markers were printed; None where several such cubes are near."""


async def measure(
    robot: Robot, perception: RobotPerception, on_progress: Callable[[str, float], object]
) -> CalibrationResult:
    """Measure a robot that stands 20 to 25 cm before a cube; ``on_progress`` takes what and 0 to 1.

    Raises ``CalibrationRefused``, ``RobotError`` and ``ConnectionLost``; the treads may turn then.
    """
    begun = asyncio.get_running_loop().time()
    _check_start(robot)
    survey = Survey(robot, perception, on_progress)
    await survey.run()
    return _result_of(survey, robot, perception, asyncio.get_running_loop().time() - begun)


def keep_calibration(directory: Path, result: CalibrationResult) -> None:
    """Store what was measured, by the serial number. Raises ``OSError``."""
    kept = load_robot_calibration(directory, result.serial)
    save_robot_calibration(directory, result.serial, kept.with_values(result.measured))
    if result.printed is not None:
        save_prints(directory, result.serial, result.cube, result.printed)
    save_mount(directory, result.serial, result.mount)


def _check_start(robot: Robot) -> None:
    """Raise ``CalibrationRefused`` for a robot that cannot begin."""
    state, battery = robot.state, robot.battery
    if state is None or battery is None:
        raise CalibrationRefused("the robot has reported nothing yet")
    if state.is_on_charger:
        raise CalibrationRefused("the robot is on its charger: put it on the table before a cube")
    if state.is_off_ground:
        raise CalibrationRefused("the robot does not stand on its treads: put it on the table")
    if battery.voltage < LOW_VOLTAGE:
        raise CalibrationRefused(f"the battery is low, {battery.voltage:.2f} V: charge the robot")


def _result_of(
    survey: Survey, robot: Robot, perception: RobotPerception, duration: float
) -> CalibrationResult:
    """Put together what was collected. Raises ``CalibrationRefused`` where it makes no sense."""
    camera, today = perception.camera, f"cozmo calibrate {date.today().isoformat()}"
    x, y, facing = survey.first
    try:
        zero, zero_spread = head_zero_of(survey.feelings)
        fit = Problem(
            survey.stations,
            survey.views,
            (camera.fx + camera.fy) / 2,
            camera.cx,
            camera.cy,
            zero,
            {"x": x, "y": y, "facing": facing},
        ).solve()
        tracks = np.array(survey.tracks) / fit.values["turn"]
        found = {
            **_values(fit),
            "head_zero": (zero, zero_spread),
            "track_width": (
                float(tracks.mean()),
                float(np.hypot(tracks.std(), _TRACK_NOISE * tracks.mean())),
            ),
        }
        measured = {name: Measurement(*pair, today) for name, pair in found.items()}
        _check(fit, {name: spread for name, (_, spread) in found.items()})
        RobotCalibration().with_values(measured)
        mount = _mount(fit, len(survey.stations))
        check_mount(mount)
    except (ValueError, np.linalg.LinAlgError) as error:
        raise CalibrationRefused(
            f"what was measured makes no sense: {error}. Nothing is kept"
        ) from error
    serial = robot.identity.head_serial
    printed = survey.printed(fit.markers)
    return CalibrationResult(serial, measured, mount, duration, fit.residual, survey.cube, printed)


def _values(fit: Fit) -> dict[str, tuple[float, float]]:
    """Return what the fit tells by the names under which it is kept."""
    names = {
        "distance_scale": "distance",
        "turn_scale": "turn",
        "fx": "focal",
        "fy": "focal",
        "cx": "cx",
        "cy": "cy",
    }
    return {name: (fit.values[own], fit.deviations[own]) for name, own in names.items()}


def _mount(fit: Fit, stations: int) -> LearntMount:
    angles, (pitch, roll, yaw) = (
        [float(values[name]) for name in ("pitch", "roll", "yaw")]
        for values in (fit.values, fit.deviations)
    )
    return LearntMount(Mount(*angles), (pitch, roll, yaw), stations)


def _check(fit: Fit, spreads: dict[str, float]) -> None:
    """Raise ``CalibrationRefused`` for what must not be kept."""
    if fit.residual > _RESIDUAL or fit.worst > _WORST:
        raise CalibrationRefused(
            f"the images do not fit together ({fit.residual:.1f} pixels off): was the cube moved? "
            "Nothing is kept, begin again"
        )
    if fit.slip > _SLIP:
        raise CalibrationRefused(
            "the robot slipped or was pushed, or the cube was moved: nothing is kept, begin again"
        )
    if any(abs(one.scale - 1.0) > _PRINT for one in fit.markers.values()):
        raise CalibrationRefused("the cube is not of the usual size: use one of the robot's own")
    spreads = {**spreads, "pitch": fit.deviations["pitch"], "roll": fit.deviations["roll"]}
    for name, most in WANTED.items():
        if spreads[name] > 2.0 * most:
            raise CalibrationRefused(
                f"{name} is not sure enough (+- {spreads[name]:.4f}): more light may help"
            )
