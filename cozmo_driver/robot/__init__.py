"""The robot as plain asyncio Python in SI units."""

from __future__ import annotations

from ..installation import cache_directory, data_directory
from ..protocol import DockAction, DockingMethod
from .battery import LOW_VOLTAGE, Battery, BatteryTracker, Charge
from .calibration import (
    Measurement,
    RobotCalibration,
    load_robot_calibration,
    save_robot_calibration,
)
from .camera.calibration import CalibrationSource, CameraCalibration
from .camera.camera import Camera, CameraOptions, CameraStatistics
from .camera.exposure import AutoExposure, CameraLimits, Exposure
from .cubes.data import (
    LIGHT_CUBES,
    Cube,
    CubeAcceleration,
    CubeEvent,
    CubeEventType,
    CubeKind,
    CubeLink,
    cube_name,
)
from .cubes.light_cubes import Cubes
from .cubes.senses import ACCELERATION_COUNT
from .data import (
    DRIVE_CENTER,
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
from .docking.data import (
    DOCKING_ACCELERATION,
    DOCKING_SPEED,
    DockingError,
    DockingFailed,
    DockingPhase,
    DockingProgress,
    DockingResult,
)
from .errors import Reason, Refused, RobotError, passing_over
from .events import HARD_IMPACT, RobotEvent, RobotEventType
from .firmware.image import FirmwareImage, load_image
from .firmware.maintenance import UpdatePhase, UpdateTimes, connected_once, maintenance_session
from .firmware.traces import Trace, TraceLevel, TraceTables, TraceTablesError, load_trace_tables
from .firmware.update import (
    FirmwareOptions,
    UpdateFailed,
    UpdateProgress,
    check_version,
)
from .geometry import (
    CAMERA,
    CAMERA_TILT,
    EFFECTIVE_TRACK_WIDTH,
    LIFT_ARM_LENGTH,
    MAX_HEAD_ANGLE,
    MAX_LIFT_HEIGHT,
    MAX_WHEEL_SPEED,
    MAX_YAW_RATE,
    MIN_HEAD_ANGLE,
    MIN_LIFT_HEIGHT,
    NECK,
    TRACK_WIDTH,
    camera_pose,
    lift_angle,
    lift_height,
)
from .identity import NEWEST_KNOWN_FIRMWARE, OLDEST_KNOWN_FIRMWARE, StartError
from .lights import (
    LONGEST_LIGHT,
    LONGEST_LIGHT_OFFSET,
    BackpackLights,
    ChargeDisplay,
    Color,
    CubeLights,
    LightState,
    steady,
    uniform_lights,
)
from .motion.claims import Actuator, Claim, Owner
from .motion.cliff import CAREFUL
from .motion.driving import CommandTimer, DriveLimits
from .motion.joints import JOINT_ACCELERATION, JOINT_SPEED, JointProgress
from .motion.motion import HOLD_TEXT, Motion
from .motion.motors import JOINTS, JointTracker
from .obstacles import HazardKind
from .odometry import SLIP, Odometry, scaled_step
from .paths.follower import PathProgress
from .paths.maneuvers import (
    ANGLE_TOLERANCE,
    POSITION_TOLERANCE,
    UNDOCK_EXTRA,
    UNDOCK_SPEED,
    DistanceProgress,
    GoalProgress,
)
from .paths.segments import (
    DEFAULT_DECELERATION,
    DEFAULT_TURN_ACCELERATION,
    DEFAULT_TURN_TOLERANCE,
    PATH_ACCELERATION,
    PATH_SPEED,
    PATH_TURN_SPEED,
    Arc,
    Line,
    Segment,
    Turn,
)
from .paths.smooth_path import AT_GOAL, PathStyle, Waypoint
from .paths.turns import TURN_ACCELERATION, TURN_SPEED, TURN_TOLERANCE, AngleProgress
from .playback.audio import Audio, SoundProgress
from .playback.audio_stream import AudioStreamOptions, AudioStreamStatistics
from .playback.frame_stream import FrameStream, Playback
from .playback.frames import Frame, Priority
from .program import connect, connected, run_program
from .pushing import Movement, Side, UnexpectedMovement, UnexpectedMovementDetector
from .robot import Robot, RobotOptions, Status
from .session import Session
from .signal import Signal
from .states import DeviceClock, StateTracker, state_from_message
from .storage.backup import load_backup
from .storage.rules import ENTRY_HEADER_SIZE, USER_ENTRIES, entry_name, is_factory, max_data_size
from .storage.storage import (
    StorageChange,
    StorageDifference,
    StorageError,
    StorageOptions,
)
