"""Which emotion event or need action a happening is, whatever the robot does about it.

Reactions fire their own when they begin (``CliffReact``, ``ReactToUnexpectedMovement``): what
leads to one of those is not here, so that nothing counts twice.
"""

from __future__ import annotations

from ...robot import CubeEvent, CubeEventType, OffTreads, RobotEvent, RobotEventType
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
_POSTURES = {OffTreads.ON_BACK: "LaidOnBack"}
LYING = (OffTreads.ON_BACK, OffTreads.ON_FACE, OffTreads.ON_LEFT_SIDE, OffTreads.ON_RIGHT_SIDE)
NAMES = frozenset(
    {*_ROBOT.values(), *_CUBE.values(), *_POSTURES.values(), "HardImpact", "TurnedUpright"}
)
"""Everything that may be asked for."""
_NEED_ACTIONS = {
    RobotEventType.FALLING_STARTED: "Fell",
    RobotEventType.SHAKEN_STARTED: "Shaken",
    RobotEventType.MOTOR_STALLED: "MotorStalled",
}


def emotion_event_of(event: RobotEvent | CubeEvent, *, has_lain: bool = False) -> str:
    """Return the name of the emotion event, empty for what leaves the robot cold.

    ``has_lain``: since it last stood on its treads it lay on back, face or a side.
    """
    if isinstance(event, CubeEvent):
        return _CUBE.get(event.type, "")
    if event.type is RobotEventType.OFF_TREADS_CHANGED:
        if event.off_treads is OffTreads.ON_TREADS and has_lain:
            return "TurnedUpright"
        return _POSTURES.get(event.off_treads, "")
    if event.type is RobotEventType.FALLING_STOPPED:
        return "HardImpact" if event.impact > HARD_IMPACT else ""
    return _ROBOT.get(event.type, "")


def need_action_of(event: RobotEvent | CubeEvent) -> str:
    """Return the name of the need action, empty for what changes no need."""
    if isinstance(event, CubeEvent):
        return ""
    if event.type is RobotEventType.FALLING_STOPPED:
        return "HardImpact" if event.impact > HARD_IMPACT else ""
    return _NEED_ACTIONS.get(event.type, "")
