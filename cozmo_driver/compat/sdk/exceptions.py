"""``cozmo.exceptions``: what the façade raises (spec 21 §7)."""

from __future__ import annotations

import asyncio
import builtins
import concurrent.futures


class CozmoSDKException(Exception):
    """Of everything here."""


class SDKShutdown(CozmoSDKException):
    """The connection has ended, or ends."""


class StopPropogation(CozmoSDKException):
    """A handler that raises it keeps the event from all others."""


class AnimationsNotLoaded(CozmoSDKException):
    """The names of the clips are not known yet."""


class ActionError(CozmoSDKException):
    """An action was not begun."""


class NotPickupable(ActionError):
    """The object cannot be picked up."""


class CannotPlaceObjectsOnThis(ActionError):
    """Nothing can be put on the object."""


class RobotBusy(ActionError):
    """Another action is under way, and ``in_parallel`` was not given."""


class ConnectionError(CozmoSDKException):
    """There is no connection; not Python's class of that name."""


class ConnectionAborted(ConnectionError):
    """The link to the robot was lost."""


class ConnectionCheckFailed(ConnectionError):
    """Something answered, but no robot."""


class NoDevicesFound(ConnectionError):
    """There is no robot left to connect to."""


class SDKVersionMismatch(ConnectionError):
    """Kept for programs that name it: there is no app whose version could differ."""

    def __init__(self, message: str, *versions: object) -> None:
        super().__init__(message)
        self.sdk_version, self.sdk_app_version, self.app_version = (*versions, "", "", "")[:3]


class InvalidOpenGLGlutImplementation(CozmoSDKException):
    """Kept for programs that name it: nothing here uses OpenGL."""


class NotPossibleHere(CozmoSDKException, NotImplementedError):
    """What needs the phone's app or a server that is gone; the text names what to use instead."""


# Three classes in Python 3.10, one from 3.11 on; programs catch any of them (spec 21 §7).
_TIMEOUTS = dict.fromkeys(
    (asyncio.TimeoutError, concurrent.futures.TimeoutError, builtins.TimeoutError)
)
TimedOut: type[Exception] = type("TimeoutError", tuple(_TIMEOUTS), {"__module__": "asyncio"})
"""What is raised when something took too long."""

__all__ = [
    "ActionError",
    "AnimationsNotLoaded",
    "CannotPlaceObjectsOnThis",
    "ConnectionAborted",
    "ConnectionCheckFailed",
    "ConnectionError",
    "CozmoSDKException",
    "InvalidOpenGLGlutImplementation",
    "NoDevicesFound",
    "NotPickupable",
    "RobotBusy",
    "SDKShutdown",
    "SDKVersionMismatch",
    "StopPropogation",
]
