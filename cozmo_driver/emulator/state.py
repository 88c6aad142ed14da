"""RobotState, every 30 ms of the robot's clock (spec 10 §1-2)."""

from __future__ import annotations

from ..protocol import RobotPose
from ..protocol import RobotStatusFlag as Flag
from ..protocol.messages import RobotState
from .body import wrapped
from .docking import Docking
from .hardware import YAW_RETURN, YAW_STEP
from .imu import PERIOD
from .parts import Parts


class States:
    """Reports what the sensors measure, from when both motors are calibrated on."""

    def __init__(self, robot: Parts, docking: Docking) -> None:
        self._robot, self._docking, self._core = robot, docking, robot.core
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
            curr_path_segment=0 if self._docking.is_pathing else robot.path.reported_index,
        )

    def status(self) -> int:
        robot, body, docking = self._robot, self._robot.body, self._docking
        bits = {
            Flag.IS_MOVING: body.wheels.moving or robot.joints.moving,
            Flag.ARE_WHEELS_MOVING: body.wheels.moving,
            Flag.IS_CARRYING_BLOCK: bool(docking.carried),
            Flag.IS_PICKING_OR_PLACING: docking.is_busy,
            Flag.IS_PICKED_UP: body.is_lifted,
            Flag.IS_FALLING: robot.imu.is_weightless,
            Flag.IS_PATHING: robot.path.is_pathing or docking.is_pathing,
            Flag.CLIFF_DETECTED: robot.ground.is_cliff,
            Flag.IS_BODY_ACC_MODE: robot.session.accessory_mode,
            Flag.HEAD_IN_POS: robot.joints.head.in_position,
            Flag.LIFT_IN_POS: robot.joints.lift.in_position,
            Flag.IS_ON_CHARGER: robot.battery.on_charger,
            Flag.IS_CHARGING: robot.battery.is_charging,
        }
        return sum(bit for bit, on in bits.items() if on)
