"""Errors of the protocol: what the peer did wrong, what the caller did wrong, a dead link."""

from __future__ import annotations


class ProtocolError(Exception):
    """The peer broke the protocol; counted and logged, never raised into user code."""

    kind = "protocol error"


class MalformedFrame(ProtocolError):
    """A datagram is not a frame, or its sub-messages do not fit it (spec 01 §2)."""

    kind = "malformed frame"


class MalformedMessage(ProtocolError):
    """The fields of a message do not consume it exactly (spec 02)."""

    kind = "malformed message"


class UnknownMessage(ProtocolError):
    """A message tag that nobody declared in this direction (spec 02)."""

    kind = "unknown message"


class EncodeError(ValueError):
    """The caller's values do not fit the message."""


class RefusedMessage(ValueError):
    """A message that must never be sent (spec README)."""


class SendQueueFull(RuntimeError):
    """More messages are waiting than the connection holds; wait for acknowledgements."""


class NotConnected(RuntimeError):
    """There is no connection to send on."""


class ConnectionLost(ConnectionError):
    """The link died while something was waiting for it."""
