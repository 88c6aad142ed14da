"""The ten kinds of keyframe, as clip files hold them (spec 06 §3, §4).

A clip is a file's content before it is anything on a robot, so fields keep the file's own units,
which their names end with: ms, mm, deg; speeds are in mm/s, or deg/s where the robot turns in
place.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from .fields import (
    BOOL,
    F32,
    F32S,
    I8,
    I16,
    I64S,
    SIGNED_U32,
    TEXT,
    U8,
    U16,
    U32,
    Field,
    attributes_of,
    problem_of,
)

POINT_TURN = 0
STRAIGHT = 32767

_WORDS = {"TURN_IN_PLACE": POINT_TURN, "POINT_TURN": POINT_TURN, "STRAIGHT": STRAIGHT}
_LOW, _HIGH = -32768, 32767
# What C's atoi takes: white space, a sign, digits; more than six are beyond the limits.
_LEADING_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?0*[0-9]{1,6})")


def radius_of(text: str) -> int:
    """Return the radius in mm, 0 for a turn in place, 32767 for straight on.

    Words are case-sensitive; a text with a digit counts as the whole number it begins with, 0 if
    it begins with none. Raises ``ValueError`` for any other text.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not re.search(r"[0-9]", text):
        known = ", ".join(_WORDS)
        raise ValueError(f"{text[:40]!r} is neither a number of mm nor one of {known}")
    match = _LEADING_INTEGER.match(text)
    return max(_LOW, min(_HIGH, int(match[1]))) if match else 0


EVENT_IDS = {"DEVICE_AUDIO_TRIGGER": 0, "ENERGY_DRAINCUBE_END": 1, "TAPPED_BLOCK": 2}
"""What the robot calls the events that a clip may name."""
EYE_PARAMETERS = 19
MAX_POINT_TURN_SPEED = 300
"""deg/s"""
MAX_SPEED = 220
"""mm/s"""
MAX_TURN_ACCELERATION = 13636
"""deg/s^2"""

_CHANNELS = 4

Duration = Annotated[int, Field("durationTime_ms", U32)]
Numbers = tuple[float, ...]
LightChannel = tuple[float, ...]
"""Red, green, blue, alpha; a number up to 1 is a share, a greater one of 255 (spec 06 §4)."""


@dataclass(frozen=True, slots=True)
class Keyframe:
    """What all kinds have. ``extra`` holds keys of a JSON file that mean nothing here."""

    trigger_ms: Annotated[int, Field("triggerTime_ms", U32)] = 0
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class LiftHeight(Keyframe):
    """The lift moves to a height, drawn from the height ± the variability."""

    duration_ms: Duration = 0
    height_mm: Annotated[int, Field("height_mm", U8)] = 0
    height_variability_mm: Annotated[int, Field("heightVariability_mm", U8)] = 0


@dataclass(frozen=True, slots=True)
class ProceduralFace(Keyframe):
    """The 43 parameters of the drawn face (spec 04 §4), 19 for each eye."""

    face_angle_deg: Annotated[float, Field("faceAngle", F32)] = 0.0
    face_center_x: Annotated[float, Field("faceCenterX", F32)] = 0.0
    face_center_y: Annotated[float, Field("faceCenterY", F32)] = 0.0
    face_scale_x: Annotated[float, Field("faceScaleX", F32)] = 1.0
    face_scale_y: Annotated[float, Field("faceScaleY", F32)] = 1.0
    left_eye: Annotated[Numbers, Field("leftEye", F32S)] = ()
    right_eye: Annotated[Numbers, Field("rightEye", F32S)] = ()


@dataclass(frozen=True, slots=True)
class HeadAngle(Keyframe):
    """The head moves to an angle, drawn from the angle ± the variability."""

    duration_ms: Duration = 0
    angle_deg: Annotated[int, Field("angle_deg", I8)] = 0
    angle_variability_deg: Annotated[int, Field("angleVariability_deg", U8)] = 0


@dataclass(frozen=True, slots=True)
class RobotAudio(Keyframe):
    """One of some sound events starts."""

    audio_event_ids: Annotated[tuple[int, ...], Field("audioEventId", I64S, required=True)] = ()
    volume: Annotated[float, Field("volume", F32)] = 1.0
    probability: Annotated[Numbers, Field("probability", F32S)] = ()
    has_alts: Annotated[bool, Field("hasAlts", BOOL)] = True

    @property
    def chances(self) -> Numbers:
        """Probability of each event; equal ones where the file names none."""
        count = len(self.audio_event_ids)
        return self.probability or (1.0 / count,) * count


