"""Vectors, rotations and poses in mm (``cozmo.util``; spec 21 §7)."""

from __future__ import annotations

import math
from typing import Any

from .units import Angle

INVALID_ORIGIN = -1


class Vector2:
    __slots__ = ("_x", "_y")

    def __init__(self, x: float, y: float) -> None:
        self._x, self._y = x, y

    @property
    def x(self) -> float:
        return self._x

    @property
    def y(self) -> float:
        return self._y

    @property
    def x_y(self) -> tuple[float, float]:
        return self._x, self._y

    def __add__(self, other: Any) -> Vector2:
        if not isinstance(other, Vector2):
            raise TypeError("+ works between Vector2 and Vector2")
        return Vector2(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Any) -> Vector2:
        if not isinstance(other, Vector2):
            raise TypeError("- works between Vector2 and Vector2")
        return Vector2(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> Vector2:
        return Vector2(self.x * factor, self.y * factor)

    def __repr__(self) -> str:
        return f"<Vector2 x: {self.x:.2f} y: {self.y:.2f}>"


class Vector3:
    __slots__ = ("_x", "_y", "_z")

    def __init__(self, x: float, y: float, z: float) -> None:
        self._x, self._y, self._z = x, y, z

    @property
    def x(self) -> float:
        return self._x

    @property
    def y(self) -> float:
        return self._y

    @property
    def z(self) -> float:
        return self._z

    @property
    def x_y_z(self) -> tuple[float, float, float]:
        return self._x, self._y, self._z

    def __add__(self, other: Any) -> Vector3:
        if not isinstance(other, Vector3):
            raise TypeError("+ works between Vector3 and Vector3")
        return type(self)(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Any) -> Vector3:
        if not isinstance(other, Vector3):
            raise TypeError("- works between Vector3 and Vector3")
        return type(self)(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: float) -> Vector3:
        return type(self)(self.x * factor, self.y * factor, self.z * factor)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} x: {self.x:.2f} y: {self.y:.2f} z: {self.z:.2f}>"


class Position(Vector3):
    __slots__ = ()


class Matrix44:
    """Rotation and place, four columns of four numbers."""

    __slots__ = ("columns",)

    def __init__(self, *numbers: float) -> None:
        self.columns = tuple(tuple(numbers[i : i + 4]) for i in range(0, 16, 4))

    @property
    def tabulated_string(self) -> str:
        return "\n".join("\t".join(f"{value:.1f}" for value in row) for row in self.in_row_order_2d)

    @property
    def in_row_order(self) -> tuple[float, ...]:
        return tuple(value for row in self.in_row_order_2d for value in row)

    @property
    def in_row_order_2d(self) -> tuple[tuple[float, ...], ...]:
        return tuple(zip(*self.columns, strict=True))

    @property
    def in_column_order(self) -> tuple[float, ...]:
        return tuple(value for column in self.columns for value in column)

    @property
    def forward_xyz(self) -> tuple[float, ...]:
        return self.columns[0][:3]

    @property
    def left_xyz(self) -> tuple[float, ...]:
        return self.columns[1][:3]

    @property
    def up_xyz(self) -> tuple[float, ...]:
        return self.columns[2][:3]

    @property
    def pos_xyz(self) -> tuple[float, ...]:
        return self.columns[3][:3]

    def __repr__(self) -> str:
        return f"<Matrix44:\n{self.tabulated_string}>"


class Quaternion:
    """A rotation: q0 is the real part. ``angle_z`` counts where a q is missing."""

    __slots__ = ("_q",)

    def __init__(
        self,
        q0: float | None = None,
        q1: float | None = None,
        q2: float | None = None,
        q3: float | None = None,
        angle_z: Angle | None = None,
    ) -> None:
        given = (q0, q1, q2, q3)
        if None not in given:
            if angle_z is not None:
                raise ValueError("a rotation takes q0 to q3 or angle_z, not both")
            self._q: tuple[Any, ...] = given
        elif angle_z is None:
            raise ValueError("a rotation needs all of q0 to q3, or angle_z")
        else:
            self._q = angle_z_to_quaternion(angle_z)

    @property
    def q0(self) -> float:
        return float(self._q[0])

    @property
    def q1(self) -> float:
        return float(self._q[1])

    @property
    def q2(self) -> float:
        return float(self._q[2])

    @property
    def q3(self) -> float:
        return float(self._q[3])

    @property
    def q0_q1_q2_q3(self) -> tuple[float, float, float, float]:
        return self.q0, self.q1, self.q2, self.q3

    @property
    def angle_z(self) -> Angle:
        w, x, y, z = self.q0_q1_q2_q3
        return Angle(radians=math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))

    @property
    def euler_angles(self) -> tuple[float, float, float]:
        """Return pitch, yaw and roll in rad."""
        w, x, y, z = self.q0_q1_q2_q3
        pitch = math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x))))
        roll = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
        return pitch, self.angle_z.radians, roll

    def to_matrix(self, pos_x: float = 0.0, pos_y: float = 0.0, pos_z: float = 0.0) -> Matrix44:
        w, x, y, z = self.q0_q1_q2_q3
        return Matrix44(
            1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0.0,
            2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0.0,
            2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0.0,
            pos_x, pos_y, pos_z, 1.0,
        )  # fmt: skip

    def __repr__(self) -> str:
        parts = " ".join(f"q{i}: {value:.2f}" for i, value in enumerate(self.q0_q1_q2_q3))
        return f"<Quaternion {parts} (angle_z: {self.angle_z})>"


