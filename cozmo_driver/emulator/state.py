"""RobotState, every 30 ms of the robot's clock, and the IMU in the head (spec 10 §1-2, §9)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..protocol.enums import RobotStatusFlag as Flag
from ..protocol.messages import RobotState
from ..protocol.structs import AccelData, GyroData, RobotPose
from .body import Body, wrapped
from .core import Core
from .hardware import (
    IMU_LEVER,
    PITCH_FILTER,
    PITCH_SHAKE,
    ROCKING,
    ROCKING_FROM,
    YAW_RETURN,
    YAW_STEP,
    Hardware,
    Vector,
)
from .joints import Joint

if TYPE_CHECKING:
    from .firmware import Firmware

SHAKEN = 20_000.0
"""mm/s^2, while somebody shakes the robot (spec 10 §9)."""
_GRAVITY = 9806.0
_LONGEST = 0.1
"""s between two states; after a longer pause there is no acceleration."""
PERIOD = 0.030


class Imu:
    """Measures specific force in mm/s^2 and turn rates in rad/s, in the head's frame."""

    def __init__(self, core: Core, body: Body, head: Joint, hardware: Hardware) -> None:
        self._core, self._body, self._head = core, body, head
        self._random = core.random("imu")
        self._bias = hardware.accel_bias
        self._accel_noise = tuple(sd * core.noise for sd in hardware.accel_noise)
        self._gyro_noise = tuple(sd * core.noise for sd in hardware.gyro_noise)
        self._pitch = self._shaken_by = self._head_speed = 0.0
        self._swing = SHAKEN
        self.is_shaken = False
        self.is_weightless = False
        self._measured_at, self._velocity = core.now, (0.0, 0.0)
        self._speed = 0.0
        self._rocking: list[float] = []

    def accel(self) -> AccelData:
        """Measure the force on the robot, turned into the head's frame, with bias and noise.

        Of driving it is the mean since the measurement before: what the velocity changed by. That
        real ones average over a state is an estimate; it fits the one or two states in which a
        start was recorded (spec 18).
        """
        gauss = self._random.gauss
        noise = [gauss(0.0, sd) for sd in self._accel_noise]
        x, y, z = (
            part + bias + error
            for part, bias, error in zip(
                self._force(*self._driven()), self._bias, noise, strict=True
            )
        )
        if math.hypot(x, y, z) > _GRAVITY / 2:
            # In a fall there is nothing to level by.
            self._level(x, z)
        return AccelData(x, y, z)

    def _level(self, x: float, z: float) -> None:
        """Let the pitch follow gravity as it is felt, less the head's angle (spec 18)."""
        felt = math.atan2(x, z) - self._head.reported
        self._pitch = wrapped(self._pitch + wrapped(felt - self._pitch) * PITCH_FILTER)
        self._shaken_by = (self._head.speed - self._head_speed) / PERIOD * PITCH_SHAKE
        self._head_speed = self._head.speed

    @property
    def pitch(self) -> float:
        """The robot's idea of its pitch after the last measurement, rad."""
        return self._pitch - self._shaken_by

    def _driven(self) -> tuple[float, float]:
        """Return the mean acceleration of the sensor's place, ahead and to the left, mm/s^2."""
        body, now = self._body, self._core.now
        heading = body.world_pose.angle
        c, s = math.cos(heading), math.sin(heading)
        swing = body.yaw_rate * IMU_LEVER
        velocity = body.velocity[0] - s * swing, body.velocity[1] + c * swing
        dx, dy = velocity[0] - self._velocity[0], velocity[1] - self._velocity[1]
        dt, self._measured_at, self._velocity = now - self._measured_at, now, velocity
        if not 0.0 < dt < _LONGEST:
            return 0.0, 0.0
        return (c * dx + s * dy) / dt + self._rocked(), (c * dy - s * dx) / dt

    def _rocked(self) -> float:
        """Return what the body, rocking back after its treads stopped, adds ahead, mm/s^2."""
        now, *self._rocking = self._rocking or (0.0,)
        speed, self._speed = self._speed, self._body.speed
        if speed and not self._body.speed and self._body.wheels.stand:
            share = max(-1.0, min(1.0, speed / ROCKING_FROM))
            self._rocking = [share * rocking for rocking in ROCKING]
        return now

    def _force(self, ahead: float, left: float) -> Vector:
        if self.is_weightless:
            return 0.0, 0.0, 0.0
        if self.is_shaken:
            self._swing = -self._swing
            return self._swing, 0.0, 0.0
        body, angle = self._body, self._head.angle
        pitch = body.pitch + body.ramp()
        x = _GRAVITY * math.sin(pitch) + ahead
        y = _GRAVITY * math.cos(pitch) * math.sin(body.roll) + left
        z = _GRAVITY * math.cos(pitch) * math.cos(body.roll)
        c, s = math.cos(angle), math.sin(angle)
        return x * c + z * s, y, z * c - x * s

    def gyro(self) -> GyroData:
        """Measure the body's turn rate and the head's own; head up is negative about y."""
        yaw, angle = self._body.yaw_rate, self._head.angle
        rates = yaw * math.sin(angle), -self._head.speed, yaw * math.cos(angle)
        noise = (self._random.gauss(0.0, sd) for sd in self._gyro_noise)
        return GyroData(*(rate + error for rate, error in zip(rates, noise, strict=True)))


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
        accel = imu.accel()
        return RobotState(
            timestamp=timestamp,
            pose_frame_id=body.frame_id,
            pose_origin_id=body.origin_id,
            pose=RobotPose(pose.x, pose.y, 0.0, wrapped(pose.angle + self._yaw_error), imu.pitch),
            lwheel_speed_mmps=body.wheels.left.measure(),
            rwheel_speed_mmps=body.wheels.right.measure(),
            head_angle=robot.joints.head.reported,
            lift_angle=robot.joints.lift.reported,
            accel=accel,
            gyro=imu.gyro(),
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
