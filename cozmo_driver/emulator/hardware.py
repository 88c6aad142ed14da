"""Physical figures of the emulated robot: geometry, motors, sensors, battery.

mm, mm/s, rad, s and V; measured on real robots unless a figure is called an estimate. What differs
between the two robots of firmware 2457 that were measured is in ``robot_1.0.json`` (B) and
``robot_1.5.json`` (A), written like reports of ``cozmo checkup`` (spec 18). Where only one of them
was seen doing something, both have its figure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..protocol import MotorID
from ..robot_bounds import check_possible

Vector = tuple[float, float, float]

# -- treads (spec 07 §3-4, §13)

MAX_TREAD_SPEED = 220.0
MAX_TREAD_ACCEL = 10_000.0
DEFAULT_TREAD_ACCEL = 1500.0
"""When the engine asks for none."""
TREAD_DISTANCE = 46.0
"""Between the centres of the treads."""
EFFECTIVE_TRACK = 69.0
"""Turning in place the treads slip, which looks like a wider track: what the robot reckons with."""
FLOOR_TRACKS = (69.0, 92.0)
"""What it is on floors that were seen (spec 07 §3)."""
STEEPEST_FLOOR = math.radians(3.0)
"""Slope of a floor or table that people call level. An estimate."""
DRIVE_CENTER_OFFSET = -20.0
"""From the robot's origin, the middle of the front axle, to the point it turns about."""
GRIP = 0.8 * 9806.0
"""Acceleration that the floor can give the robot; friction 0.8 (spec 13 §6)."""
TREAD_SLIP = 0.02
"""Spread of a tread's speed from step to step, as a share of it. An estimate."""
TREAD_START_DELAY, TREAD_STOP_DELAY = 0.045, 0.060
"""From a command to the first motion of a tread that rests, and to the braking (spec 18). That
another speed of one that turns takes as long as a start is an assumption."""
TREAD_BREAKAWAY = 20.0
"""A tread that rests is not started by a slower command (spec 14)."""
TREAD_LAG_FORWARD, TREAD_LAG_BACKWARD = (0.0, 0.32), (0.80, 0.07)
TREAD_CREEP = (0.05, 0.55)
"""Shares of the speed that are missing at the start, and the times in which they come (spec 18)."""
TREAD_JITTER = 1.0
"""Standard deviation of a reported speed."""
TREAD_TICK = 0.061
"""Travel between two ticks of the encoders: what the reported pose goes on by (spec 18)."""
TREADS_FROZEN = (0.18, 0.21)
"""Left and right: a tread that has come to rest still reports its last speed for so long."""
TREADS_STILL_AFTER = 0.21
"""From a reported speed of 0 until the robot no longer counts the treads as moving."""
PATH_DELAY = 0.095
"""From a path or turn to the first motion of a robot that stands (spec 18)."""
TURN_VIGOUR = 1.5
"""Factor of the acceleration that is asked for a turn to a heading (spec 18)."""

# -- head and lift (spec 07 §1, §6, §13)

HEAD_LIMITS = (-0.436332, 0.776672)
LIFT_HEIGHTS = (32.0, 92.0)
"""Of the lift's wrist above ground."""
LIFT_PIVOT = (-41.0, 45.0)
"""Ahead of the robot's origin, and above ground."""
LIFT_ARM = 66.0
MAX_JOINT_ACCEL = 1000.0
JOINT_START_DELAY, JOINT_REPORTED_AFTER = 0.050, 0.040
"""From a command to the first step, and from there to IS_MOVING (spec 18)."""
IN_POSITION_AFTER, IN_POSITION = 0.09, 0.017
"""After the arrival, and that close to the target, a joint counts as in position (spec 18)."""
CALIBRATED_STILL_AFTER, REBOUND_AFTER = 0.30, 0.02
"""From the end of a calibration until the robot counts as still, and until the stop gives way."""
HEAD_SHAKEN_TO = 0.013
"""Before its target, to which the lift's moves shake a head that stopped shorter (spec 18)."""
CALIBRATION_SPEED = 1.5
LATER_CALIBRATION = {MotorID.LIFT: 0.53, MotorID.HEAD: 0.53}
"""Time that a calibration on request takes."""

# -- IMU (spec 10 §1.1)

