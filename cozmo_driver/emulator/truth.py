"""What is really the case in the emulated robot, for tests and tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..protocol import DisconnectReason, Message
from .animation_controller import AnimationTruth
from .body import Pose2D


@dataclass(frozen=True, slots=True)
class EmulatorState:
    """Snapshot of the emulator, without noise; mm, mm/s, rad, V."""

    connected: bool
    sessions: int
    """Connections since power on."""
    last_disconnect: DisconnectReason | None
    left_speed: float
    right_speed: float
    pose: Pose2D
    """Where the robot's origin is in the world; on the endless floor it starts at its origin."""
    reported_pose: Pose2D
    """Where the robot says it is, in the frame the engine gave it."""
    origin_id: int
    frame_id: int
    driven: float
    head_angle: float
    lift_angle: float
    lift_height: float
    calibrated: bool
    """Whether head and lift are."""
    camera_streaming: bool
    color: bool
    images_sent: int
    gain: float
    exposure_ms: int
    on_charger: bool
    battery_voltage: float
    status: int
    """RobotStatusFlag mask."""
    animation: AnimationTruth
    received: Mapping[str, int]
    """Messages received since power on, by name."""
    last_received: Mapping[str, Message]
    refused: Mapping[str, int]
    """Messages nothing acted on because their values are not numbers, by name."""
    violations: Mapping[str, int]
    """Datagrams and messages of this connection that broke the protocol, by kind."""
    foreign_datagrams: int = 0
    """Datagrams ignored because another engine was connected."""