Rotation = Quaternion


class Pose:
    """A place in mm and a rotation, in the frame number ``origin_id``; -1 is no valid one."""

    __slots__ = ("_is_accurate", "_origin_id", "_position", "_rotation")

    def __init__(
        self,
        x: float,
        y: float,
        z: float,
        q0: float | None = None,
        q1: float | None = None,
        q2: float | None = None,
        q3: float | None = None,
        angle_z: Angle | None = None,
        origin_id: int = INVALID_ORIGIN,
        is_accurate: bool = True,
    ) -> None:
        self._position = Position(x, y, z)
        self._rotation = Quaternion(q0, q1, q2, q3, angle_z)
        self._origin_id = origin_id
        self._is_accurate = is_accurate

    @property
    def position(self) -> Position:
        return self._position

    @property
    def rotation(self) -> Quaternion:
        return self._rotation

    @property
    def origin_id(self) -> int:
        return self._origin_id

    @origin_id.setter
    def origin_id(self, value: int) -> None:
        if not isinstance(value, int):
            raise TypeError("an origin_id is a whole number")
        self._origin_id = value

    @property
    def is_accurate(self) -> bool:
        return self.is_valid and self._is_accurate

    @property
    def is_valid(self) -> bool:
        return self._origin_id >= 0

    def is_comparable(self, other: Pose) -> bool:
        """Tell whether both poses are valid and count from the same origin."""
        return self.is_valid and other.is_valid and self.origin_id == other.origin_id

    def invalidate(self) -> None:
        self._origin_id = INVALID_ORIGIN

    def to_matrix(self) -> Matrix44:
        return self.rotation.to_matrix(*self.position.x_y_z)

    def define_pose_relative_this(self, new_pose: Pose) -> Pose:
        """Return ``new_pose``, given in this pose's frame, in the frame of this pose."""
        if not isinstance(new_pose, Pose):
            raise TypeError("define_pose_relative_this takes a Pose")
        x, y, z = self.position.x_y_z
        dx, dy, dz = new_pose.position.x_y_z
        yaw = self.rotation.angle_z
        c, s = math.cos(yaw.radians), math.sin(yaw.radians)
        angle = yaw + new_pose.rotation.angle_z
        place = x + c * dx - s * dy, y + s * dx + c * dy, z + dz
        return Pose(*place, angle_z=angle, origin_id=self.origin_id)

    def _combined(self, other: Any, sign: int) -> Pose:
        if not isinstance(other, Pose):
            raise TypeError("+ and - work between Pose and Pose")
        here, there = self.position, other.position
        x, y, z = here.x + sign * there.x, here.y + sign * there.y, here.z + sign * there.z
        angle = self.rotation.angle_z + other.rotation.angle_z * sign
        return pose_z_angle(x, y, z, angle)

    def __add__(self, other: Any) -> Pose:
        return self._combined(other, 1)

    def __sub__(self, other: Any) -> Pose:
        return self._combined(other, -1)

    def __repr__(self) -> str:
        return f"<Pose {self.position} {self.rotation} origin_id={self.origin_id}>"


def rotation_quaternion(q0: float, q1: float, q2: float, q3: float) -> Quaternion:
    return Quaternion(q0, q1, q2, q3)


def rotation_z_angle(angle_z: Angle) -> Quaternion:
    return Quaternion(angle_z=angle_z)


def angle_z_to_quaternion(angle_z: Angle) -> tuple[float, float, float, float]:
    half = angle_z.radians / 2
    return math.cos(half), 0.0, 0.0, math.sin(half)


def pose_quaternion(
    x: float, y: float, z: float, q0: float, q1: float, q2: float, q3: float, origin_id: int = 0
) -> Pose:
    return Pose(x, y, z, q0, q1, q2, q3, origin_id=origin_id)


def pose_z_angle(x: float, y: float, z: float, angle_z: Angle, origin_id: int = 0) -> Pose:
    return Pose(x, y, z, angle_z=angle_z, origin_id=origin_id)
