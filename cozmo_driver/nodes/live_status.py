"""A line that shows how the robot does, and a screen for it and the log."""

from __future__ import annotations

import math
import shutil
import threading
from collections import Counter
from typing import TextIO

from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState

from cozmo_interfaces.msg import ConnectionState

from .conversions.geometry import yaw_of
from .pacing import Rate

_CLEAR = "\r\x1b[K"
_STATES = {
    ConnectionState.DISCONNECTED: "disconnected",
    ConnectionState.CONNECTING: "connecting",
    ConnectionState.INITIALIZING: "starting",
    ConnectionState.CONNECTED: "connected",
    ConnectionState.DISCONNECTING: "disconnecting",
    ConnectionState.WAITING: "lost",
}


class LiveStatus:
    """The latest of everything that the line shows; fed with messages."""

    def __init__(self) -> None:
        self._state: ConnectionState | None = None
        self._odometry: Odometry | None = None
        self._battery: BatteryState | None = None
        self._counts: Counter[str] = Counter()
        self._rates = {name: Rate() for name in ("odom", "imu", "camera")}

    def on_connection(self, message: ConnectionState) -> None:
        self._state = message

    def on_odometry(self, message: Odometry) -> None:
        self._odometry = message
        self._counts["odom"] += 1

    def on_imu(self, _: object) -> None:
        self._counts["imu"] += 1

    def on_image(self, _: object) -> None:
        self._counts["camera"] += 1

    def on_battery(self, message: BatteryState) -> None:
        self._battery = message

    def line(self, now: float) -> str:
        """Return connection, rates since the line before, pose and battery; ``now`` in s."""
        rates = ", ".join(
            f"{name} {rate.update(self._counts[name], now):4.1f}"
            for name, rate in self._rates.items()
        )
        return " | ".join(
            (self._connection_text(), f"{rates} Hz", self._pose_text(), self._battery_text())
        )

    def _connection_text(self) -> str:
        if self._state is None:
            return "driver not heard yet"
        return _STATES.get(self._state.state, "?")

    def _pose_text(self) -> str:
        if self._odometry is None:
            return "no pose"
        pose = self._odometry.pose.pose
        yaw = math.degrees(yaw_of(pose.orientation))
        return f"x {pose.position.x:+.3f} y {pose.position.y:+.3f} m {yaw:+.0f} deg"

    def _battery_text(self) -> str:
        if self._battery is None:
            return "no battery"
        level = self._battery.percentage
        percent = "charging" if math.isnan(level) else f"{100 * level:.0f} %"
        return f"{self._battery.voltage:.2f} V {percent}"


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
        """Replace the status line."""
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
