"""RobotState, every 30 ms of the robot's clock, and the IMU in the head (spec 10 §1-2, §9)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..protocol import AccelData, GyroData, RobotPose
from ..protocol import RobotStatusFlag as Flag
from ..protocol.messages import RobotState
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
    YAW_RETURN,
    YAW_STEP,
    Hardware,
    Vector,
)
from .joints import Joint
from .shaking import TILT, Shaking, Six
from .variation import Variation

if TYPE_CHECKING:
    from .firmware import Firmware

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


class States:
    """Reports what the sensors measure, from when both motors are calibrated on."""

    def __init__(self, robot: Firmware) -> None:
        self._robot, self._core = robot, robot.core
        self.is_falling = False
        self._random = self._core.random("state")
        self._yaw_error = 0.0
        self._started_at: float | None = None
        self._count = 0
        self._core.when_disconnected(self._on_disconnected)

    def start(self) -> None:
        """Send the first state now and the next ones on its grid; once in a session."""
        if self._started_at is None and self._robot.session.synced:
            self._started_at, self._count = self._core.now, 0
            self._send()

    def _send(self) -> None:
        assert self._started_at is not None
        self._core.send(self.measure())
        self._count += 1
        self._core.schedule.at(self._started_at + self._count * PERIOD, self._send)

    def _on_disconnected(self) -> None:
        self._started_at = None

    def measure(self) -> RobotState:
        """Return the state as of now, noise included."""
        robot, body, imu = self._robot, self._robot.body, self._robot.imu
        timestamp = self._core.timestamp
        body.remember(timestamp)
        pose = body.reported_pose
        wander = self._random.gauss(0.0, YAW_STEP * self._core.noise)
        self._yaw_error += wander - self._yaw_error * YAW_RETURN
        accel, gyro = imu.measure()
        yaw = pose.angle + self._yaw_error + robot.shaking.yaw
        return RobotState(
            timestamp=timestamp,
            pose_frame_id=body.frame_id,
            pose_origin_id=body.origin_id,
            pose=RobotPose(pose.x, pose.y, 0.0, wrapped(yaw), imu.pitch),
            lwheel_speed_mmps=body.wheels.left.measure(),
            rwheel_speed_mmps=body.wheels.right.measure(),
            head_angle=robot.joints.head.reported,
            lift_angle=robot.joints.lift.reported,
            accel=accel,
            gyro=gyro,
            battery_voltage=robot.battery.voltage,
            status=self.status(),
            cliff_data_raw=(robot.ground.reflectance(), 0, 0, 0),
            backpack_touch_sensor_raw=0,
            curr_path_segment=0 if robot.docking.is_pathing else robot.path.reported_index,
        )

    def status(self) -> int:
        robot, body, docking = self._robot, self._robot.body, self._robot.docking
        bits = {
            Flag.IS_MOVING: body.wheels.moving or robot.joints.moving,
            Flag.ARE_WHEELS_MOVING: body.wheels.moving,
            Flag.IS_CARRYING_BLOCK: bool(docking.carried),
            Flag.IS_PICKING_OR_PLACING: docking.is_busy,
            Flag.IS_PICKED_UP: body.is_lifted,
            Flag.IS_FALLING: self.is_falling,
            Flag.IS_PATHING: robot.path.is_pathing or docking.is_pathing,
            Flag.CLIFF_DETECTED: robot.ground.is_cliff,
            Flag.IS_BODY_ACC_MODE: robot.session.accessory_mode,
            Flag.HEAD_IN_POS: robot.joints.head.in_position,
            Flag.LIFT_IN_POS: robot.joints.lift.in_position,
            Flag.IS_ON_CHARGER: robot.battery.on_charger,
            Flag.IS_CHARGING: robot.battery.is_charging,
        }
        return sum(bit for bit, on in bits.items() if on)
