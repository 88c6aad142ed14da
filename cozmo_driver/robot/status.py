"""What the robot is doing, at one glance, as in ``RobotStatus`` on the graph (spec 10 §2)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..protocol.enums import MotorID
from .data import Pose2D, RobotState
from .motion.claims import Owner


@dataclass(frozen=True, slots=True)
class Status:
    """A state of the robot, and what the driver does with it."""

    state: RobotState = field(compare=False)
    is_animating: bool
    is_head_calibrated: bool
    is_lift_calibrated: bool
    is_emergency_stopped: bool
    is_stop_on_cliff_enabled: bool
    is_head_light_on: bool
    is_camera_enabled: bool
    disabled_motors: frozenset[MotorID]
    wheels_owner: Owner
    face_owner: Owner
    clip: str
    origin: Pose2D
    """Pose of the robot's own coordinate system in the odometry frame."""

    def is_change_from(self, before: Status | None) -> bool:
        """Tell whether more than measurements and times differ."""
        return before is None or self != before or _discrete(self.state) != _discrete(before.state)


def _discrete(state: RobotState) -> tuple[int, ...]:
    return state.flags, state.off_treads, state.path_segment, state.origin_id, state.frame_id
