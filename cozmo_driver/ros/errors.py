"""Errors for people: why a program cannot start, and why something did not happen."""

from __future__ import annotations

import concurrent.futures
import logging
from typing import Any

from ..media import LibraryMissing
from ..protocol import ConnectionLost, NotConnected, SendQueueFull
from ..robot import Reason, RobotError

_log = logging.getLogger(__name__)


class StartError(RuntimeError):
    """Something to be mended by who started the program; the text says what and how."""


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


def accept(response: Any, text: str) -> Any:
    """Return a response or result that reports success."""
    return _fill(response, True, Reason.NONE, text)


def refuse(response: Any, error: Exception, what: str) -> Any:
    """Return a response or result with the reason why ``what`` did not happen.

    A fault of the driver is logged with its traceback.
    """
    try:
        reason, text = explain(error)
    except Exception:  # raised again by ``explain``: a fault of the driver
        _log.exception("%s failed", what)
        reason, text = Reason.ROBOT_ERROR, f"a fault of the driver, see its log: {error!r}"
    return _fill(response, False, reason, text)


def _fill(response: Any, success: bool, reason: Reason, text: str) -> Any:
    response.success = success
    if hasattr(response, "reason"):
        response.reason = int(reason)
    # sensor_msgs/SetCameraInfo calls it otherwise.
    setattr(response, "message" if hasattr(response, "message") else "status_message", text)
    return response
