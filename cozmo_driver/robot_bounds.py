"""What may be measured of one robot, and what is possible: for calibrations, and for reports of
robots that others send.
"""

from __future__ import annotations

import math

MEASURED_BOUNDS = {
    "distance_scale": (0.95, 1.05),
    "turn_scale": (0.96, 1.06),
    "track_width": (0.04, 0.15),
    "track_per_rate": (-0.02, 0.02),
    "tread_difference": (-0.05, 0.05),
    "head_zero": (-0.10, 0.10),
    "fx": (200.0, 500.0),
    "fy": (200.0, 500.0),
    "cx": (100.0, 220.0),
    "cy": (60.0, 180.0),
    "accelerometer_noise": (0.0, 0.5),
    "gyro_zero": (-0.05, 0.05),
    "edge_reading": (0.0, 800.0),
}
"""``distance_scale``: m that the robot drives for each that it counts; ``turn_scale``: rad that it
turns for each that it reports; ``track_width``: m that its treads seem to be apart when it turns
in place, more than they are as they slip; ``track_per_rate``: m more for each rad/s of the turn;
``tread_difference``: share by which the right tread drives farther than the left one for the same
count; ``head_zero``: rad by which its head is higher than it reports; the camera's focal lengths
and centre, pixels of 320 x 240; ``accelerometer_noise``: m/s^2, of the worst axis at rest;
``gyro_zero``: rad/s that its gyroscope reports at rest, about the vertical;
``edge_reading``: what the cliff sensor reads where the robot stopped at an edge. Estimates, wider
than any robot that was measured (spec 14, 18, 19)."""
MOUNT_BOUND = math.radians(4.0)
"""Of pitch, roll and yaw of the camera: with a larger angle, what was seen does not stand on the
floor. An estimate."""


def check_possible(name: str, value: float, bounds: tuple[float, float]) -> None:
    """Raise ``ValueError`` for what no robot has."""
    least, most = bounds
    if not least <= value <= most:
        raise ValueError(f"{name} is {value:g}; a robot has {least:g} to {most:g}")
