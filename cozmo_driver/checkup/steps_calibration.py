"""The step that calibrates the robot by a cube, and keeps what it measured."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..perception import RobotPerception
from ..robot import Robot, RobotError, data_directory
from .bench import Bench
from .calibrating import ROOM, CalibrationResult, keep_calibration, measure
from .guard import Guard, Interruption
from .seeing import learnt_templates, open_perception
from .step import Motion, Quantity, Result, Step, Verdict, failed, skipped
from .surveying import CalibrationRefused

_UNITS = {"head_zero": "rad", "track_width": "m", "fx": "px", "fy": "px", "cx": "px", "cy": "px"}
_ANGLES = ("pitch", "roll", "yaw")


def _untold(what: str, share: float) -> None:
    pass


async def calibrate(
    robot: Robot,
    perception: RobotPerception,
    *,
    on_progress: Callable[[str, float], object] = _untold,
) -> CalibrationResult:
    """Measure a robot that stands 20 to 25 cm before a cube; ``on_progress`` takes what and 0 to 1.

    Stores nothing. The robot stands when it ends, however it ends. Raises ``CalibrationRefused``.
    """
    try:
        result = await Guard(robot, STEP).run(measure(robot, perception, on_progress))
    except RobotError as error:
        raise CalibrationRefused(f"{error}: nothing is kept, begin again") from error
    if isinstance(result, Interruption):
        raise CalibrationRefused(f"{result.text}: nothing is kept, begin again")
    return result


async def _calibrate(bench: Bench) -> Result:
    async with open_perception(bench, learnt_templates()) as perception:
        try:
            result = await measure(bench.robot, perception, _untold)
        except CalibrationRefused as error:
            return skipped(str(error), "repeat the step; see docs/calibration.md")
    values = {
        name: Quantity(one.value, _UNITS.get(name, "")) for name, one in result.measured.items()
    }
    values |= {name: Quantity(getattr(result.mount.mount, name), "rad") for name in _ANGLES}
    sentence = (
        f"drives {result.measured['distance_scale'].value:.4f} and turns "
        f"{result.measured['turn_scale'].value:.4f} times as far as it counts"
    )
    try:
        await asyncio.to_thread(keep_calibration, data_directory(), result)
    except OSError as error:
        return failed(f"{sentence}; not kept: {error}", "make room on the disk", **values)
    return Result(Verdict.PASSED, f"{sentence}; the driver uses it from now on", values)


STEP = Step(
    "calibrate",
    "Calibration by a cube",
    "It turns, nods, drives up to a cube and once round it, for three minutes; what it measures is "
    "kept for the driver.",
    _calibrate,
    needs=f"{100 * ROOM[0]:.0f} x {100 * ROOM[1]:.0f} cm of free table with an upright cube "
    f"{50 * ROOM[1]:.0f} cm from three of its sides; the robot looks at it from the fourth, from "
    "20 to 25 cm away",
    motion=Motion.TREADS,
    is_optional=True,
    is_on_ground=True,
)
