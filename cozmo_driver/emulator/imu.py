"""Accelerometer and gyro; they sit in the head and turn with it (spec 10 §1.1, §9)."""

from __future__ import annotations

import math

from ..protocol.structs import AccelData, GyroData
from .body import DRIVE_CENTER_OFFSET, Body
from .core import Core
from .joints import Joint

SHAKEN = 20_000.0
"""mm/s^2, while somebody shakes the robot (spec 10 §9)."""
_GRAVITY = 9806.0
_ACCEL_BIAS = (300.0, 500.0, 0.0)
_ACCEL_NOISE = 30.0
_GYRO_NOISE = 0.001
_LEVER = -7.2 - DRIVE_CENTER_OFFSET
"""mm that the sensor is ahead of the drive centre, with a level head (spec 13 §2)."""
_LONGEST = 0.1
"""s between two states; after more there was none to tell of."""


class Imu:
    """Measures specific force in mm/s^2 and turn rates in rad/s, in the head's frame."""

    def __init__(self, core: Core, body: Body, head: Joint) -> None:
        """Measure what ``body`` and ``head`` do."""
        self._core = core
        self._body = body
        self._head = head
        self._random = core.random("imu")
        self._accel_noise = _ACCEL_NOISE * core.noise
        self._gyro_noise = _GYRO_NOISE * core.noise
        self._swing = SHAKEN
        self.is_shaken = False
        self.is_weightless = False
        self._measured_at, self._velocity = core.now, (0.0, 0.0)

    def accel(self) -> AccelData:
        """Measure the force on the robot, turned into the head's frame, with bias and noise.

        Of driving it is the mean since the measurement before: what the velocity changed by. That
        real ones average over a state is an estimate; it fits the one or two states in which a
        start was recorded (spec 18).
        """
        gauss = self._random.gauss
        x, y, z = (
            part + bias + gauss(0.0, self._accel_noise)
            for part, bias in zip(self._force(*self._driven()), _ACCEL_BIAS, strict=True)
        )
        return AccelData(x, y, z)

    def _driven(self) -> tuple[float, float]:
        """Return the mean acceleration of the sensor's place, ahead and to the left, mm/s^2."""
        body, now = self._body, self._core.now
        heading = body.world_pose.angle
        c, s = math.cos(heading), math.sin(heading)
        swing = body.yaw_rate * _LEVER
        velocity = body.velocity[0] - s * swing, body.velocity[1] + c * swing
        dx, dy = velocity[0] - self._velocity[0], velocity[1] - self._velocity[1]
        dt, self._measured_at, self._velocity = now - self._measured_at, now, velocity
        if not 0.0 < dt < _LONGEST:
            return 0.0, 0.0
        return (c * dx + s * dy) / dt, (c * dy - s * dx) / dt

    def _force(self, ahead: float, left: float) -> tuple[float, float, float]:
        if self.is_weightless:
            return 0.0, 0.0, 0.0
        if self.is_shaken:
            self._swing = -self._swing
            return self._swing, 0.0, 0.0
        body, angle = self._body, self._head.angle
        x = _GRAVITY * math.sin(body.pitch) + ahead
        y = _GRAVITY * math.cos(body.pitch) * math.sin(body.roll) + left
        z = _GRAVITY * math.cos(body.pitch) * math.cos(body.roll)
        c, s = math.cos(angle), math.sin(angle)
        return x * c + z * s, y, z * c - x * s

    def gyro(self) -> GyroData:
        """Measure the body's turn rate and the head's own; head up is negative about y."""
        yaw, angle = self._body.yaw_rate, self._head.angle
        gauss = self._random.gauss
        return GyroData(
            yaw * math.sin(angle) + gauss(0.0, self._gyro_noise),
            -self._head.speed + gauss(0.0, self._gyro_noise),
            yaw * math.cos(angle) + gauss(0.0, self._gyro_noise),
        )
