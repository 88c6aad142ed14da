"""The charger's ramp and rails, for a robot that backs onto it (spec 16 §6); mm, rad.

None of the figures was measured but the contacts' tilt.
"""

from __future__ import annotations

import math

from ..body import Pose2D, wrapped
from ..hardware import CHARGER_TILT, DRIVE_CENTER_OFFSET
from .layout import CHARGER_WALL, CHARGER_WIDTH, ROBOT_HALF_WIDTH, ROBOT_REAR

_ASIDE, _ASKEW = 10.0, math.radians(9.0)
"""A robot that comes so far beside the middle, or so askew, gets between the rails."""
_TURN, _SHIFT = math.radians(0.5), 0.3
"""For each mm on its way in, the rails turn it by so much, and push it so far to the middle."""
_RAMP = 25.0
"""From the lip to where the robot's rear is as high as on the contacts."""
_REAR = Pose2D(-(ROBOT_REAR + DRIVE_CENTER_OFFSET))
_NEAR = 300.0
_BEYOND = CHARGER_WIDTH / 2 + ROBOT_HALF_WIDTH


def guided(charger: Pose2D, before: Pose2D, target: Pose2D) -> Pose2D:
    """Return where a robot gets to; ``before`` and ``target`` are what it turns about.

    Rails lead its rear to the contacts, or stop it at the lip.
    """
    if not _is_near(charger, target):
        return target
    was, rear = (center.then(_REAR).seen_from(charger) for center in (before, target))
    askew = wrapped(rear.angle - math.pi)
    is_backing_in = abs(askew) < math.pi / 2 and rear.x > was.x and rear.x >= 0.0
    if not is_backing_in or abs(rear.y) >= _BEYOND or rear.x > CHARGER_WALL:
        return target
    if was.x < 0.0 and (abs(rear.y) > _ASIDE or abs(askew) > _ASKEW):
        return before
    if abs(rear.y) > _ASIDE:
        return target
    distance = rear.x - was.x
    askew -= math.copysign(min(_TURN * distance, abs(askew)), askew)
    aside = rear.y - math.copysign(min(_SHIFT * distance, abs(rear.y)), rear.y)
    center = Pose2D(-_REAR.x)
    return charger.then(Pose2D(rear.x, aside, wrapped(math.pi + askew))).then(center)


def ramp_pitch(charger: Pose2D, center: Pose2D) -> float:
    """Return the pitch, nose up, of a robot whose rear is on the ramp or behind it."""
    if not _is_near(charger, center):
        return 0.0
    rear = center.then(_REAR).seen_from(charger)
    is_on = 0.0 <= rear.x <= CHARGER_WALL and abs(rear.y) <= _ASIDE
    if not is_on or abs(wrapped(rear.angle - math.pi)) > _ASKEW:
        return 0.0
    return CHARGER_TILT * min(rear.x / _RAMP, 1.0)


def _is_near(charger: Pose2D, center: Pose2D) -> bool:
    """Whether it is worth to look more closely."""
    return abs(center.x - charger.x) < _NEAR and abs(center.y - charger.y) < _NEAR
