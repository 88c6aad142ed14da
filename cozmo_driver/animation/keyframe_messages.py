"""Keyframes of a clip as messages of the stream (spec 06 §4)."""

from __future__ import annotations

import random

from ..protocol import Message, messages
from ..resources import keyframes
from ..resources.keyframes import LightChannel
from ..resources.radius import STRAIGHT

BODY_STOP = messages.BodyMotion(0, STRAIGHT)
LIGHTS_OFF = messages.BackpackLights((0,) * 5)
_LONGEST = 0xFFFF
"""ms that a duration on the wire can be."""
_ALPHA = 0x8000


def head_angle(keyframe: keyframes.HeadAngle, rng: random.Random) -> Message:
    """Return the movement of the head, its angle drawn in whole degrees."""
    angle = _varied(keyframe.angle_deg, keyframe.angle_variability_deg, rng)
    return messages.HeadAngle(_time(keyframe.duration_ms), min(max(angle, -128), 127))


def lift_height(keyframe: keyframes.LiftHeight, rng: random.Random) -> Message:
    """Return the movement of the lift, its height drawn in whole mm."""
    height = _varied(keyframe.height_mm, keyframe.height_variability_mm, rng)
    return messages.LiftHeight(_time(keyframe.duration_ms), min(max(height, 0), 255))


def event(keyframe: keyframes.Event, _: random.Random) -> Message:
    """Return the event; its name must be one that the robot knows."""
    assert keyframe.number is not None
    return messages.Event(keyframe.number)


def body_motion(keyframe: keyframes.BodyMotion, _: random.Random) -> Message:
    """Return the curve that is driven until something else is said."""
    return messages.BodyMotion(keyframe.limited_speed, keyframe.radius_mm)


def record_heading(_: keyframes.RecordHeading, __: random.Random) -> Message:
    """Return the order to remember the heading."""
    return messages.RecordHeading()


def turn(keyframe: keyframes.TurnToRecordedHeading, _: random.Random) -> Message:
    """Return the turn back to the remembered heading."""
    limited = keyframe.limited
    return messages.TurnToRecordedHeading(
        limited.offset_deg,
        limited.speed_deg_per_s,
        limited.accel_deg_per_s2,
        limited.decel_deg_per_s2,
        limited.tolerance_deg,
        limited.half_revolutions,
        limited.use_shortest_direction,
    )


def backpack_lights(keyframe: keyframes.BackpackLights) -> Message:
    """Return the five colours."""
    lights = (keyframe.left, keyframe.front, keyframe.middle, keyframe.back, keyframe.right)
    return messages.BackpackLights(tuple(color_word(light) for light in lights))


def color_word(color: LightChannel) -> int:
    """Return the 16 bits of a colour: alpha, then 5 each of red, green, blue."""
    red, green, blue = (_byte(part) >> 3 for part in color[:3])
    return (_ALPHA if color[3] else 0) | red << 10 | green << 5 | blue


def _byte(part: float) -> int:
    """Return a part of a colour as 0 to 255: a share up to 1, else the number itself."""
    return min(max(round(part * 255 if part <= 1.0 else part), 0), 255)


def _varied(value: int, variability: int, rng: random.Random) -> int:
    return rng.randint(value - variability, value + variability) if variability else value


def _time(milliseconds: int) -> int:
    return min(milliseconds, _LONGEST)
