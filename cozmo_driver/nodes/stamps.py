"""Host monotonic times as ROS stamps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from builtin_interfaces.msg import Time

_NANO = 1_000_000_000
_CLOCK_STEP = _NANO
"""Going back further than this means that the ROS clock was set, and is followed."""


def to_time(nanoseconds: int) -> Time:
    """Return a stamp; negative times become zero."""
    seconds, rest = divmod(max(0, nanoseconds), _NANO)
    return Time(sec=seconds, nanosec=rest)


class Stamper:
    """Gives the stamps of one stream: they rise, and none lies in the future.

    Equal times give the same stamp, so that what belongs together is stamped alike. ``ros_now``
    returns the ROS time in ns. Not thread-safe.
    """

    def __init__(
        self, ros_now: Callable[[], int], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Read both clocks with every new time."""
        self._ros_now, self._monotonic = ros_now, monotonic
        self._time = math.nan
        self._last = -1
        self._stamp = Time()

    def __call__(self, at: float) -> Time:
        """Return the stamp of a monotonic host time, s."""
        if at == self._time:
            return self._stamp
        age = max(0, round((self._monotonic() - at) * _NANO))
        nanoseconds = max(0, self._ros_now() - age)
        if nanoseconds <= self._last < nanoseconds + _CLOCK_STEP:
            nanoseconds = self._last + 1
        self._time, self._last = at, nanoseconds
        self._stamp = to_time(nanoseconds)
        return self._stamp
