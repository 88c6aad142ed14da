"""Positions and velocities of all joints of the model (spec 13 §3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..data import RobotState
from ..geometry import FRONT_WHEEL_RADIUS, REAR_WHEEL_RADIUS

JOINTS = (
    "head_joint",
    "lift_joint",
    "lift_upper_arm_joint",
    "lift_wrist_joint",
    "left_front_wheel_joint",
    "left_rear_wheel_joint",
    "right_front_wheel_joint",
    "right_rear_wheel_joint",
)
"""Names as in the description; the order of every array here."""
_LONGEST_GAP = 0.3
"""Over longer gaps between states nothing is known of the movement, s."""


@dataclass(frozen=True, slots=True)
class Joints:
    """Positions in rad and velocities in rad/s, in the order of ``JOINTS``."""

    positions: tuple[float, ...]
    velocities: tuple[float, ...]


class JointTracker:
    """Turns the wheels by the tread speeds and derives the velocities of head and lift."""

    def __init__(self) -> None:
        """Start with wheels at zero."""
        self._last: RobotState | None = None
        self._left = self._right = 0.0
        """Way of the treads, m."""

    def update(self, state: RobotState) -> Joints:
        """Take a state; return the joints at its time."""
        last, self._last = self._last, state
        elapsed = state.robot_time - last.robot_time if last else 0.0
        head_rate = lift_rate = 0.0
        if last and 0.0 < elapsed <= _LONGEST_GAP:
            self._left += elapsed * (last.left_wheel_speed + state.left_wheel_speed) / 2
            self._right += elapsed * (last.right_wheel_speed + state.right_wheel_speed) / 2
            head_rate = (state.head_angle - last.head_angle) / elapsed
            lift_rate = (state.lift_angle - last.lift_angle) / elapsed
        left, right = state.left_wheel_speed, state.right_wheel_speed
        return Joints(
            positions=(
                state.head_angle,
                state.lift_angle,
                state.lift_angle,
                -state.lift_angle,
                *_wheels(self._left, wrap=True),
                *_wheels(self._right, wrap=True),
            ),
            velocities=(
                head_rate,
                lift_rate,
                lift_rate,
                -lift_rate,
                *_wheels(left),
                *_wheels(right),
            ),
        )


def _wheels(way: float, *, wrap: bool = False) -> tuple[float, float]:
    """Return the turn of front and rear wheel, rad, for a way of the tread, m."""
    front, rear = way / FRONT_WHEEL_RADIUS, way / REAR_WHEEL_RADIUS
    if wrap:
        return math.remainder(front, 2 * math.pi), math.remainder(rear, 2 * math.pi)
    return front, rear
