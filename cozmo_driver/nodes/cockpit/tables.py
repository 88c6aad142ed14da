"""What the page may use of a robot's topics, services and actions. There is no way to others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rclpy.qos import QoSProfile
from sensor_msgs.msg import BatteryState, CompressedImage, JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from cozmo_interfaces.msg import ConnectionState, RobotStatus

from ...robot import lift_height
from ..topics import COMMAND, LATCHED

Value = Any
"""What JSON can say."""


class Feed(NamedTuple):
    """A topic to show: ``value`` makes JSON of a message, None for nothing to show."""

    kind: type
    topic: str
    value: Callable[[Any], Value]
    qos: QoSProfile = COMMAND


def finite(number: float) -> float | None:
    """Return a number that JSON knows."""
    return float(number) if math.isfinite(number) else None


# -- values

_CONNECTION = {
    ConnectionState.DISCONNECTED: "disconnected",
    ConnectionState.CONNECTING: "connecting",
    ConnectionState.INITIALIZING: "starting",
    ConnectionState.CONNECTED: "connected",
    ConnectionState.DISCONNECTING: "disconnecting",
    ConnectionState.WAITING: "robot lost",
}
_POSTURE = {
    RobotStatus.IN_AIR: "in the air",
    RobotStatus.ON_BACK: "on its back",
    RobotStatus.ON_LEFT_SIDE: "on its left side",
    RobotStatus.ON_RIGHT_SIDE: "on its right side",
    RobotStatus.ON_FACE: "on its face",
    RobotStatus.FALLING: "falling",
}


def _connection(message: ConnectionState) -> Value:
    return {
        "is_connected": message.state == ConnectionState.CONNECTED,
        "text": _CONNECTION.get(message.state, "?"),
        "message": message.message,
    }


def _battery(message: BatteryState) -> Value:
    return {
        "voltage": finite(message.voltage) or 0.0,
        "level": finite(message.percentage),
        "is_charging": message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_CHARGING,
    }


def _status(message: RobotStatus) -> Value:
    notice = _POSTURE.get(message.off_treads_state, "")
    if message.is_cliff_detected and not notice:
        notice = "at an edge"
    if message.is_on_charger and not notice:
        notice = "on its charger"
    return {
        "is_stopped": message.is_emergency_stopped,
        "is_head_light_on": message.is_head_light_on,
        "notice": notice,
    }


def _joints(message: JointState) -> Value:
    angles = dict(zip(message.name, message.position, strict=True))
    head, lift = (
        next((angle for name, angle in angles.items() if name.endswith(end)), 0.0)
        for end in ("head_joint", "lift_joint")
    )
    return {"head": round(head, 3), "lift": round(lift_height(lift), 4)}


# -- tables

FEEDS: Mapping[str, Feed] = {
    "connection": Feed(ConnectionState, "connection_state", _connection, LATCHED),
    "battery": Feed(BatteryState, "battery_state", _battery),
    "status": Feed(RobotStatus, "status", _status),
    "joints": Feed(JointState, "joint_states", _joints),
}
PICTURES: Mapping[str, tuple[type, str]] = {
    "camera": (CompressedImage, "camera/image_raw/compressed"),
}
"""Topics of messages with ``header`` and encoded ``data``."""
COMMANDS: Mapping[str, type] = {"cmd_head": Float64, "cmd_lift": Float64}
SERVICES: Mapping[str, type] = {
    "emergency_stop": Trigger,
    "release_stop": Trigger,
    "set_head_light": SetBool,
}
ACTIONS: Mapping[str, type] = {}
