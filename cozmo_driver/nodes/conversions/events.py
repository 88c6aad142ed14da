"""What happens to the robot."""

from __future__ import annotations

from builtin_interfaces.msg import Time

from cozmo_interfaces.msg import RobotEvent as RobotEventMessage

from ...robot import RobotEvent
from .headers import header


def event_message(event: RobotEvent, stamp: Time, frame: str) -> RobotEventMessage:
    """Return an event; enumerations have the same values on both sides."""
    motor = RobotEventMessage.NO_MOTOR if event.motor is None else int(event.motor)
    return RobotEventMessage(
        header=header(stamp, frame),
        type=int(event.type),
        description=event.description,
        off_treads_state=int(event.off_treads),
        motor=motor,
        movement=int(event.movement),
        side=int(event.side),
        has_stopped=bool(event.has_stopped),
        is_automatic=bool(event.is_automatic),
        is_fatal=bool(event.is_fatal),
        duration=float(event.duration),
        acceleration=float(event.acceleration),
        impact_raw=float(event.impact),
        code=int(event.code),
        name=event.name,
    )