@dataclass(frozen=True, slots=True)
class BackpackLights(Keyframe):
    """Steady colours on the back for as long as it lasts."""

    duration_ms: Duration = 0
    left: Annotated[LightChannel, Field("Left", F32S)] = (0.0, 0.0, 0.0, 0.0)
    right: Annotated[LightChannel, Field("Right", F32S)] = (0.0, 0.0, 0.0, 0.0)
    front: Annotated[LightChannel, Field("Front", F32S)] = (0.0, 0.0, 0.0, 0.0)
    middle: Annotated[LightChannel, Field("Middle", F32S)] = (0.0, 0.0, 0.0, 0.0)
    back: Annotated[LightChannel, Field("Back", F32S)] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class FaceAnimation(Keyframe):
    """A sequence of pictures, named by its folder, goes before the drawn face."""

    anim_name: Annotated[str, Field("animName", TEXT, required=True)] = ""


@dataclass(frozen=True, slots=True)
class Event(Keyframe):
    """The robot reports that playing has come this far."""

    event_id: Annotated[str, Field("event_id", TEXT, required=True)] = ""

    @property
    def number(self) -> int | None:
        """The robot's number of the event; None for a name it does not know: not to be sent."""
        return EVENT_IDS.get(self.event_id)


@dataclass(frozen=True, slots=True)
class BodyMotion(Keyframe):
    """The robot drives a curve until the duration is over; a negative one never is."""

    duration_ms: Annotated[int, Field("durationTime_ms", SIGNED_U32)] = 0
    radius: Annotated[str, Field("radius_mm", TEXT, required=True)] = ""
    """As written: a number in mm or a word."""
    speed: Annotated[int, Field("speed", I16)] = 0

    @property
    def radius_mm(self) -> int:
        """Radius as sent: 0 turns in place, 32767 is straight. Raises ``ValueError``."""
        return radius_of(self.radius)

    @property
    def limited_speed(self) -> int:
        """Speed as sent: deg/s where the robot turns in place, else mm/s."""
        limit = MAX_SPEED if self.radius_mm else MAX_POINT_TURN_SPEED
        return _limited(self.speed, limit)


@dataclass(frozen=True, slots=True)
class RecordHeading(Keyframe):
    """The robot keeps the way it looks now."""


@dataclass(frozen=True, slots=True)
class TurnToRecordedHeading(Keyframe):
    """The robot turns back to the heading it kept, give or take an offset."""

    duration_ms: Duration = 0
    offset_deg: Annotated[int, Field("offset_deg", I16)] = 0
    speed_deg_per_s: Annotated[int, Field("speed_degPerSec", I16)] = 0
    accel_deg_per_s2: Annotated[int, Field("accel_degPerSec2", I16)] = 1000
    decel_deg_per_s2: Annotated[int, Field("decel_degPerSec2", I16)] = 1000
    tolerance_deg: Annotated[int, Field("tolerance_deg", U16)] = 2
    half_revolutions: Annotated[int, Field("numHalfRevs", U16)] = 0
    use_shortest_direction: Annotated[bool, Field("useShortestDir", BOOL)] = False

    @property
    def limited(self) -> TurnToRecordedHeading:
        """The keyframe with speed and accelerations as they may be sent."""
        return dataclasses.replace(
            self,
            speed_deg_per_s=_limited(self.speed_deg_per_s, MAX_POINT_TURN_SPEED),
            accel_deg_per_s2=_limited(self.accel_deg_per_s2, MAX_TURN_ACCELERATION),
            decel_deg_per_s2=_limited(self.decel_deg_per_s2, MAX_TURN_ACCELERATION),
        )


def problem_with(keyframe: Keyframe) -> str | None:
    """Return why a keyframe cannot be used (spec 06 §3, §4), None where it can."""
    for attribute in attributes_of(type(keyframe)):
        value = getattr(keyframe, attribute.name)
        name = attribute.field.name
        if attribute.field.required and not value:
            return f"{name} is missing"
        reason = problem_of(value, attribute.field.type)
        if reason:
            return f"{name} {reason}"
    match keyframe:
        case ProceduralFace():
            for name, eye in (("leftEye", keyframe.left_eye), ("rightEye", keyframe.right_eye)):
                if len(eye) != EYE_PARAMETERS:
                    return f"{name} has {len(eye)} numbers, not {EYE_PARAMETERS}"
        case RobotAudio(audio_event_ids=ids, probability=chances):
            if chances and len(chances) != len(ids):
                return f"there are {len(chances)} probabilities for {len(ids)} sounds"
            if min(keyframe.volume, *chances, 0.0) < 0.0:
                return "volume and probabilities are not negative"
        case BackpackLights():
            for name in ("Left", "Right", "Front", "Middle", "Back"):
                count = len(getattr(keyframe, name.lower()))
                if count != _CHANNELS:
                    return f"{name} has {count} numbers, not red, green, blue and alpha"
        case BodyMotion():
            try:
                radius_of(keyframe.radius)
            except ValueError as error:
                return f"radius_mm: {error}"
    return None


def _limited(value: int, limit: int) -> int:
    return max(-limit, min(limit, value))
