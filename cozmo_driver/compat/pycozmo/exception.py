"""``pycozmo.exception``."""

from __future__ import annotations


class PyCozmoException(Exception):
    """Of everything here."""


class PyCozmoConnectionError(PyCozmoException):
    """There is no connection."""


class ConnectionTimeout(PyCozmoConnectionError):
    """The robot did not answer in time."""


class Timeout(PyCozmoException):
    """What was waited for did not come in time."""


class ResourcesNotFound(PyCozmoException):
    """Files are missing."""


class InvalidOperation(PyCozmoException):
    """It cannot be done now."""


class NoSpace(PyCozmoException):
    """Something does not fit."""
