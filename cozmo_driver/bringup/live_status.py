"""A line that shows how the robot does, and a screen for it and the log."""

from __future__ import annotations

import math
import shutil
import threading
from collections import Counter
from typing import Any, TextIO

from ..ros.geometry import yaw_of
from ..ros.pacing import Rate
from ..ros.topics import CONNECTION_STATES

_CLEAR = "\r\x1b[K"
_RATES = {"odom": "odom", "imu": "imu/data_raw", "camera": "camera/image_raw/compressed"}
"""What the line calls the topics whose rates it shows."""


class LiveStatus:
    """The latest of everything that the line shows; fed with messages."""

    def __init__(self) -> None:
        self._latest: dict[str, Any] = {}
        self._counts: Counter[str] = Counter()
        self._rates = {name: Rate() for name in _RATES}

    def update(self, topic: str, message: object) -> None:
        self._latest[topic] = message
        self._counts[topic] += 1

    def line(self, now: float) -> str:
        """Return connection, rates since the line before, pose and battery; ``now`` in s."""
        rates = ", ".join(
            f"{name} {rate.update(self._counts[_RATES[name]], now):4.1f}"
            for name, rate in self._rates.items()
        )
        return " | ".join(
            (self._connection_text(), f"{rates} Hz", self._pose_text(), self._battery_text())
        )

    def _connection_text(self) -> str:
        latest = self._latest.get("connection_state")
        return CONNECTION_STATES.get(latest.state, "?") if latest else "driver not heard yet"

    def _pose_text(self) -> str:
        if "odom" not in self._latest:
            return "no pose"
        pose = self._latest["odom"].pose.pose
        yaw = math.degrees(yaw_of(pose.orientation))
        return f"x {pose.position.x:+.3f} y {pose.position.y:+.3f} m {yaw:+.0f} deg"

    def _battery_text(self) -> str:
        battery = self._latest.get("battery_state")
        if battery is None:
            return "no battery"
        level = battery.percentage
        percent = "charging" if math.isnan(level) else f"{100 * level:.0f} %"
        return f"{battery.voltage:.2f} V {percent}"


class Screen:
    """On a terminal the status stays on the last line; elsewhere everything is a line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._status = ""
        self.is_terminal = stream.isatty()

    def print(self, line: str) -> None:
        """Print a line that stays."""
        with self._lock:
            if self._status:
                self._stream.write(f"{_CLEAR}{line}\n{self._status}")
            else:
                self._stream.write(f"{line}\n")
            self._stream.flush()

    def show(self, status: str) -> None:
        if not self.is_terminal:
            self.print(status)
            return
        # A line that wraps could not be replaced.
        status = status[: shutil.get_terminal_size().columns - 1]
        with self._lock:
            self._stream.write(f"{_CLEAR}{status}")
            self._stream.flush()
            self._status = status

    def close(self) -> None:
        """Leave the cursor on a fresh line."""
        with self._lock:
            if self._status:
                self._stream.write("\n")
                self._stream.flush()
                self._status = ""
