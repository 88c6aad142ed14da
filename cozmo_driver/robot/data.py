"""What the robot reports; metres, radians, seconds, volts (REP-103; axes: spec 07 §1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, IntEnum

from ..media import mini_jpeg
from ..protocol import MotorID, RobotStatusFlag, messages
from .errors import Reason
from .geometry import DRIVE_CENTER_X, lift_height

_BLURRING_RATE = 0.174533
"""rad/s (spec 10 §7)."""


@dataclass(frozen=True, slots=True)
class Vector3:
    """Three components, x forward, y left, z up."""

    x: float
    y: float
    z: float


@dataclass(frozen=True, slots=True)
class Pose2D:
    """Position in m and heading in rad, counter-clockwise."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    def compose(self, local: Pose2D) -> Pose2D:
        """Return ``local``, given in this pose's frame, in the frame of this pose."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return Pose2D(
            self.x + c * local.x - s * local.y,
            self.y + s * local.x + c * local.y,
            math.remainder(self.yaw + local.yaw, 2 * math.pi),
        )

    def inverse(self) -> Pose2D:
        """Return the pose of this pose's parent frame in it."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return Pose2D(-c * self.x - s * self.y, s * self.x - c * self.y, -self.yaw)


DRIVE_CENTER = Pose2D(DRIVE_CENTER_X)
"""What the robot turns about, as seen from its origin."""


class OffTreads(IntEnum):
    """How the robot stands or lies; values of ``RobotStatus.ON_TREADS`` to ``FALLING``."""

    ON_TREADS = 0
    IN_AIR = 1
    ON_BACK = 2
    ON_LEFT_SIDE = 3
    ON_RIGHT_SIDE = 4
    ON_FACE = 5
    FALLING = 6


def _bit(flag: RobotStatusFlag) -> property:
    return property(lambda state: state.has(flag))


_LIFTED = RobotStatusFlag.IS_PICKED_UP | RobotStatusFlag.IS_FALLING


