"""Errors of the layers below as a reason for programs and a sentence for people."""

from __future__ import annotations

import concurrent.futures
from typing import Any

from ..media.audio_files import LibraryMissing
from ..protocol import ConnectionLost, NotConnected, SendQueueFull
from ..robot import Reason, RobotError


def explain(error: Exception) -> tuple[Reason, str]:
    """Return why something did not happen. Raises ``error`` when it is a fault of the driver."""
    match error:
        case RobotError():
            return error.reason, str(error)
        case ValueError():
            return Reason.INVALID, str(error)
        case LibraryMissing():
            return Reason.UNSUPPORTED, str(error)
        case NotConnected():
            return Reason.NOT_CONNECTED, f"no robot is connected: {error}"
        case ConnectionLost():
            return Reason.LINK_LOST, f"the link to the robot ended: {error}"
        case SendQueueFull():
            return Reason.TIMEOUT, f"the robot does not acknowledge what is sent: {error}"
        case concurrent.futures.CancelledError():
            return Reason.SHUTDOWN, "the driver shuts down"
    raise error


def refuse(response: Any, error: Exception) -> Any:
    """Return a response or result with ``success``, ``reason`` and ``message`` of an error."""
    reason, text = explain(error)
    response.success, response.reason, response.message = False, int(reason), text
    return response
