"""Why something asked of the robot did not happen."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from enum import IntEnum


class Reason(IntEnum):
    """Values of ``cozmo_interfaces/msg/Reason``."""

    NONE = 0
    CANCELED = 1
    SUPERSEDED = 2
    INVALID = 3
    NOT_FOUND = 4
    NOT_ALLOWED = 5
    UNSUPPORTED = 6
    BUSY = 7
    NO_TRANSFORM = 8
    NOT_CONNECTED = 20
    LINK_LOST = 21
    TIMEOUT = 22
    SHUTDOWN = 23
    ESTOP = 40
    CLIFF = 41
    PICKED_UP = 42
    NOT_CALIBRATED = 43
    ON_CHARGER = 44
    OFF_CHARGER = 45
    BLOCKED = 46
    MOTOR_DISABLED = 47
    LOW_BATTERY = 48
    ROBOT_ERROR = 49
    CORRUPT = 50
    NOT_SEEN = 60
    NO_PATH = 61
    MISSED = 62
    OBSTRUCTED = 63
    OUT_OF_REACH = 64


class RobotError(RuntimeError):
    """Something asked of the robot did not happen or ended early.

    ``reason`` is for programs; the text says to people what happened and what to do.
    """

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Refused(RobotError):
    """It was not begun."""


@contextlib.contextmanager
def passing_over(reasons: Collection[Reason]) -> Iterator[None]:
    """Go on after an error with one of some reasons; any other is raised."""
    try:
        yield
    except RobotError as error:
        if error.reason not in reasons:
            raise


def check_range(what: str, value: float, low: float, high: float, unit: str = "") -> None:
    """Raise ``ValueError`` for a value out of range or not finite."""
    if not low <= value <= high:
        unit = f" {unit}" if unit else ""
        raise ValueError(f"{what} is from {low:g} to {high:g}{unit}, not {value}")
