"""Driving, and how much the odometry is to be trusted."""

from __future__ import annotations

from ...robot.geometry import EFFECTIVE_TRACK_WIDTH, MAX_WHEEL_SPEED, MAX_YAW_RATE, TRACK_WIDTH
from ..parameter_set import ParameterSpec as P

_LARGE = 1e3
"""Variance of what is not measured, m^2 or rad^2."""


_POSE_VARIANCES = (1e-4, 1e-4, _LARGE, _LARGE, _LARGE, 1e-3)


_TWIST_VARIANCES = (1e-4, 1e-4, _LARGE, _LARGE, _LARGE, 1e-4)


_SIX = "six numbers: x, y, z, roll, pitch, yaw"


_THREE = "three numbers: x, y, z"


MOTION = (
    P("cmd_vel_timeout", 0.5, "stop when no cmd_vel came for this time", "s", low=0.05, high=10.0),
    P(
        "enable_stamped_cmd_vel",
        False,
        "cmd_vel is a TwistStamped instead of a Twist",
        fixed=True,
    ),
    P(
        "max_wheel_speed",
        MAX_WHEEL_SPEED,
        "fastest a tread may run; the curve is kept",
        "m/s",
        low=0.01,
        high=MAX_WHEEL_SPEED,
    ),
    P(
        "max_angular_velocity",
        MAX_YAW_RATE,
        "fastest turn; the curve is kept",
        "rad/s",
        low=0.05,
        high=MAX_YAW_RATE,
    ),
    P(
        "max_wheel_acceleration",
        0.0,
        "acceleration of the treads; 0: as fast as the robot can",
        "m/s^2",
        low=0.0,
        high=10.0,
    ),
    P(
        "wheel_separation",
        TRACK_WIDTH,
        "distance of the tread centres",
        "m",
        low=0.02,
        high=0.2,
        fixed=True,
    ),
    P(
        "wheel_separation_effective",
        EFFECTIVE_TRACK_WIDTH,
        "distance that turns are computed with, because treads slip in turns",
        "m",
        low=0.02,
        high=0.2,
    ),
    P("yaw_rate_trim", True, "correct turns driven by cmd_vel by what the gyroscope measures"),
    P(
        "backup_limit",
        0.0,
        "how far cmd_vel may reverse before it drives forward again; 0: any distance",
        "m",
        low=0.0,
        high=1000.0,
    ),
    P("stop_on_cliff", True, "the robot stops by itself at an edge"),
    P("stop_on_bump", True, "the robot stops when it pushes against something"),
    P(
        "hazard_lifetime",
        60.0,
        "how long hazards holds where the robot met an edge or an obstacle",
        "s",
        low=1.0,
        high=86400.0,
    ),
    P(
        "cliff_threshold",
        0,
        "reflectance below which there is no ground; 0: adapted to the floor",
        low=0,
        high=800,
        fixed=True,
    ),
)


ODOMETRY = (
    P(
        "pose_covariance_diagonal",
        _POSE_VARIANCES,
        "least variances of the pose in odom, those of the start and of set_odometry; x, y and yaw "
        "grow by driving, turning, slip and being lifted",
        "m^2, rad^2",
        low=0.0,
        rule=_SIX,
    ),
    P(
        "twist_covariance_diagonal",
        _TWIST_VARIANCES,
        "variances of the velocity in odom",
        "m^2/s^2, rad^2/s^2",
        low=0.0,
        rule=_SIX,
    ),
    P(
        "covariance_inflation",
        100.0,
        "factor on the velocity's variances in odom while the robot is off its treads or slips",
        low=1.0,
        high=1e6,
    ),
    P(
        "covariance_inflation_time",
        2.0,
        "in which the factor falls back to 1 afterwards",
        "s",
        low=0.0,
        high=60.0,
    ),
    P(
        "angular_velocity_covariance_diagonal",
        (1e-4, 1e-4, 1e-4),
        "variances of the gyroscope in imu/data_raw",
        "rad^2/s^2",
        low=0.0,
        rule=_THREE,
    ),
    P(
        "linear_acceleration_covariance_diagonal",
        (1e-2, 1e-2, 1e-2),
        "variances of the accelerometer in imu/data_raw",
        "m^2/s^4",
        low=0.0,
        rule=_THREE,
    ),
)