@dataclass(frozen=True, slots=True)
class RobotState:
    """One state of the robot, every 30 ms (spec 10 §1).

    ``time`` is the moment of measurement on the host's monotonic clock, ``robot_time`` on the
    robot's. ``pose`` counts in the robot's own coordinate system ``origin_id``; ``pitch`` is nose
    down positive. Acceleration and angular velocity are in the head's frame. ``off_treads`` is
    derived from the states up to this one (handling.py).
    """

    time: float
    received_at: float
    robot_time: float
    pose: Pose2D
    pitch: float
    origin_id: int
    frame_id: int
    left_wheel_speed: float
    right_wheel_speed: float
    head_angle: float
    lift_angle: float
    acceleration: Vector3
    angular_velocity: Vector3
    battery_voltage: float
    flags: int
    cliff_raw: tuple[int, ...]
    path_segment: int
    off_treads: OffTreads = OffTreads.ON_TREADS

    is_moving = _bit(RobotStatusFlag.IS_MOVING)
    are_wheels_moving = _bit(RobotStatusFlag.ARE_WHEELS_MOVING)
    is_picked_up = _bit(RobotStatusFlag.IS_PICKED_UP)
    """The robot feels lifted; not debounced."""
    is_falling = _bit(RobotStatusFlag.IS_FALLING)
    is_on_charger = _bit(RobotStatusFlag.IS_ON_CHARGER)
    """The charging contacts have power."""
    is_charging = _bit(RobotStatusFlag.IS_CHARGING)
    is_charger_out_of_spec = _bit(RobotStatusFlag.IS_CHARGER_OOS)
    """The charger's voltage is wrong."""
    is_cliff_detected = _bit(RobotStatusFlag.CLIFF_DETECTED)
    is_carrying_cube = _bit(RobotStatusFlag.IS_CARRYING_BLOCK)
    """The robot believes that it carries a cube."""
    is_docking = _bit(RobotStatusFlag.IS_PICKING_OR_PLACING)
    """The robot picks up or places an object."""
    is_following_path = _bit(RobotStatusFlag.IS_PATHING)
    is_head_in_position = _bit(RobotStatusFlag.HEAD_IN_POS)
    is_lift_in_position = _bit(RobotStatusFlag.LIFT_IN_POS)
    """At their commanded angle and height."""

    def has(self, flag: RobotStatusFlag) -> bool:
        """Tell whether a status bit, or one of several, is set."""
        # The operator of the flags' own class takes ten times as long, and this is asked often.
        return int.__and__(self.flags, flag) != 0

    def traveled_since(self, last: RobotState) -> tuple[float, float] | None:
        """Return the distance, m, and the turn, rad, from another state on; None in another frame.

        Both are the drive center's: an arc of it moves the origin as far along its middle heading.
        """
        if (last.origin_id, last.frame_id) != (self.origin_id, self.frame_id):
            return None
        turn = math.remainder(self.pose.yaw - last.pose.yaw, 2 * math.pi)
        heading = last.pose.yaw + turn / 2
        dx, dy = self.pose.x - last.pose.x, self.pose.y - last.pose.y
        return dx * math.cos(heading) + dy * math.sin(heading), turn

    def head_turned_since(self, last: RobotState) -> Vector3 | None:
        """Return the head's mean turn rates from another state on, rad/s; None in another frame.

        By the angles: the gyroscope's figures are moments of a robot that shakes as it drives.
        """
        traveled = self.traveled_since(last)
        if traveled is None:
            return None
        elapsed = self.time - last.time
        yaw_rate = traveled[1] / elapsed
        down = self.pitch - last.pitch - (self.head_angle - last.head_angle)
        head = self.head_angle
        return Vector3(yaw_rate * math.sin(head), down / elapsed, yaw_rate * math.cos(head))

    @property
    def speed(self) -> float:
        """Mean of both treads, m/s; after a stop it stays for some states (spec 18)."""
        return (self.left_wheel_speed + self.right_wheel_speed) / 2

    @property
    def lift_height(self) -> float:
        """Of the lift's wrist above ground, m."""
        return lift_height(self.lift_angle)

    @property
    def is_off_ground(self) -> bool:
        """Tell whether the robot feels lifted or falling, or does not stand on its treads."""
        return self.has(_LIFTED) or self.off_treads is not OffTreads.ON_TREADS

    @property
    def yaw_rate(self) -> float:
        """Angular velocity of the body about the vertical axis, rad/s (spec 07 §10)."""
        head = self.head_angle
        return self.angular_velocity.x * math.sin(head) + self.angular_velocity.z * math.cos(head)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the robot is (spec 01 §9, messages 0xC9, 0xED, 0xEE)."""

    address: str
    port: int
    head_serial: int = 0
    head_revision: int = 0
    body_serial: int = 0
    body_hardware: int = 0
    body_color: int = -1
    wifi_flash_id: int = 0
    firmware_version: int = 0
    firmware_build: str = ""
    firmware_date: str = ""
    firmware_json: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """One picture of the camera: a complete JPEG file.

    ``time`` is the start of the exposure on the host's monotonic clock, s;
    ``angular_velocity`` the head's mean while it was taken, rad/s, where it is known.
    """

    time: float
    image_id: int
    jpeg: bytes
    is_color: bool
    angular_velocity: Vector3 | None = None

    @property
    def is_blurred(self) -> bool:
        """Tell whether the head turned too fast for a sharp picture."""
        rate = self.angular_velocity
        return rate is not None and max(abs(rate.x), abs(rate.y), abs(rate.z)) > _BLURRING_RATE

    def pixels(self) -> mini_jpeg.ImageArray:
        """Return the picture decoded: uint8, 240x320 pixels, or 240x320x3 in colour (spec 03 §4).

        Colour pictures are stretched to the width that the camera's calibration is for.
        Raises ``ValueError`` for a damaged picture.
        """
        return mini_jpeg.stretched(mini_jpeg.picture(self.jpeg))


class Phase(Enum):
    """Where the session with the robot stands."""

    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    INITIALIZING = "initializing"
    CONNECTED = "connected"
    DISCONNECTING = "disconnecting"
    WAITING = "waiting"


class Cause(Enum):
    """Why the session is in its phase."""

    NONE = "nothing to explain"
    REQUESTED = "requested"
    NO_ANSWER = "the robot does not answer"
    SILENT = "the robot fell silent"
    CLOSED = "the robot ended the connection"
    NOT_READY = "the robot answered but did not finish starting"
    NETWORK = "network error"
    FIRMWARE = "this firmware cannot be driven"
    SHUTDOWN = "shutting down"


@dataclass(frozen=True, slots=True)
class SessionState:
    """Phase of the session, why, and what to do; ``next_attempt`` in s, NaN for none planned."""

    phase: Phase
    previous: Phase
    cause: Cause
    text: str
    attempts: int
    connections: int
    next_attempt: float = math.nan

    @property
    def has_ended(self) -> bool:
        """Whether the robot was ready until now."""
        return self.previous is Phase.CONNECTED and self.phase is not Phase.CONNECTED

    @property
    def end(self) -> tuple[Reason, str]:
        """Why what was under way in a session that has ended does not go on."""
        reasons = {Cause.REQUESTED: Reason.NOT_CONNECTED, Cause.SHUTDOWN: Reason.SHUTDOWN}
        text = f"the link to the robot ended: {self.cause.value}"
        return reasons.get(self.cause, Reason.LINK_LOST), text


class Calibration:
    """Head and lift are calibrated in every session; until then their angles mean nothing."""

    def __init__(self) -> None:
        self._done: set[int] = set()
        self._running: set[int] = set()

    def reset(self) -> None:
        self._done.clear()
        self._running.clear()

    def handle(self, message: messages.MotorCalibration, now: float) -> None:
        if message.calib_started:
            self._done.discard(message.motor_id)
            self._running.add(message.motor_id)
        else:
            self._running.discard(message.motor_id)
            self._done.add(message.motor_id)

    def has(self, motor: MotorID) -> bool:
        return motor in self._done

    @property
    def is_complete(self) -> bool:
        return {MotorID.HEAD, MotorID.LIFT} <= self._done

    @property
    def is_running(self) -> bool:
        """Tell whether a calibration that began has not ended; the robot fights commands then."""
        return bool(self._running)
