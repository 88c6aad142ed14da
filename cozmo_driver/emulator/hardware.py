"""Physical figures of the emulated robot: geometry, motors, sensors, battery.

mm, mm/s, rad, s and V; measured on real robots unless a figure is called an estimate.
"""

from __future__ import annotations

from ..protocol.enums import MotorID

# -- treads (spec 07 §3-4, §13)

MAX_TREAD_SPEED = 220.0
MAX_TREAD_ACCEL = 10_000.0
DEFAULT_TREAD_ACCEL = 1500.0
"""When the engine asks for none."""
TREAD_DISTANCE = 46.0
"""Between the centres of the treads."""
EFFECTIVE_TRACK = 69.0
"""Turning in place the treads slip, which looks like a wider track."""
DRIVE_CENTER_OFFSET = -20.0
"""From the robot's origin, the middle of the front axle, to the point it turns about."""
GRIP = 0.8 * 9806.0
"""Acceleration that the floor can give the robot; friction 0.8 (spec 13 §6)."""
TREAD_SPREAD = 0.004
"""Spread of what a tread's millimetre really is. An estimate."""
TREAD_SLIP = 0.02
"""Spread of a tread's speed from step to step, as a share of it. An estimate."""
TREAD_NOISE = 0.5
"""Of a measured speed."""

# -- head and lift (spec 07 §1, §6, §13)

HEAD_LIMITS = (-0.436332, 0.776672)
LIFT_HEIGHTS = (32.0, 92.0)
"""Of the lift's wrist above ground."""
LIFT_PIVOT = (-41.0, 45.0)
"""Ahead of the robot's origin, and above ground."""
LIFT_ARM = 66.0
MAX_JOINT_SPEED = 3.0
"""What the motors reach whatever the engine asks for."""
MAX_JOINT_ACCEL = 1000.0
IN_POSITION_AFTER = 0.17
STILL_AFTER = 0.23
"""From the arrival until the robot reports it, as recorded."""
CALIBRATION_SPEED = 1.5
FIRST_CALIBRATION = {MotorID.LIFT: 0.76, MotorID.HEAD: 1.25}
LATER_CALIBRATION = {MotorID.LIFT: 0.53, MotorID.HEAD: 0.53}
"""Time that a calibration takes, after SyncTime and on request."""

# -- IMU (spec 10 §1.1)

ACCEL_BIAS = (300.0, 500.0, 0.0)
ACCEL_NOISE = 30.0
GYRO_NOISE = 0.001
GYRO_SCALE = 180.0 / 182.4
"""Turn that the robot reports for a true one (spec 14)."""
PITCH_NOISE = 0.002
IMU_LEVER = -7.2 - DRIVE_CENTER_OFFSET
"""That the sensor is ahead of the drive centre, with a level head (spec 13 §2)."""

# -- cliff sensor (spec 10 §4)

ON_GROUND = 880
IN_AIR = 8
"""Raw reflectance, as of the noise."""
CLIFF_NOISE = 2
CLIFF_SENSOR = 5.0
"""Ahead of the robot's origin (spec 13 §2)."""

# -- battery (spec 10 §1.2)

CHARGER_VOLTAGE = 4.5
"""What the robot measures while it charges, whatever the charge."""
FULL = 4.2
"""Of a cell that takes no more."""
EMPTY = 3.0
DRAIN = 0.001 / 20
"""V/s."""
CHARGE = (FULL - 3.4) / 1800
"""V/s: half an hour for an empty cell."""
DRIVE_DROP = 0.08
VOLTAGE_STEP = 0.012
"""Between two values of the robot's converter, as recorded."""
