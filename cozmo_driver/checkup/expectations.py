"""What the two measured robots showed: the one table that results are judged by.

Robot A is hardware 1.5, B hardware 1.0, both of firmware 2457. What was measured on neither is
reported without a judgement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .step import Values


@dataclass(frozen=True, slots=True)
class Expectation:
    """From the least to the greatest figure that was measured, and how far beside is usual yet."""

    low: float
    high: float
    tolerance: float
    source: str

    def holds(self, value: float) -> bool:
        return self.low - self.tolerance <= value <= self.high + self.tolerance


@dataclass(frozen=True, slots=True)
class Deviation:
    """A value beside what was expected; SI units."""

    name: str
    value: float
    unit: str
    expected: Expectation


_STANDING = "spec 18, standing robot"
_LINK = "spec 18, standing robot: exactly 30 ms"
_JOINTS = "spec 18, head and lift"
_WHEELS = "spec 18, wheels"
_SHAKING = "spec 18, what the sensors feel while the robot drives"
_CAMERAS = "spec 14 and 19, cameras of five robots"

EXPECTATIONS: dict[str, Expectation] = {
    "network.state_period": Expectation(0.030, 0.030, 0.0005, _LINK),
    "network.round_trip_best": Expectation(0.0017, 0.035, 0.015, "spec 18: 1.7 to 35 ms"),
    "battery.charger_voltage": Expectation(4.672, 4.728, 0.12, _STANDING),
    "sensors.norm": Expectation(9.792, 10.339, 0.40, _STANDING),
    "sensors.accelerometer_noise_x": Expectation(0.011, 0.013, 0.010, _STANDING),
    "sensors.accelerometer_noise_y": Expectation(0.007, 0.012, 0.010, _STANDING),
    "sensors.accelerometer_noise_z": Expectation(0.007, 0.012, 0.010, _STANDING),
    "sensors.gyro_noise_x": Expectation(0.0004, 0.0009, 0.0008, _STANDING),
    "sensors.gyro_noise_y": Expectation(0.0002, 0.0009, 0.0008, _STANDING),
    "sensors.gyro_noise_z": Expectation(0.0005, 0.0009, 0.0008, _STANDING),
    "sensors.pitch_noise": Expectation(0.0001, 0.0003, 0.0005, _STANDING),
    "sensors.cliff": Expectation(872.0, 890.0, 60.0, _STANDING),
    "camera_calibration.focal_length_x": Expectation(292.8, 292.8, 4 * 3.3, _CAMERAS),
    "camera_calibration.focal_length_y": Expectation(292.8, 292.8, 4 * 3.3, _CAMERAS),
    "camera_calibration.centre_x": Expectation(158.7, 158.7, 3 * 9.9, _CAMERAS),
    "camera_calibration.centre_y": Expectation(113.6, 113.6, 4 * 2.6, _CAMERAS),
    "calibration.duration": Expectation(0.53, 1.25, 0.6, "spec 07 §6 and 18, calibration"),
    "calibration.head_after": Expectation(-0.436, -0.427, 0.006, "spec 18, after calibration"),
    "calibration.lift_after": Expectation(0.0320, 0.03259, 0.0010, _JOINTS),
    "head.short_up": Expectation(-0.001, 0.018, 0.015, _JOINTS),
    "head.short_down": Expectation(-0.001, 0.040, 0.015, _JOINTS),
    "head.peak_speed": Expectation(3.47, 3.93, 1.0, _JOINTS),
    "lift.rest_low": Expectation(0.0320, 0.03259, 0.0010, _JOINTS),
    "lift.peak_speed_up": Expectation(2.4, 2.4, 0.8, _JOINTS),
    "lift.peak_speed_down": Expectation(3.4, 3.4, 1.0, _JOINTS),
    "treads.start_delay_0.03": Expectation(0.063, 0.070, 0.045, _WHEELS),
    "treads.stop_time_0.03": Expectation(0.288, 0.288, 0.13, f"{_WHEELS}: until 0/0"),
    "treads.reached_forward_0.03": Expectation(0.027, 0.028, 0.004, _WHEELS),
    "treads.reached_backward_0.03": Expectation(0.027, 0.030, 0.004, _WHEELS),
    "shaking.accelerometer_x_0.03": Expectation(0.269, 0.345, 0.15, _SHAKING),
    "shaking.accelerometer_y_0.03": Expectation(0.209, 0.267, 0.12, _SHAKING),
    "shaking.accelerometer_z_0.03": Expectation(0.082, 0.091, 0.06, _SHAKING),
    "shaking.gyro_x_0.03": Expectation(0.037, 0.048, 0.025, _SHAKING),
    "shaking.gyro_y_0.03": Expectation(0.029, 0.034, 0.020, _SHAKING),
    "shaking.gyro_z_0.03": Expectation(0.023, 0.041, 0.020, _SHAKING),
    "turns.track": Expectation(0.069, 0.092, 0.008, "spec 07 §3, floors that were seen"),
    "animation.frame_rate": Expectation(29.8, 29.8, 0.35, "spec 18, animation and sound"),
    "camera.noise": Expectation(5.0, 5.0, 4.5, "spec 19, a flat bright wall"),
}
"""By step and value; SI units, camera figures in pixels and gray levels.

A tolerance is about as wide as the figures of the two robots differ, or as one robot's own spread.
"""


def deviations_of(step: str, values: Values) -> tuple[Deviation, ...]:
    """Return what of a step's values is beside what was measured on real robots."""
    found = []
    for name, (value, unit) in values.items():
        expected = EXPECTATIONS.get(f"{step}.{name}")
        if expected is None or isinstance(value, str) or math.isnan(value):
            continue
        if not expected.holds(value):
            found.append(Deviation(name, value, unit, expected))
    return tuple(found)
