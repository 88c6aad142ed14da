"""The IMU in the head, and the pitch that the robot makes of it (spec 10 §2, §9)."""

from __future__ import annotations

import math

from ..protocol import AccelData, GyroData
from .body import Body, wrapped
from .core import Core
from .hardware import (
    ACCEL_STEP,
    EFFECTIVE_TRACK,
    GYRO_STEPS,
    IMU_COUNTS,
    IMU_LEVER,
    PITCH_FILTER,
    PITCH_SHAKE,
    Hardware,
    Vector,
)
from .joints import Joint
from .shaking import TILT, Shaking, Six
from .variation import Variation

SHAKEN = 20_000.0
"""mm/s^2, while somebody shakes the robot (spec 10 §9)."""
_GRAVITY = 9806.0
PERIOD = 0.030


class Imu:
    """Measures specific force in mm/s^2 and turn rates in rad/s, in the head's frame."""

    def __init__(
        self,
        core: Core,
        body: Body,
        head: Joint,
        hardware: Hardware,
        variation: Variation,
        shaking: Shaking,
    ) -> None:
        self._core, self._body, self._head = core, body, head
        self._variation, self._shaking = variation, shaking
        self._random = core.random("imu")
        self._bias = hardware.accel_bias
        self._accel_noise = tuple(sd * core.noise for sd in hardware.accel_noise)
        self._gyro_noise = tuple(sd * core.noise for sd in hardware.gyro_noise)
        self._pitch = self._shaken_by = self._head_speed = 0.0
        self._swing = SHAKEN
        self.is_shaken = False
        self.is_weightless = False
        """The robot falls."""

    def measure(self) -> tuple[AccelData, GyroData]:
        """Measure force and turn rates of this moment, with bias and noise; once in a state."""
        shaken, ahead = self._shaking.measure()
        gauss = self._random.gauss
        x, y, z = (
            part + bias + gauss(0.0, sd)
            for part, bias, sd in zip(self._held(), self._bias, self._accel_noise, strict=True)
        )
        felt = x, y, z
        if not self.is_weightless:
            # In a fall there is nothing to level by, and nothing to drive on.
            self._level(x, z)
            dx, dy, dz = self._in_head(self._driven(ahead))
            sx, sy, sz = self._in_head(shaken[:3], TILT)
            felt = x + dx + sx, y + dy + sy, z + dz + sz
        return AccelData(*(_counted(value, ACCEL_STEP) for value in felt)), self._rates(shaken)

    def _level(self, x: float, z: float) -> None:
        """Let the pitch follow gravity, less the head's angle (spec 18).

        Driving moves it as little as recorded: the robot tells gravity from what shakes it.
        """
        felt = math.atan2(x, z) - self._head.reported
        self._pitch = wrapped(self._pitch + wrapped(felt - self._pitch) * PITCH_FILTER)
        self._shaken_by = (self._head.speed - self._head_speed) / PERIOD * PITCH_SHAKE
        self._head_speed = self._head.speed

    @property
    def pitch(self) -> float:
        """The robot's idea of its pitch after the last measurement, rad."""
        return self._pitch - self._shaken_by + self._shaking.pitch

    def _driven(self, ahead: float) -> Vector:
        """Return the acceleration of the sensor's place by the treads and in a curve, mm/s^2."""
        body = self._body
        left, right = body.wheels.both
        twist = (right.acceleration - left.acceleration) / EFFECTIVE_TRACK if body.yaw_rate else 0.0
        rate = body.yaw_rate
        return ahead - rate * rate * IMU_LEVER, body.speed * rate + twist * IMU_LEVER, 0.0

    def _held(self) -> Vector:
        """Return the force of what holds the robot: floor, hand or nothing."""
        if self.is_weightless:
            return 0.0, 0.0, 0.0
        if self.is_shaken:
            self._swing = -self._swing
            return self._swing, 0.0, 0.0
        pitch, roll = self._body.attitude
        upright = _GRAVITY * math.cos(pitch)
        return self._in_head(
            (_GRAVITY * math.sin(pitch), upright * math.sin(roll), upright * math.cos(roll))
        )

    def _in_head(self, vector: tuple[float, ...], tilt: float = 0.0) -> Vector:
        """Return in the head's frame what is given in one that is tilted against the body."""
        x, y, z = vector
        angle = self._head.true_angle - tilt
        c, s = math.cos(angle), math.sin(angle)
        return x * c + z * s, y, z * c - x * s

    def gyro(self) -> GyroData:
        """Measure the turn rates of this moment."""
        return self._rates(self._shaking.sample())

    def _rates(self, shaken: Six) -> GyroData:
        """Measure the body's turn rate and the head's own; head up is negative about y."""
        turning = self._in_head((0.0, -self._head.speed, self._body.yaw_rate))
        parts = zip(
            turning,
            self._variation.gyro_scales,
            self._variation.gyro_zero(self._core.now),
            self._in_head(shaken[3:], TILT),
            self._gyro_noise,
            strict=True,
        )
        rates = (
            rate * scale + zero + shake + self._random.gauss(0.0, sd)
            for rate, scale, zero, shake, sd in parts
        )
        return GyroData(*(_counted(r, step) for r, step in zip(rates, GYRO_STEPS, strict=True)))


def _counted(value: float, step: float) -> float:
    """Return a figure in whole counts of the sensor, within its range."""
    return max(-IMU_COUNTS, min(IMU_COUNTS, round(value / step))) * step
