"""RobotState, every 30 ms of the robot's clock (spec 10 §1-2)."""

from __future__ import annotations

from ..protocol.enums import RobotStatusFlag as Flag
from ..protocol.messages import RobotState
from ..protocol.structs import RobotPose
from .animation_controller import IDLE_TAG, AnimationController
from .battery import Battery
from .body import Body
from .clock import RobotClock
from .core import Core
from .ground import Ground
from .imu import Imu
from .joints import Joints
from .path_follower import PathFollower
from .session import Session
from .wheels import Tread, Wheels

PERIOD = 0.030
_WHEEL_NOISE = 0.5
_PITCH_NOISE = 0.002


class States:
    """Gathers what the sensors say; begins when both motors are calibrated."""

    def __init__(
        self,
        core: Core,
        clock: RobotClock,
        session: Session,
        wheels: Wheels,
        body: Body,
        joints: Joints,
        imu: Imu,
        battery: Battery,
        ground: Ground,
        path: PathFollower,
        animation: AnimationController,
    ) -> None:
        """Take part in the connection."""
        self._core = core
        self._clock = clock
        self._session = session
        self._wheels = wheels
        self._body = body
        self._joints = joints
        self._imu = imu
        self._battery = battery
        self._ground = ground
        self._path = path
        self._animation = animation
        self.is_falling = False
        self._random = core.random("state")
        self._started_at: float | None = None
        self._count = 0
        core.when_disconnected(self._end)

    def begin(self) -> None:
        """Send the first state now and the next ones on its grid; once in a session."""
        if self._started_at is None and self._session.synced:
            self._started_at, self._count = self._core.now, 0
            self._send()

    def _send(self) -> None:
        assert self._started_at is not None
        self._core.send(self.measure())
        self._count += 1
        self._core.schedule.at(self._started_at + self._count * PERIOD, self._send)

    def _end(self) -> None:
        self._started_at = None

    def measure(self) -> RobotState:
        """Return the state as of now, noise included."""
        timestamp = self._clock.milliseconds(self._core.now)
        self._body.remember(timestamp)
        pose = self._body.reported_pose
        pitch = self._body.pitch + self._random.gauss(0.0, _PITCH_NOISE * self._core.noise)
        return RobotState(
            timestamp=timestamp,
            pose_frame_id=self._body.frame_id,
            pose_origin_id=self._body.origin_id,
            pose=RobotPose(pose.x, pose.y, 0.0, pose.angle, pitch),
            lwheel_speed_mmps=self._speed(self._wheels.left),
            rwheel_speed_mmps=self._speed(self._wheels.right),
            head_angle=self._joints.head.angle,
            lift_angle=self._joints.lift.angle,
            accel=self._imu.accel(),
            gyro=self._imu.gyro(),
            battery_voltage=self._battery.voltage,
            status=self.status(),
            cliff_data_raw=(self._ground.reflectance(), 0, 0, 0),
            backpack_touch_sensor_raw=0,
            curr_path_segment=self._path.reported_index,
        )

    def _speed(self, tread: Tread) -> float:
        """A standing tread measures exactly 0, as recorded."""
        if not tread.speed:
            return 0.0
        return tread.speed + self._random.gauss(0.0, _WHEEL_NOISE * self._core.noise)

    def status(self) -> int:
        """Return the RobotStatusFlag mask."""
        bits = {
            Flag.IS_MOVING: self._wheels.moving or self._joints.moving,
            Flag.ARE_WHEELS_MOVING: bool(self._wheels.left.speed or self._wheels.right.speed),
            Flag.IS_PICKED_UP: self._ground.is_lifted,
            Flag.IS_FALLING: self.is_falling,
            Flag.IS_PATHING: self._path.is_pathing,
            Flag.IS_ANIMATING: self._animation.tag not in (0, IDLE_TAG),
            Flag.IS_ANIMATING_IDLE: self._animation.tag == IDLE_TAG,
            Flag.CLIFF_DETECTED: self._ground.is_cliff,
            Flag.IS_BODY_ACC_MODE: self._session.accessory_mode,
            Flag.HEAD_IN_POS: self._joints.head.in_position,
            Flag.LIFT_IN_POS: self._joints.lift.in_position,
            Flag.IS_ON_CHARGER: self._battery.on_charger,
            Flag.IS_CHARGING: self._battery.is_charging,
        }
        status = Flag.NONE_ROBOT_STATUS_FLAG
        for bit, on in bits.items():
            if on:
                status |= bit
        return int(status)
