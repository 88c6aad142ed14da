"""Motors: actions, overload protection, animation tracks, positions (spec 07 §3, §6)."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

from ...protocol import AnimTrackFlag, MotorID, messages
from ..data import RobotState
from ..geometry import FRONT_WHEEL_RADIUS, REAR_WHEEL_RADIUS
from ..session import Session
from ..signal import Signal

_log = logging.getLogger(__name__)

ACKNOWLEDGE_TIMEOUT = 3.0
"""Time for the acknowledgement, s: longer than a Wi-Fi stalls."""


class MotorActions:
    """One counter for head, lift and body."""

    def __init__(self, session: Session) -> None:
        self._last = 0
        self._acknowledged: set[int] = set()
        session.on(messages.MotorActionAck, self._on_message)

    def next_id(self) -> int:
        """Return the next number, 1 to 255."""
        self._last = self._last % 255 + 1
        self._acknowledged.discard(self._last)
        return self._last

    def is_acknowledged(self, action_id: int) -> bool:
        return action_id in self._acknowledged

    def _on_message(self, message: messages.MotorActionAck, _: float) -> None:
        self._acknowledged.add(message.action_id)


WHEELS = (MotorID.LEFT_WHEEL, MotorID.RIGHT_WHEEL)


class MotorProtection:
    """Knows which motors are switched off; a motor stays blocked until the robot frees it."""

    def __init__(self, session: Session) -> None:
        self.disabled: frozenset[MotorID] = frozenset()
        self.on_change: Signal[frozenset[MotorID]] = Signal()
        session.on(messages.MotorAutoEnabled, self._on_message)
        session.on_setup.connect(self._on_setup)

    def _on_setup(self, _: None) -> None:
        self.disabled = frozenset()

    def _on_message(self, message: messages.MotorAutoEnabled, _: float) -> None:
        try:
            motor = MotorID(message.motor_id)
        except ValueError:
            _log.warning("overload protection of an unknown motor %d", message.motor_id)
            return
        name = motor.name.lower().replace("_", " ")
        if message.enabled:
            self.disabled -= {motor}
            _log.info("the overload protection gave the %s motor free", name)
        else:
            self.disabled |= {motor}
            _log.warning("the overload protection switched the %s motor off", name)
        self.on_change.emit(self.disabled)


class TrackLock:
    """Disables animation tracks in the robot while someone holds them."""

    def __init__(self, session: Session) -> None:
        """Send through ``session``; a new session starts with all tracks enabled."""
        self._session = session
        self._held: dict[str, AnimTrackFlag] = {}
        session.on_setup.connect(self._apply_all)

    @property
    def locked(self) -> AnimTrackFlag:
        union = AnimTrackFlag(0)
        for tracks in self._held.values():
            union |= tracks
        return union

    def hold(self, who: str, tracks: AnimTrackFlag) -> None:
        """Let ``who`` hold exactly these tracks; none gives them back."""
        before = self.locked
        if tracks:
            self._held[who] = tracks
        else:
            self._held.pop(who, None)
        after = self.locked
        if after & ~before:
            self._session.safety.send(messages.DisableAnimTracks(int(after & ~before)))
        if before & ~after:
            self._session.safety.send(messages.EnableAnimTracks(int(before & ~after)))

    def _apply_all(self, _: None) -> None:
        if self.locked:
            self._session.send(messages.DisableAnimTracks(int(self.locked)))


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
        self._last: RobotState | None = None
        self._left = self._right = 0.0
        """Travel of the treads, m."""

    def update(self, state: RobotState) -> Joints:
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


def _wheels(travel: float, *, wrap: bool = False) -> tuple[float, float]:
    """Return the turn of front and rear wheel, rad, for the travel of the tread, m."""
    front, rear = travel / FRONT_WHEEL_RADIUS, travel / REAR_WHEEL_RADIUS
    if wrap:
        return math.remainder(front, 2 * math.pi), math.remainder(rear, 2 * math.pi)
    return front, rear
