"""What a connection reports, in order, through ``Connection.next_event()``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .registry import Message


class DisconnectReason(Enum):
    """Why a connection ended."""

    LOCAL = "closed by this end"
    REMOTE = "closed by the other end"
    TIMEOUT = "the other end fell silent"
    NO_ANSWER = "no answer to the connection request"
    NEW_ENGINE = "the engine started a new connection"


@dataclass(frozen=True, slots=True)
class Connected:
    """The handshake is complete; messages may be sent."""


@dataclass(frozen=True, slots=True)
class MessageReceived:
    """A message arrived; reliable ones exactly once and in order."""

    message: Message
    reliable: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection ended; nothing follows until the next ``connect``."""

    reason: DisconnectReason


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """The peer broke the protocol; reported once per kind and connection, counted always."""

    kind: str
    detail: str


Event = Connected | MessageReceived | Disconnected | ProtocolViolation
