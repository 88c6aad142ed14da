"""Which emotion event a happening is by itself, whatever the robot does about it.

Reactions fire their own when they begin (``CliffReact``, ``ReactToUnexpectedMovement``): what
leads to one of those is not here, so that nothing counts twice.
"""

from __future__ import annotations

from ...robot import CubeEvent, CubeEventType, RobotEvent, RobotEventType
from ...robot.events.events import HARD_IMPACT

_ROBOT = {
    RobotEventType.POKED: "Poked",
    RobotEventType.BUTTON_PRESSED: "ButtonPressed",
    RobotEventType.PICKED_UP: "PickedUp",
    RobotEventType.PUT_DOWN: "PutDown",
    RobotEventType.SHAKEN_STARTED: "Shaken",
    RobotEventType.PLACED_ON_SLOPE: "PlacedOnSlope",
    RobotEventType.PLACED_ON_CHARGER: "PlacedOnCharger",
    RobotEventType.FALLING_STARTED: "Falling",
    RobotEventType.MOTOR_STALLED: "MotorStalled",
    RobotEventType.BATTERY_LOW: "BatteryLow",
}
_CUBE = {
    CubeEventType.TAPPED: "CubeTapped",
    CubeEventType.DOUBLE_TAPPED: "CubeTapped",
    CubeEventType.MOVED: "CubeMoved",
    CubeEventType.CONNECTED: "CubeConnected",
    CubeEventType.DISCONNECTED: "CubeLost",
}
NAMES = frozenset({*_ROBOT.values(), *_CUBE.values(), "HardImpact"})
"""Everything that may be asked for."""


def emotion_event_of(event: RobotEvent | CubeEvent) -> str:
    """Return the name of the emotion event, empty for what leaves the robot cold."""
    if isinstance(event, CubeEvent):
        return _CUBE.get(event.type, "")
    if event.type is RobotEventType.FALLING_STOPPED:
        return "HardImpact" if event.impact > HARD_IMPACT else ""
    return _ROBOT.get(event.type, "")
