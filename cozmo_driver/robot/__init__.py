"""The robot as plain asyncio Python in SI units."""

from __future__ import annotations

from .audio import Audio, AudioStream, AudioStreamOptions, SoundProgress
from .auto_exposure import CameraLimits, Exposure
from .backpack import Backpack, BackpackLights, ChargeDisplay
from .battery import Battery, Charge
from .camera import Camera, CameraOptions
from .camera_calibration import CalibrationSource, CameraCalibration
from .claims import Owner
from .cube_data import (
    Cube,
    CubeAcceleration,
    CubeEvent,
    CubeEventType,
    CubeKind,
    CubeLink,
)
from .cube_lights import CubeLights
from .cubes import CubeNotFound, CubeOptions, Cubes, CubeTimeout
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
from .events import RobotEvent, RobotEventType
from .firmware_update import (
    FirmwareOptions,
    FirmwareUpdate,
    UpdateFailed,
    UpdatePhase,
    UpdateProgress,
    UpdateRefused,
    UpdateReport,
)
from .frame_stream import FrameStream, Playback, PlaybackEnded
from .frames import Frame, FrameSource, Priority
from .head_light import HeadLight
from .joints import JointMotion, JointProgress
from .lights import Color, LightState
from .localization import Localization, Relocalized
from .maneuvers import DistanceProgress, GoalProgress, Maneuvers
from .motion import DriveLimits, Motion
from .odometry import Odometry
from .path_follower import PathFollower, PathProgress
from .path_planner import PathStyle, Waypoint
from .path_segments import Arc, Line, Segment, Turn
from .reasons import MotionAborted, MotionRefused, Reason
from .robot import Robot, RobotOptions
from .session import Session
from .status import Status
from .storage import Storage, StorageChange, StorageError, StorageOptions
from .storage_backup import BackupError, StorageBackup
from .storage_rules import StorageRefused
from .trace_tables import TraceTables, TraceTablesError, load_trace_tables
from .traces import Trace, TraceLevel
from .turns import AngleProgress, Turns
from .unexpected_movement import Movement, Side

__all__ = [
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
    "load_trace_tables",
]