ACCEL_STEP, GYRO_STEPS = 0.5987549, (0.00026606, 0.00026606, 0.00026127)
"""mm/s^2 and rad/s of one count (spec 18)."""
IMU_COUNTS = 32767
"""The largest count either way: 2 g and 500 deg/s."""
GYRO_SCALE = 180.0 / 182.4
"""Turn that the robot reports for a true one (spec 14)."""
PITCH_FILTER = 0.1
"""Share of what gravity says now in the next state's pitch, as recorded after a calibration."""
PITCH_SHAKE = 0.0018
"""Pitch that a rad/s^2 of the head costs (spec 18)."""
YAW_STEP, YAW_RETURN = 4e-5, 0.02
"""rad and share, for each state: how the reported yaw wanders about what was reckoned."""
CHARGER_TILT = -0.084
"""Pitch of a robot on its charger (spec 18)."""
IMU_LEVER = -7.2 - DRIVE_CENTER_OFFSET
"""That the sensor is ahead of the drive centre, with a level head (spec 13 §2)."""

# -- cliff sensor (spec 10 §4)

ON_GROUND = 880
IN_AIR = 8
"""Raw reflectance, as of the noise."""
CLIFF_THRESHOLD, CLIFF_RELEASE = 400, 1.5
"""What reads less is no ground, until it reads so many times as much: 600. That this is so with
other thresholds, too, is an assumption."""
CLIFF_FLICKER = 0.2
"""Share of the readings that are one higher."""
CLIFF_SENSOR = 5.0
"""Ahead of the robot's origin (spec 13 §2)."""

# -- battery (spec 10 §1.2)

FULL = 4.05
"""At rest, of a cell that takes no more."""
EMPTY = 3.0
DRAIN = 0.001 / 20
"""V/s."""
CHARGE = (FULL - 3.4) / 1800
"""V/s: half an hour for an empty cell."""
LOAD_DROP = 0.016
"""That a motor costs (spec 18)."""
VOLTAGE_STEP, VOLTAGE_UNIT = 0.0147, 0.004
"""Between two values of the robot's converter, and what they are rounded to, as recorded."""
VOLTAGE_DIPS = 0.03
"""Share of the readings that are one to three values too low."""

# -- what differs


@dataclass(frozen=True, slots=True)
class Motor:
    """The motor of head or lift; rad, s."""

    step: float
    """Of the angle that is reported."""
    short_up: float
    short_down: float
    """How far before its target a move up or down ends; negative for beyond."""
    top_speed: tuple[float, float]
    """Up and down, rad/s."""
    vigour: float
    """Factor of the acceleration that is asked for."""
    still_after: float
    """From the last step until the robot no longer counts the motor as moving."""
    rebound: int
    """Steps that the stop of the calibration gives back."""
    calibrated_after: float
    """s after a calibration until the motor counts as in position."""


@dataclass(frozen=True, slots=True)
class Hardware:
    head_revision: int
    """In RobotAvailable and trace 1203."""
    body_version: int
    """In ManufacturingID."""
    head: Motor
    lift: Motor
    calibrates_first: bool
    """Whether the calibration starts before SyncTimeAck, as in B's recording, or after it."""
    calibration: tuple[float, float]
    """s that lift and head take after SyncTime."""
    accel_bias: Vector
    """mm/s^2, in the head's frame: what was measured on a table less gravity at that head angle."""
    accel_noise: Vector
    """Standard deviation, mm/s^2."""
    gyro_noise: Vector
    """Standard deviation, rad/s."""
    cliff: int
    """Reflectance of a table."""
    charger_volts: tuple[float, ...]
    """Usual readings on the charger, V."""
    charger_dips: tuple[float, ...]
    """Single ones in between, V."""


_AXES = "xyz"
_GRAVITY = 9.806
_POSSIBLE: dict[str, tuple[float, float]] = {
    **{f"sensors.accelerometer_{axis}": (-20.0, 20.0) for axis in _AXES},
    **{f"sensors.accelerometer_noise_{axis}": (0.0, 2.0) for axis in _AXES},
    **{f"sensors.gyro_noise_{axis}": (0.0, 0.2) for axis in _AXES},
    "sensors.head_angle": (-0.6, 0.9),
    "sensors.pitch": (-0.5, 0.5),
    "slope.pitch_zero": (-0.5, 0.5),
    "sensors.cliff": (100.0, 1500.0),
    "identity.head_revision": (0, 65535),
    "identity.body_hardware": (0, 255),
    "calibration.lift_at_start": (0.1, 10.0),
    "calibration.head_at_start": (0.1, 10.0),
    **{
        f"{motor}.{name}": limits
        for motor in ("head", "lift")
        for name, limits in {
            "step": (0.0005, 0.05),
            "vigour": (0.1, 30.0),
            "still_after": (0.0, 2.0),
            "rebound": (0, 10),
            "calibrated_after": (0.0, 2.0),
        }.items()
    },
    "head.most_speed": (1.0, 100.0),
    "head.short_up": (-0.2, 0.2),
    "head.short_down": (-0.2, 0.2),
    "lift.short_up": (-0.01, 0.01),
    "lift.peak_speed_up": (0.3, 20.0),
    "lift.peak_speed_down": (0.3, 20.0),
    **{f"battery.charger_{name}": (4.0, 5.5) for name in ("voltage", "reading", "dip")},
}
"""SI, by names without a number at their end; some ten times as far as two robots differ, or as far
as a field of a message goes. An assumption."""


