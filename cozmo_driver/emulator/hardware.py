"""Physical figures of the emulated robot: geometry, motors, sensors, battery.

mm, mm/s, rad, s and V; measured on real robots unless a figure is called an estimate. ``HARDWARE``
has what differs between the two robots of firmware 2457 that were measured: A is hardware 1.5, B
hardware 1.0 (spec 18). Where only one of them was seen doing something, both have its figure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..protocol import MotorID

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
"""From a command to the first motion of a tread that rests, and to the braking (spec 18)."""
TREAD_LAG_FORWARD, TREAD_LAG_BACKWARD = (0.0, 0.32), (0.80, 0.07)
TREAD_CREEP = (0.05, 0.55)
"""Shares of the speed that are missing at the start, and the times in which they come (spec 18)."""
TREAD_JITTER = 1.0
"""Standard deviation of a reported speed."""
TREAD_TICK = 0.061
"""Way between two ticks of the encoders: what the reported pose goes on by (spec 18)."""
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
CLIFF_FLICKER = 0.2
"""Share of the readings that are one higher."""
CLIFF_SENSOR = 5.0
"""Ahead of the robot's origin (spec 13 §2)."""

# -- battery (spec 10 §1.2)

FULL = 4.2
"""Of a cell that takes no more."""
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


# The lift ends 1.1 mm too high, rises with 2.4 and falls with 3.4 rad/s, reached within a state.
_LIFT = Motor(
    step=0.0091,
    short_up=-0.0165,
    short_down=0.0,
    top_speed=(2.4, 3.4),
    vigour=3.0,
    still_after=0.030,
    rebound=0,
    calibrated_after=0.12,
)
# Nothing but the acceleration limits the head: 3.93 rad/s were seen, over sqrt(accel x way).
_HEAD = Motor(
    step=0.0045166,
    short_up=0.001,
    short_down=0.001,
    top_speed=(15.0, 15.0),
    vigour=1.15,
    still_after=0.220,
    rebound=1,
    calibrated_after=0.0,
)

HARDWARE = {
    "1.0": Hardware(
        head_revision=0,
        body_version=4,
        head=replace(_HEAD, short_up=0.018, short_down=0.040, still_after=0.030, rebound=2),
        lift=_LIFT,
        calibrates_first=True,
        calibration=(1.131, 1.130),
        # (-2391, -761, 9502) with the head at -0.287 rad.
        accel_bias=(385.0, -761.0, 97.0),
        accel_noise=(11.0, 7.0, 7.0),
        gyro_noise=(0.9e-3, 0.3e-3, 0.5e-3),
        cliff=888,
        charger_volts=(4.684, 4.700, 4.712, 4.728),
        charger_dips=(4.600, 4.616),
    ),
    "1.5": Hardware(
        head_revision=5,
        body_version=5,
        head=_HEAD,
        lift=_LIFT,
        calibrates_first=False,
        calibration=(0.78, 1.25),
        # (-3279, 1139, 9739) with the head at -0.432 rad.
        accel_bias=(826.0, 1139.0, 834.0),
        accel_noise=(11.0, 12.0, 9.0),
        gyro_noise=(0.4e-3, 0.9e-3, 0.9e-3),
        cliff=872,
        charger_volts=(4.672, 4.684),
        charger_dips=(4.628,),
    ),
}
"""By the name that the body's version has (spec 00)."""

DEFAULT_HARDWARE = "1.5"
