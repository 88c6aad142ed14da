"""What the robot is doing, at one glance, as in ``RobotStatus`` on the graph (spec 10 §2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..protocol import messages
from ..protocol.enums import MotorID
from ..protocol.enums import RobotStatusFlag as Flag
from .data import OffTreads, Pose2D, RobotState
from .geometry import lift_height
from .motion.claims import Owner

if TYPE_CHECKING:
    from .robot import Robot

_NO_CLIP = (0, 255)
"""Animation tags while no clip plays: nothing, and the idle face."""


@dataclass(frozen=True, slots=True)
class Status:
    """SI units. Two of them are equal when nothing but measurements and times differ.

    ``time`` and ``robot_time`` are those of the robot's state; ``pitch`` is nose down positive.
    """

    time: float = field(compare=False)
    robot_time: float = field(compare=False)
    pitch: float = field(compare=False)
    left_wheel_speed: float = field(compare=False)
    right_wheel_speed: float = field(compare=False)
    head_angle: float = field(compare=False)
    lift_angle: float = field(compare=False)
    lift_height: float = field(compare=False)
    battery_voltage: float = field(compare=False)
    cliff_raw: tuple[int, ...] = field(compare=False)
    off_treads: OffTreads
    flags: int
    """The robot's own status bits; the ``is_`` properties read them."""
    path_segment: int
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
    origin_id: int
    frame_id: int
    origin: Pose2D
    """Pose of the robot's own coordinate system in the odometry frame."""

    @property
    def is_moving(self) -> bool:
        """Any motor moves."""
        return self._has(Flag.IS_MOVING)

    @property
    def are_wheels_moving(self) -> bool:
        """A tread moves."""
        return self._has(Flag.ARE_WHEELS_MOVING)

    @property
    def is_picked_up(self) -> bool:
        """The robot feels lifted; not debounced."""
        return self._has(Flag.IS_PICKED_UP)

    @property
    def is_falling(self) -> bool:
        """The robot is in free fall."""
        return self._has(Flag.IS_FALLING)

    @property
    def is_on_charger(self) -> bool:
        """The charging contacts have power."""
        return self._has(Flag.IS_ON_CHARGER)

    @property
    def is_charging(self) -> bool:
        """The battery is being charged."""
        return self._has(Flag.IS_CHARGING)

    @property
    def is_charger_out_of_spec(self) -> bool:
        """The charger's voltage is wrong."""
        return self._has(Flag.IS_CHARGER_OOS)

    @property
    def is_cliff_detected(self) -> bool:
        """There is no ground under the front."""
        return self._has(Flag.CLIFF_DETECTED)

    @property
    def is_carrying_cube(self) -> bool:
        """The robot believes it carries a cube."""
        return self._has(Flag.IS_CARRYING_BLOCK)

    @property
    def is_docking(self) -> bool:
        """The robot picks up or places an object."""
        return self._has(Flag.IS_PICKING_OR_PLACING)

    @property
    def is_following_path(self) -> bool:
        """A path is being executed."""
        return self._has(Flag.IS_PATHING)

    @property
    def is_head_in_position(self) -> bool:
        """The head is at its commanded angle."""
        return self._has(Flag.HEAD_IN_POS)

    @property
    def is_lift_in_position(self) -> bool:
        """The lift is at its commanded height."""
        return self._has(Flag.LIFT_IN_POS)

    def _has(self, flag: Flag) -> bool:
        return bool(self.flags & flag)


def status_of(robot: Robot, state: RobotState) -> Status:
    """Return what ``robot`` is doing at ``state``."""
    motion = robot.motion
    return Status(
        time=state.time,
        robot_time=state.robot_time,
        pitch=state.pitch,
        left_wheel_speed=state.left_wheel_speed,
        right_wheel_speed=state.right_wheel_speed,
        head_angle=state.head_angle,
        lift_angle=state.lift_angle,
        lift_height=lift_height(state.lift_angle),
        battery_voltage=state.battery_voltage,
        cliff_raw=state.cliff_raw,
        off_treads=state.off_treads,
        flags=state.flags,
        path_segment=state.path_segment,
        is_animating=_is_animating(robot, state),
        is_head_calibrated=motion.is_calibrated(MotorID.HEAD),
        is_lift_calibrated=motion.is_calibrated(MotorID.LIFT),
        is_emergency_stopped=motion.is_stopped,
        is_stop_on_cliff_enabled=robot.stop_on_cliff,
        is_head_light_on=robot.head_light.is_on,
        is_camera_enabled=robot.camera.is_enabled,
        disabled_motors=motion.protection.disabled,
        wheels_owner=motion.wheels.owner,
        face_owner=robot.face_owner,
        clip=robot.clip,
        origin_id=state.origin_id,
        frame_id=state.frame_id,
        origin=robot.odometry_tracker.origin,
    )


def _is_animating(robot: Robot, state: RobotState) -> bool:
    """The status bit is not set by every firmware; the animation's tag tells, too."""
    animation = robot.session.received.get(messages.AnimationState)
    is_clip = isinstance(animation, messages.AnimationState) and animation.tag not in _NO_CLIP
    return is_clip or state.has(Flag.IS_ANIMATING)
