"""A line that tells how the robot does."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState

from cozmo_interfaces.msg import ConnectionState

from .conversions.geometry import yaw_of

_STATES = {
    ConnectionState.DISCONNECTED: "disconnected",
    ConnectionState.CONNECTING: "connecting",
    ConnectionState.INITIALIZING: "starting",
    ConnectionState.CONNECTED: "connected",
    ConnectionState.DISCONNECTING: "disconnecting",
    ConnectionState.WAITING: "lost",
}


@dataclass(slots=True)
class Counter:
    """Counts messages and tells their rate between two looks."""

    count: int = 0
    rate: float = 0.0
    _counted: int = 0
    _looked_at: float = math.nan

    def add(self, _: object) -> None:
        """Count one."""
        self.count += 1

    def look(self, now: float) -> float:
        """Return messages per second since the look before."""
        elapsed = now - self._looked_at
        if elapsed > 0:
            self.rate = (self.count - self._counted) / elapsed
        self._counted, self._looked_at = self.count, now
        return self.rate


@dataclass(slots=True)
class LiveStatus:
    """The latest of everything that the line shows."""

    connection: ConnectionState | None = None
    odometry: Odometry | None = None
    battery: BatteryState | None = None
    odometries: Counter = field(default_factory=Counter)
    imus: Counter = field(default_factory=Counter)
    images: Counter = field(default_factory=Counter)

    def take_connection(self, message: ConnectionState) -> None:
        """Take the state of the link."""
        self.connection = message

    def take_odometry(self, message: Odometry) -> None:
        """Take the pose."""
        self.odometry = message
        self.odometries.add(message)

    def take_battery(self, message: BatteryState) -> None:
        """Take the battery."""
        self.battery = message

    def line(self, now: float) -> str:
        """Return connection, rates since the line before, pose and battery; ``now`` in s."""
        rates = (
            f"{name} {counter.look(now):4.1f}"
            for name, counter in (
                ("odom", self.odometries),
                ("imu", self.imus),
                ("camera", self.images),
            )
        )
        return " | ".join(
            (self._connection(), f"{', '.join(rates)} Hz", self._pose(), self._battery())
        )

    def _connection(self) -> str:
        if self.connection is None:
            return "driver not heard yet"
        return _STATES.get(self.connection.state, "?")

    def _pose(self) -> str:
        if self.odometry is None:
            return "no pose"
        pose = self.odometry.pose.pose
        yaw = math.degrees(yaw_of(pose.orientation))
        return f"x {pose.position.x:+.3f} y {pose.position.y:+.3f} m {yaw:+.0f} deg"

    def _battery(self) -> str:
        if self.battery is None:
            return "no battery"
        level = self.battery.percentage
        percent = "charging" if math.isnan(level) else f"{100 * level:.0f} %"
        return f"{self.battery.voltage:.2f} V {percent}"
