"""Message headers."""

from __future__ import annotations

from builtin_interfaces.msg import Time
from std_msgs.msg import Header


def header(stamp: Time, frame: str) -> Header:
    """Return a header."""
    return Header(stamp=stamp, frame_id=frame)


def stamp_header(message: Header, stamp: Time, frame: str) -> None:
    """Fill a header."""
    message.stamp, message.frame_id = stamp, frame


def seconds(stamp: Time) -> float:
    """Return a stamp in s."""
    return stamp.sec + stamp.nanosec * 1e-9
