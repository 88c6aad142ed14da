"""Accelerometer and gyro; they sit in the head and turn with it (spec 10 §1.1, §9)."""

from __future__ import annotations

import math

from ..protocol.structs import AccelData, GyroData
from .body import Body
from .core import Core
from .joints import Joint

SHAKEN = 20_000.0
"""mm/s^2, while somebody shakes the robot (spec 10 §9)."""
_GRAVITY = 9806.0
_ACCEL_BIAS = (300.0, 500.0, 0.0)
_ACCEL_NOISE = 30.0
_GYRO_NOISE = 0.001


class Imu:
    """Measures specific force in mm/s^2 and turn rates in rad/s, in the head's frame."""

    def __init__(self, core: Core, body: Body, head: Joint) -> None:
        """Measure what ``body`` and ``head`` do."""
        self._body = body
        self._head = head
        self._random = core.random("imu")
        self._accel_noise = _ACCEL_NOISE * core.noise
        self._gyro_noise = _GYRO_NOISE * core.noise
        self._swing = SHAKEN
        self.is_shaken = False
        self.is_weightless = False

    def accel(self) -> AccelData:
        """Measure the force on the robot, turned into the head's frame, with bias and noise."""
        gauss = self._random.gauss
        x, y, z = (
            part + bias + gauss(0.0, self._accel_noise)
            for part, bias in zip(self._force(), _ACCEL_BIAS, strict=True)
        )
        return AccelData(x, y, z)

    def _force(self) -> tuple[float, float, float]:
        if self.is_weightless:
            return 0.0, 0.0, 0.0
        if self.is_shaken:
            self._swing = -self._swing
            return self._swing, 0.0, 0.0
        body, angle = self._body, self._head.angle
        x = _GRAVITY * math.sin(body.pitch)
        y = _GRAVITY * math.cos(body.pitch) * math.sin(body.roll)
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
