"""The robot as plain asyncio Python in SI units."""

from __future__ import annotations

from .battery import Battery, Charge
from .camera.calibration import CalibrationSource, CameraCalibration
from .camera.camera import Camera, CameraOptions
from .camera.exposure import CameraLimits, Exposure
from .cubes.cubes import CubeNotFound, CubeOptions, Cubes, CubeTimeout
from .cubes.data import (
    Cube,
    CubeAcceleration,
    CubeEvent,
    CubeEventType,
    CubeKind,
    CubeLink,
)
from .cubes.lights import CubeLights, all_alike
from .data import (
    Cause,
    Identity,
    Image,
    OffTreads,
    Phase,
    Pose2D,
    RobotState,
    SessionState,
    Vector3,
)
from .display import Display
from .events.events import RobotEvent, RobotEventType
from .events.unexpected_movement import Movement, Side
from .firmware.maintenance import UpdatePhase
from .firmware.traces import Trace, TraceLevel, TraceTables, TraceTablesError, load_trace_tables
from .firmware.update import (
    FirmwareOptions,
    FirmwareUpdate,
    UpdateFailed,
    UpdateProgress,
    UpdateRefused,
    UpdateReport,
)
from .geometry import MAX_HEAD_ANGLE, MAX_LIFT_HEIGHT, MIN_HEAD_ANGLE, MIN_LIFT_HEIGHT
from .lights import Backpack, BackpackLights, ChargeDisplay, Color, HeadLight, LightState, steady
from .localization.localization import Localization, Relocalized
from .localization.odometry import Odometry
from .motion.claims import Owner
from .motion.joints import JointMotion, JointProgress
from .motion.motion import DriveLimits, Motion
from .paths.follower import PathFollower, PathProgress
from .paths.maneuvers import DistanceProgress, GoalProgress, Maneuvers
from .paths.planner import PathStyle, Waypoint
from .paths.segments import Arc, Line, Segment, Turn
from .paths.turns import AngleProgress, Turns
from .playback.audio import Audio, SoundProgress
from .playback.audio_stream import AudioStream, AudioStreamOptions
from .playback.frame_stream import FrameStream, Playback, PlaybackEnded
from .playback.frames import Frame, FrameSource, Priority
from .power import Power, PowerOptions
from .program import ConnectFailed, connect, connected, run_program
from .reasons import MotionAborted, MotionRefused, Reason
from .robot import Robot, RobotOptions
from .session import Session
from .status import Status
from .storage.backup import BackupError, StorageBackup
from .storage.rules import StorageRefused
from .storage.storage import (
    Storage,
    StorageChange,
    StorageDifference,
    StorageError,
    StorageOptions,
)

__all__ = [
    "MAX_HEAD_ANGLE",
    "MAX_LIFT_HEIGHT",
    "MIN_HEAD_ANGLE",
    "MIN_LIFT_HEIGHT",
    "AngleProgress",
    "Arc",
    "Audio",
    "AudioStream",
    "AudioStreamOptions",
    "Backpack",
    "BackpackLights",
    "BackupError",
    "Battery",
    "CalibrationSource",
    "Camera",
    "CameraCalibration",
    "CameraLimits",
    "CameraOptions",
    "Cause",
    "Charge",
    "ChargeDisplay",
    "Color",
    "ConnectFailed",
    "Cube",
    "CubeAcceleration",
    "CubeEvent",
    "CubeEventType",
    "CubeKind",
    "CubeLights",
    "CubeLink",
    "CubeNotFound",
    "CubeOptions",
    "CubeTimeout",
    "Cubes",
    "Display",
    "DistanceProgress",
    "DriveLimits",
    "Exposure",
    "FirmwareOptions",
    "FirmwareUpdate",
    "Frame",
    "FrameSource",
    "FrameStream",
    "GoalProgress",
    "HeadLight",
    "Identity",
    "Image",
    "JointMotion",
    "JointProgress",
    "LightState",
    "Line",
    "Localization",
    "Maneuvers",
    "Motion",
    "MotionAborted",
    "MotionRefused",
    "Movement",
    "Odometry",
    "OffTreads",
    "Owner",
    "PathFollower",
    "PathProgress",
    "PathStyle",
    "Phase",
    "Playback",
    "PlaybackEnded",
    "Pose2D",
    "Power",
    "PowerOptions",
    "Priority",
    "Reason",
    "Relocalized",
    "Robot",
    "RobotEvent",
    "RobotEventType",
    "RobotOptions",
    "RobotState",
    "Segment",
    "Session",
    "SessionState",
    "Side",
    "SoundProgress",
    "Status",
    "Storage",
    "StorageBackup",
    "StorageChange",
    "StorageDifference",
    "StorageError",
    "StorageOptions",
    "StorageRefused",
    "Trace",
    "TraceLevel",
    "TraceTables",
    "TraceTablesError",
    "Turn",
    "Turns",
    "UpdateFailed",
    "UpdatePhase",
    "UpdateProgress",
    "UpdateRefused",
    "UpdateReport",
    "Vector3",
    "Waypoint",
    "all_alike",
    "connect",
    "connected",
    "load_trace_tables",
    "run_program",
    "steady",
]
