"""What happens to the robot at one instant, in SI units (spec 10 §3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from ..protocol import AnimEvent, MotorID, RobotErrorCode, messages
from .data import OffTreads
from .pushing import Movement, Side


class RobotEventType(IntEnum):
    """Names and values of ``cozmo_interfaces/msg/RobotEvent``."""

    BUTTON_PRESSED = 1
    BUTTON_RELEASED = 2
    POKED = 3
    PICKED_UP = 4
    PUT_DOWN = 5
    OFF_TREADS_CHANGED = 6
    FALLING_STARTED = 7
    FALLING_STOPPED = 8
    SHAKEN_STARTED = 9
    SHAKEN_STOPPED = 10
    PLACED_ON_SLOPE = 11
    PLACED_ON_CHARGER = 12
    LEFT_CHARGER = 13
    CHARGING_STARTED = 14
    CHARGING_STOPPED = 15
    CLIFF_DETECTED = 30
    CLIFF_CLEARED = 31
    POTENTIAL_CLIFF = 32
    ROBOT_STOPPED = 33
    UNEXPECTED_MOVEMENT = 34
    DELOCALIZED = 35
    EMERGENCY_STOPPED = 36
    EMERGENCY_STOP_RELEASED = 37
    MOTOR_STALLED = 50
    MOTOR_RECOVERED = 51
    MOTOR_CALIBRATION_STARTED = 52
    MOTOR_CALIBRATED = 53
    LIFT_LOADED = 54
    LIFT_UNLOADED = 55
    ANIMATION_STARTED = 70
    ANIMATION_EVENT = 71
    ANIMATION_ENDED = 72
    ROBOT_ERROR = 73
    BATTERY_LOW = 74
    BATTERY_CRITICAL = 75


HARD_IMPACT = 1000.0
"""Falls that end with more than this are hard ones (spec 10 §7)."""


@dataclass(frozen=True, slots=True)
class RobotEvent:
    """Fields that do not belong to the event's type keep their neutral value.

    ``time`` is when it happened, on the host's monotonic clock, s; ``off_treads`` the posture at
    that time; ``duration`` in s; ``acceleration`` in m/s^2; ``impact`` has no unit; ``code`` is
    the robot's own; ``name`` is that of a clip or of an event in it.
    """

    type: RobotEventType
    description: str
    time: float = math.nan
    off_treads: OffTreads = OffTreads.ON_TREADS
    motor: MotorID | None = None
    movement: Movement = Movement.NONE
    side: Side = Side.NONE
    has_stopped: bool = False
    is_automatic: bool = False
    is_fatal: bool = False
    duration: float = math.nan
    acceleration: float = math.nan
    impact: float = math.nan
    code: int = 0
    name: str = ""


_Type = RobotEventType
_ENGINE_IDLE_TAG = 255


def _button(m: messages.BackpackButton) -> RobotEvent:
    if m.pressed:
        return RobotEvent(_Type.BUTTON_PRESSED, "the button on the back was pressed")
    return RobotEvent(_Type.BUTTON_RELEASED, "the button on the back was released")


def _cliff(m: messages.CliffEvent) -> RobotEvent:
    if not m.detected_flags:
        return RobotEvent(_Type.CLIFF_CLEARED, "there is ground under the front again")
    stopped = "; the robot stopped" if m.did_stop_for_cliff else ""
    return RobotEvent(
        _Type.CLIFF_DETECTED,
        f"there is no ground under the front{stopped}",
        has_stopped=m.did_stop_for_cliff,
    )


def _calibration(m: messages.MotorCalibration) -> RobotEvent:
    motor, name = _motor(m.motor_id)
    cause = " by itself" if m.auto_started else ""
    if m.calib_started:
        kind, text = _Type.MOTOR_CALIBRATION_STARTED, f"the robot calibrates the {name}{cause}"
    else:
        kind, text = _Type.MOTOR_CALIBRATED, f"the {name} is calibrated"
    return RobotEvent(kind, text, motor=motor, is_automatic=m.auto_started)


def _protection(m: messages.MotorAutoEnabled) -> RobotEvent:
    motor, name = _motor(m.motor_id)
    if m.enabled:
        text = f"the overload protection gave the {name} free"
        return RobotEvent(_Type.MOTOR_RECOVERED, text, motor=motor)
    text = f"the overload protection switched the {name} off; is it blocked?"
    return RobotEvent(_Type.MOTOR_STALLED, text, motor=motor)


def _lift_load(m: messages.LiftLoad) -> RobotEvent:
    if m.has_load:
        return RobotEvent(_Type.LIFT_LOADED, "something lies on the lift")
    return RobotEvent(_Type.LIFT_UNLOADED, "nothing lies on the lift")


def _error(m: messages.RobotErrorReport) -> RobotEvent:
    name = _named(RobotErrorCode, m.error)
    end = "; the link will end" if m.fatal else ""
    return RobotEvent(
        _Type.ROBOT_ERROR,
        f"the robot reports the error {name or m.error}{end}",
        code=_signed(m.error),
        is_fatal=m.fatal,
    )


def _fall_end(m: messages.FallingStopped) -> RobotEvent:
    impact = m.impact_intensity if math.isfinite(m.impact_intensity) else math.nan
    how = ", hard" if impact > HARD_IMPACT else ""
    duration = m.duration_ms / 1000.0
    return RobotEvent(
        _Type.FALLING_STOPPED,
        f"the robot fell for {duration:.2f} s and has landed{how}",
        duration=duration,
        impact=impact,
    )


def _keyframe(m: messages.AnimationEvent) -> RobotEvent:
    name = _named(AnimEvent, m.event_id) or str(m.event_id)
    return RobotEvent(
        _Type.ANIMATION_EVENT, f"the animation reached {name}", code=m.event_id, name=name
    )


EVENTS: dict[type, Callable[[Any], RobotEvent]] = {
    messages.BackpackButton: _button,
    messages.RobotPoked: lambda _: RobotEvent(_Type.POKED, "the robot was poked"),
    messages.FallingStarted: lambda _: RobotEvent(_Type.FALLING_STARTED, "the robot falls"),
    messages.FallingStopped: _fall_end,
    messages.CliffEvent: _cliff,
    messages.PotentialCliff: lambda _: RobotEvent(
        _Type.POTENTIAL_CLIFF, "there may be an edge in front; stopping at edges is switched off"
    ),
    messages.RobotStopped: lambda m: RobotEvent(
        _Type.ROBOT_STOPPED, "the robot stopped by itself", has_stopped=True, code=m.reason
    ),
    messages.MotorAutoEnabled: _protection,
    messages.MotorCalibration: _calibration,
    messages.LiftLoad: _lift_load,
    messages.RobotErrorReport: _error,
    messages.AnimationEvent: _keyframe,
}
"""Makes an event, without time and posture, of a message of each class."""

TIMED = (messages.FallingStarted, messages.FallingStopped, messages.CliffEvent)
"""Messages whose ``timestamp`` is the robot's clock (spec 07 §12)."""


def clip_event(
    message: messages.AnimationStarted | messages.AnimationEnded, clip: str
) -> RobotEvent | None:
    """Return the begin or end of a clip; None for what is no clip, such as the idle face."""
    if not clip or message.tag == _ENGINE_IDLE_TAG:
        return None
    if isinstance(message, messages.AnimationStarted):
        return RobotEvent(_Type.ANIMATION_STARTED, f"the animation {clip} began", name=clip)
    return RobotEvent(_Type.ANIMATION_ENDED, f"the animation {clip} ended", name=clip)


def _motor(number: int) -> tuple[MotorID | None, str]:
    if number >= MotorID.COUNT:
        return None, f"motor {number}"
    motor = MotorID(number)
    return motor, motor.name.lower().replace("_", " ") + " motor"


def _named(kind: type[AnimEvent] | type[RobotErrorCode], number: int) -> str:
    try:
        return kind(number).name.lower()
    except ValueError:
        return ""


def _signed(number: int) -> int:
    """Return a u32 as the i32 with the same bits: what the graph's field can hold."""
    return number - (1 << 32) if number >= 1 << 31 else number
