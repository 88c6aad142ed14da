"""The robot's protocol without I/O: frames, messages, connection (spec 01, 02)."""

from __future__ import annotations

from . import messages
from .config import EngineConfig, RobotConfig, Role, Statistics
from .connection import (
    Connected,
    Connection,
    Disconnected,
    DisconnectReason,
    Event,
    MessageReceived,
    ProtocolViolation,
    State,
)
from .delivery import FIRST, LAST, distance, following, is_ahead
from .enums import (
    AnimEvent,
    AnimTrackFlag,
    BackpackLayer,
    BlockStatus,
    BodyColor,
    BodyRadioMode,
    CarryState,
    DockAction,
    DockingMethod,
    ImageEncoding,
    ImageResolution,
    ImageSendMode,
    MotorID,
    NVEntryTag,
    NVOperation,
    NVResult,
    PathEventType,
    RobotErrorCode,
    RobotStatusFlag,
    UpAxis,
)
from .errors import (
    ConnectionLost,
    EncodeError,
    MalformedFrame,
    MalformedMessage,
    NotConnected,
    ProtocolError,
    RefusedMessage,
    SendQueueFull,
    UnknownMessage,
)
from .frames import (
    CONTAINER_TYPES,
    MAGIC,
    MAX_RECEIVED_FRAME,
    RELIABLE_TYPES,
    SUB_HEADER_SIZE,
    Frame,
    FrameType,
    SubMessage,
    parse_frame,
    parse_part,
    parse_ping,
)
from .registry import (
    Direction,
    Message,
    MessageSpec,
    all_specs,
    decode_message,
    encode_message,
    spec_of,
)
from .structs import AccelData, ActiveAccel, GyroData, LightState, PathSegmentSpeed, RobotPose
from .wire import Array, Field, Octets, Text, VarArray, VarOctets, fields_of
