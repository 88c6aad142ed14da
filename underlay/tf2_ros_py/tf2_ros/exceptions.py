"""What a lookup can fail with."""

from __future__ import annotations


class TransformException(Exception):
    """Base of all of them."""


class LookupException(TransformException):
    """A frame is not known."""


class ConnectivityException(TransformException):
    """The frames are known and in different trees."""


class ExtrapolationException(TransformException):
    """The time is before or after everything known about a frame on the way."""


class InvalidArgumentException(TransformException):
    """An argument cannot be meant."""


class TimeoutException(TransformException):
    """The wait was over first."""
