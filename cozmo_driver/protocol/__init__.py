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
from .registry import (
    Direction,
    Message,
    MessageSpec,
    all_specs,
    decode_message,
    encode_message,
    spec_of,
)
