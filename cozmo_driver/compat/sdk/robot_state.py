"""What a robot's state tells programs (spec 21 §3): the part of ``Robot`` that is read."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ...perception import LocatedObject, quaternion_of
from ...protocol import RobotStatusFlag
from ...robot import (
    LIFT_ARM_LENGTH,
    MAX_LIFT_HEIGHT,
    MIN_LIFT_HEIGHT,
    Odometry,
    Pose2D,
    RobotState,
)
from .pose import Pose, Vector3
from .units import Angle, Distance, Speed, distance_mm, radians

if TYPE_CHECKING:
    from ..engine import Engine

_T = TypeVar("_T")
_MM = 1000.0
_PIVOT_MM = 45.0
_OBJECTS_ON_LIFT = -1


class LiftPosition:
    """Where the lift is: as height, ratio or angle."""

    def __init__(
        self, height: Any = None, ratio: float | None = None, angle: Angle | None = None
    ) -> None:
        if height is not None:
            # PyCozmo's distances are others.
            self._height: float = height._value
        elif ratio is not None:
            low, high = MIN_LIFT_HEIGHT * _MM, MAX_LIFT_HEIGHT * _MM
            self._height = low + (high - low) * ratio
        elif angle is not None:
            self._height = _PIVOT_MM + LIFT_ARM_LENGTH * _MM * math.sin(angle.radians)
        else:
            raise ValueError("a lift position needs height, ratio or angle")

    @property
    def height(self) -> Distance:
        return distance_mm(self._height)

    @property
    def ratio(self) -> float:
        low, high = MIN_LIFT_HEIGHT * _MM, MAX_LIFT_HEIGHT * _MM
        return (self._height - low) / (high - low)

    @property
    def angle(self) -> Angle:
        reach = (self._height - _PIVOT_MM) / (LIFT_ARM_LENGTH * _MM)
        return radians(math.asin(min(1.0, max(-1.0, reach))))


def _flag(flag: RobotStatusFlag) -> Any:
    def read(self: RobotStateReader) -> bool:
        state = self._state
        return state is not None and state.has(flag)

    return property(read)


def _of_state(read: Callable[[RobotState], _T]) -> _T | None:
    """A property of the latest state, None before the first; typed as what it gives."""

    def value(self: RobotStateReader) -> _T | None:
        return None if self._state is None else read(self._state)

    return cast("_T | None", property(value))


class RobotStateReader:
    """Attributes that the latest state fills."""

    _engine: Engine
    _state: RobotState | None = None
    _odometry: Odometry | None = None
    _base: Pose2D | None = None
    """Where poses of the present origin count from, in our odometry."""
    _origin_id = 0

    is_moving = _flag(RobotStatusFlag.IS_MOVING)
    is_carrying_block = _flag(RobotStatusFlag.IS_CARRYING_BLOCK)
    is_picking_or_placing = _flag(RobotStatusFlag.IS_PICKING_OR_PLACING)
    is_falling = _flag(RobotStatusFlag.IS_FALLING)
    is_pathing = _flag(RobotStatusFlag.IS_PATHING)
    is_lift_in_pos = _flag(RobotStatusFlag.LIFT_IN_POS)
    is_head_in_pos = _flag(RobotStatusFlag.HEAD_IN_POS)
    is_anim_buffer_full = _flag(RobotStatusFlag.IS_ANIM_BUFFER_FULL)
    is_on_charger = _flag(RobotStatusFlag.IS_ON_CHARGER)
    is_charging = _flag(RobotStatusFlag.IS_CHARGING)
    is_cliff_detected = _flag(RobotStatusFlag.CLIFF_DETECTED)
    are_wheels_moving = _flag(RobotStatusFlag.ARE_WHEELS_MOVING)

    @property
    def is_picked_up(self) -> bool:
        return self._state is not None and self._state.is_off_ground

    @property
    def is_animating(self) -> bool:
        status = self._engine.robot.status
        return status is not None and (status.is_animating or bool(self._engine.player.clip))

    @property
    def is_animating_idle(self) -> bool:
        return False

    # -- poses

    def _take(self, state: RobotState, odometry: Odometry) -> None:
        """Take a state, in the robot's thread."""
        self._odometry, self._state = odometry, state
        if self._base is None:
            self._start_origin()

    def _start_origin(self, _: object = None) -> None:
        """Let poses count from here: nobody knows how far the robot was carried."""
        if self._odometry is not None:
            self._base = self._odometry.pose
            self._origin_id += 1

    @property
    def pose(self) -> Pose:
        odometry, base = self._odometry, self._base
        if odometry is None or base is None:
            return Pose(0, 0, 0, 1, 0, 0, 0)
        here = base.inverse().compose(odometry.pose)
        return Pose(
            here.x * _MM, here.y * _MM, 0.0, angle_z=radians(here.yaw), origin_id=self._origin_id
        )

    def _pose_of(self, known: LocatedObject) -> Pose | None:
        """Return where the middle of an object is; None where that is not known."""
        if known.pose is None or self._base is None:
            return None
        base = self._base
        c, s = math.cos(base.yaw), math.sin(base.yaw)
        turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        is_charger = known.name == "charger"
        matrix = known.pose if is_charger else known.middle(known.pose)
        place = turn @ (matrix[:3, 3] - np.array([base.x, base.y, 0.0])) * _MM
        x, y, z, w = quaternion_of(turn @ matrix[:3, :3])
        return Pose(
            float(place[0]),
            float(place[1]),
            float(place[2]),
            w,
            x,
            y,
            z,
            origin_id=self._origin_id,
            is_accurate=known.state.name == "KNOWN",
        )

    def _pose_of_face(self, x: float, y: float, z: float) -> Pose | None:
        """Return where a face is, of a point of our odometry, m; it looks at the robot."""
        if self._base is None:
            return None
        place = self._base.inverse().compose(Pose2D(x, y, 0.0))
        here = self.pose.position
        x, y = place.x * _MM, place.y * _MM
        towards = radians(math.atan2(here.y - y, here.x - x))
        return Pose(x, y, z * _MM, angle_z=towards, origin_id=self._origin_id)

    def _to_odometry(self, pose: Pose) -> tuple[float, float, float]:
        """Return x, y, m, and heading, rad, of a pose in our odometry."""
        base = self._base or Pose2D()
        x, y, _ = pose.position.x_y_z
        there = base.compose(Pose2D(x / _MM, y / _MM, pose.rotation.angle_z.radians))
        return there.x, there.y, there.yaw

    @property
    def pose_angle(self) -> Angle:
        return self.pose.rotation.angle_z

    pose_pitch = _of_state(lambda state: radians(-state.pitch))

    # -- head, lift, wheels, sensors

    head_angle = _of_state(lambda state: radians(state.head_angle))
    lift_position = _of_state(lambda state: LiftPosition(angle=radians(state.lift_angle)))
    lift_height = _of_state(lambda state: distance_mm(state.lift_height * _MM))
    lift_angle = _of_state(lambda state: radians(state.lift_angle))
    left_wheel_speed = _of_state(lambda state: Speed(state.left_wheel_speed * _MM))
    right_wheel_speed = _of_state(lambda state: Speed(state.right_wheel_speed * _MM))
    battery_voltage = _of_state(lambda state: state.battery_voltage)

    @property
    def lift_ratio(self) -> float | None:
        position = self.lift_position
        return None if position is None else position.ratio

    @property
    def accelerometer(self) -> Vector3 | None:
        """In mm/s^2, in the head's axes."""
        if self._state is None:
            return None
        a = self._state.acceleration
        return Vector3(a.x * _MM, a.y * _MM, a.z * _MM)

    @property
    def gyro(self) -> Vector3 | None:
        """In rad/s, in the head's axes."""
        if self._state is None:
            return None
        w = self._state.angular_velocity
        return Vector3(w.x, w.y, w.z)

    @property
    def serial(self) -> str:
        return f"{self._engine.robot.identity.head_serial:08x}"

    @property
    def device_accel_raw(self) -> None:
        """There is no phone."""

    device_accel_user = device_gyro = device_accel_raw

    # -- objects

    @property
    def carrying_object_id(self) -> int:
        sight = self._engine.sight
        cubes: Any = self.world.light_cubes  # type: ignore[attr-defined]
        for cube in cubes.values():
            known = sight.objects.get(cube._ours)
            if self.is_carrying_block and known is not None and known.is_carried:
                return cube.object_id if cube.object_id is not None else _OBJECTS_ON_LIFT
        return _OBJECTS_ON_LIFT

    @property
    def carrying_object_on_top_id(self) -> int:
        return _OBJECTS_ON_LIFT

    head_tracking_object_id = localized_to_object_id = carrying_object_on_top_id

    @property
    def is_localized(self) -> bool:
        return any(one.pose is not None for one in self._engine.sight.objects.values())
