"""The robot as plain asyncio Python in SI units."""

from __future__ import annotations

from .battery import Battery, Charge
from .camera.calibration import CalibrationSource, CameraCalibration
from .camera.camera import Camera, CameraOptions
from .camera.exposure import CameraLimits, Exposure
from .cubes.cubes import Cubes
from .cubes.data import (
    Cube,
    CubeAcceleration,
    CubeEvent,
    CubeEventType,
    CubeKind,
    CubeLink,
)
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
from .errors import Reason, Refused, RobotError
from .events import RobotEvent, RobotEventType
from .firmware.maintenance import UpdatePhase
from .firmware.traces import Trace, TraceLevel, TraceTables, TraceTablesError, load_trace_tables
from .firmware.update import (
    FirmwareOptions,
    FirmwareUpdate,
    UpdateFailed,
    UpdateProgress,
    UpdateReport,
)
from .geometry import MAX_HEAD_ANGLE, MAX_LIFT_HEIGHT, MIN_HEAD_ANGLE, MIN_LIFT_HEIGHT
from .lights import (
    Backpack,
    BackpackLights,
    ChargeDisplay,
    Color,
    CubeLights,
    HeadLight,
    LightState,
    all_alike,
    steady,
)
from .localization import Localization, Relocalized
from .motion.claims import Owner
from .motion.driving import DriveLimits
from .motion.joints import JointMotion, JointProgress
from .motion.motion import Motion
from .odometry import Odometry
from .paths.follower import PathFollower, PathProgress
from .paths.maneuvers import DistanceProgress, GoalProgress, Maneuvers
from .paths.planner import PathStyle, Waypoint
from .paths.segments import Arc, Line, Segment, Turn
from .paths.turns import AngleProgress, Turns
from .playback.audio import Audio, SoundProgress
from .playback.audio_stream import AudioStream, AudioStreamOptions
from .playback.frame_stream import FrameStream, Playback
from .playback.frames import Frame, FrameSource, Priority
from .power import Power, PowerOptions
from .program import connect, connected, run_program
from .pushing import Movement, Side
from .robot import Robot, RobotOptions
from .session import Session
from .status import Status
from .storage.backup import StorageBackup
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
    "Movement",
    "Odometry",
    "OffTreads",
    "Owner",
    "PathFollower",
    "PathProgress",
    "PathStyle",
    "Phase",
    "Playback",
    "Pose2D",
    "Power",
    "PowerOptions",
    "Priority",
    "Reason",
    "Refused",
    "Refused",
    "Refused",
    "Relocalized",
    "Robot",
    "RobotError",
    "RobotError",
    "RobotError",
    "RobotError",
    "RobotError",
    "RobotError",
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
    "Trace",
    "TraceLevel",
    "TraceTables",
    "TraceTablesError",
    "Turn",
    "Turns",
    "UpdateFailed",
    "UpdatePhase",
    "UpdateProgress",
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