def hardware_like(figures: Mapping[str, float]) -> Hardware:
    """Return the robot of a report of ``cozmo checkup``, whose values are named STEP.NAME; SI.

    What its steps do not measure is among those of ``FIGURES``. Raises ``ValueError`` for what no
    robot has.
    """
    for name, value in figures.items():
        bounds = _POSSIBLE.get(name.rstrip("_0123456789"), (-math.inf, math.inf))
        check_possible(name, value, bounds)
    ax, ay, az, *accel_noise = (
        1e3 * figures[f"sensors.accelerometer_{kind}{axis}"]
        for kind in ("", "noise_")
        for axis in _AXES
    )
    gx, gy, gz = (figures[f"sensors.gyro_noise_{axis}"] for axis in _AXES)
    head = figures["sensors.head_angle"] + figures.get("calibrate.head_zero", 0.0) + _tilt(figures)
    lift_short = 1e3 * figures["lift.short_up"] / LIFT_ARM
    head_speed = figures["head.most_speed"]
    lift_speeds = figures["lift.peak_speed_up"], figures["lift.peak_speed_down"]
    volts = figures.get("battery.charger_voltage")
    return Hardware(
        head_revision=round(figures["identity.head_revision"]),
        body_version=round(figures["identity.body_hardware"]),
        head=_motor(
            figures,
            "head",
            (figures["head.short_up"], figures["head.short_down"]),
            (head_speed, head_speed),
        ),
        lift=_motor(figures, "lift", (lift_short, 0.0), lift_speeds),
        calibrates_first=bool(figures["calibration.is_before_sync"]),
        calibration=(figures["calibration.lift_at_start"], figures["calibration.head_at_start"]),
        accel_bias=(
            ax - 1e3 * _GRAVITY * math.sin(head),
            ay,
            az - 1e3 * _GRAVITY * math.cos(head),
        ),
        accel_noise=(accel_noise[0], accel_noise[1], accel_noise[2]),
        gyro_noise=(gx, gy, gz),
        cliff=round(figures["sensors.cliff"]),
        charger_volts=_all(figures, "battery.charger_reading_") if volts is None else (volts,),
        charger_dips=_all(figures, "battery.charger_dip_") if volts is None else (volts,),
    )


def _tilt(figures: Mapping[str, float]) -> float:
    """Return by how much the body's nose was up while its sensors were measured, rad."""
    pitch, level = figures.get("sensors.pitch"), figures.get("slope.pitch_zero")
    if pitch is not None and level is not None:
        return level - pitch
    return CHARGER_TILT if "battery.charger_voltage" in figures else 0.0


def _motor(
    figures: Mapping[str, float],
    name: str,
    short: tuple[float, float],
    top_speed: tuple[float, float],
) -> Motor:
    return Motor(
        step=figures[f"{name}.step"],
        short_up=short[0],
        short_down=short[1],
        top_speed=top_speed,
        vigour=figures[f"{name}.vigour"],
        still_after=figures[f"{name}.still_after"],
        rebound=round(figures[f"{name}.rebound"]),
        calibrated_after=figures[f"{name}.calibrated_after"],
    )


def _all(figures: Mapping[str, float], begin: str) -> tuple[float, ...]:
    return tuple(value for name, value in figures.items() if name.startswith(begin))


def robot_file(name: str) -> Path:
    """Return the report of a measured robot by the name of its hardware."""
    return Path(__file__).with_name(f"robot_{name}.json")


def _figures_of(name: str) -> dict[str, float]:
    steps = json.loads(robot_file(name).read_text(encoding="utf-8"))["steps"]
    return {
        f"{step['name']}.{one}": given["value"]
        for step in steps
        for one, given in step["values"].items()
    }


FIGURES = {name: _figures_of(name) for name in ("1.0", "1.5")}
"""Of robot B and A, by the name that the body's version has (spec 00, 18)."""
HARDWARE = {name: hardware_like(figures) for name, figures in FIGURES.items()}

DEFAULT_HARDWARE = "1.5"
