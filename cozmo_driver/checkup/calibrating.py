"""``calibrate``: a robot measures itself by one cube: it turns, drives up to it and round it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np

from ..link import end
from ..perception import LearntMount, Mount, RobotPerception, save_mount
from ..protocol import ConnectionLost, NotConnected
from ..robot import (
    LOW_VOLTAGE,
    CubeEvent,
    CubeEventType,
    Measurement,
    Phase,
    Robot,
    RobotCalibration,
    RobotError,
    RobotEvent,
    RobotEventType,
    SessionState,
    load_robot_calibration,
    save_robot_calibration,
)
from .estimating import Fit, Problem, head_zero_of
from .surveying import CalibrationRefused, Survey

ROOM = 0.40
"""m of free table that it needs both ways, with the cube in the middle."""
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
_MISFIT, _WORST = 0.35, 1.2
"""Pixels by which images may be off their explanation: all of them on average, and any one."""
_SLIP = 6.0
"""Standard deviations by which a way or turn may be another one than counted."""
_PRINT = 0.03
"""Share by which a marker may differ from the drawn one."""
_TROUBLE = {
    RobotEventType.PICKED_UP: "the robot was lifted",
    RobotEventType.FALLING_STARTED: "the robot fell",
    RobotEventType.SHAKEN_STARTED: "the robot was shaken",
    RobotEventType.CLIFF_DETECTED: "the robot met an edge",
    RobotEventType.POTENTIAL_CLIFF: "the robot met an edge",
    RobotEventType.ROBOT_STOPPED: "the robot met an edge",
    RobotEventType.UNEXPECTED_MOVEMENT: "the robot was pushed or held, or met something",
    RobotEventType.DELOCALIZED: "the robot lost its place",
    RobotEventType.EMERGENCY_STOPPED: "the robot was stopped",
    RobotEventType.BATTERY_LOW: "the battery is low: charge the robot",
    RobotEventType.BATTERY_CRITICAL: "the battery is empty: charge the robot",
}


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    serial: int
    """Of the head."""
    measured: dict[str, Measurement]
    """By the names of ``robot.calibration.BOUNDS``."""
    mount: LearntMount
    """Of the camera, zero of the head included."""
    duration: float
    """s"""
    residual: float
    """Pixels by which corners are off, root mean square along an axis."""
    warnings: list[str] = field(default_factory=list)


async def calibrate(
    robot: Robot,
    perception: RobotPerception,
    *,
    on_progress: Callable[[str, float], object] = lambda what, share: None,
) -> CalibrationResult:
    """Measure a robot that stands 20 to 25 cm before a cube; ``on_progress`` takes what and 0 to 1.

    Stores nothing. The robot stands when it ends, however it ends. Raises ``CalibrationRefused``.
    """
    loop = asyncio.get_running_loop()
    _check_start(robot)
    begin, trouble = loop.time(), loop.create_future()

    def fail(text: str) -> None:
        if not trouble.done():
            trouble.set_result(text)

    survey = Survey(robot, perception, on_progress, fail)

    def on_event(event: RobotEvent) -> None:
        if event.type in _TROUBLE:
            fail(_TROUBLE[event.type])

    def on_cube_event(event: CubeEvent) -> None:
        is_moved = event.type in (CubeEventType.MOVED, CubeEventType.UP_AXIS_CHANGED)
        if is_moved and survey.cube == f"cube_{event.cube.kind.value}":
            fail("the cube was moved")

    def on_session(state: SessionState) -> None:
        if state.phase is not Phase.CONNECTED:
            fail("the link to the robot was lost")

    leave = [
        robot.on_session.connect(on_session),
        robot.on_state.connect(survey.on_state),
        robot.on_event.connect(on_event),
        robot.cubes.on_event.connect(on_cube_event),
    ]
    task = asyncio.ensure_future(survey.run())
    try:
        await asyncio.wait([task, trouble], return_when=asyncio.FIRST_COMPLETED)
        if trouble.done():
            raise CalibrationRefused(f"{trouble.result()}: nothing is kept, begin again")
        await task
    except RobotError as error:
        raise CalibrationRefused(f"{error}: nothing is kept, begin again") from error
    except (ConnectionLost, NotConnected) as error:
        raise CalibrationRefused(f"the link to the robot was lost: {error}") from error
    finally:
        await end(task)
        for disconnect in leave:
            disconnect()
    return result_of(survey, robot, perception, loop.time() - begin)


def keep_calibration(directory: Path, result: CalibrationResult) -> None:
    """Store what was measured, by the serial number. Raises ``OSError``."""
    kept = load_robot_calibration(directory, result.serial)
    save_robot_calibration(directory, result.serial, kept.with_values(result.measured))
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


def result_of(
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
    except (ValueError, np.linalg.LinAlgError) as error:
        raise CalibrationRefused(f"what was measured makes no sense: {error}") from error
    angles, spreads = (
        [float(values[name]) for name in ("pitch", "roll", "yaw")]
        for values in (fit.values, fit.deviations)
    )
    mount = LearntMount(Mount(*angles), (spreads[0], spreads[1], spreads[2]), len(survey.stations))
    serial = robot.identity.head_serial
    return CalibrationResult(serial, measured, mount, duration, fit.residual)


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


def _check(fit: Fit, spreads: dict[str, float]) -> None:
    """Raise ``CalibrationRefused`` for what must not be kept."""
    if fit.residual > _MISFIT or fit.worst > _WORST:
        raise CalibrationRefused(
            f"the images do not fit together ({fit.residual:.1f} pixels off): was the cube moved? "
            "Nothing is kept, begin again"
        )
    if fit.slip > _SLIP:
        raise CalibrationRefused(
            "the robot slipped or was pushed, or the cube was moved: nothing is kept, begin again"
        )
    if any(abs(size - 1.0) > _PRINT for size in fit.markers.values()):
        raise CalibrationRefused("the cube is not of the usual size: use one of the robot's own")
    spreads = {**spreads, "pitch": fit.deviations["pitch"], "roll": fit.deviations["roll"]}
    for name, most in WANTED.items():
        if spreads[name] > 2.0 * most:
            raise CalibrationRefused(
                f"{name} is not sure enough (+- {spreads[name]:.4f}): more light may help"
            )
