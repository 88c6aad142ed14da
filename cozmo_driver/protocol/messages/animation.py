"""Animation stream (keyframes, face, sound) and backpack lights."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import AnimEvent, AnimTrackFlag, BackpackLayer
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..structs import LightState
from ..wire import I8, I16, U8, U16, U32, About, Array, Bool, Octets, VarOctets


@message(0x64, ENGINE_TO_ROBOT, confidence="H", pycozmo="SetRobotVolume")
class SetAudioVolume(NamedTuple):
    """Speaker volume."""

    volume: Annotated[U16, About("0..65535; engine sends round(v*65535)")] = 65535


@message(0x8D, ENGINE_TO_ROBOT, confidence="E")
class AbortAnimation(NamedTuple):
    """Drop everything buffered and end the current animation."""


@message(0x8E, ENGINE_TO_ROBOT, confidence="H", pycozmo="OutputAudio")
class AudioSample(NamedTuple):
    """One 33 ms audio frame; also the clock of the animation stream."""

    sample: Annotated[bytes, Octets(744), About("mu-law codes, see 05-audio.md")]


@message(0x8F, ENGINE_TO_ROBOT, confidence="H", pycozmo="OutputSilence")
class AudioSilence(NamedTuple):
    """One silent 33 ms frame; also the clock of the animation stream."""


@message(0x91, ENGINE_TO_ROBOT, confidence="E")
class RecordHeading(NamedTuple):
    """Keyframe: remember the current heading."""


@message(0x92, ENGINE_TO_ROBOT, confidence="E")
class TurnToRecordedHeading(NamedTuple):
    """Keyframe: turn to the remembered heading."""

    offset_deg: Annotated[I16, About("added to the recorded heading", unit="deg")] = 0
    speed_deg_per_sec: Annotated[I16, About("clamped to +-300", unit="deg/s")] = 0
    accel_deg_per_sec2: Annotated[I16, About(unit="deg/s^2")] = 1000
    decel_deg_per_sec2: Annotated[I16, About(unit="deg/s^2")] = 1000
    tolerance_deg: Annotated[U16, About(unit="deg")] = 2
    num_half_revs: U16 = 0
    use_shortest_dir: Bool = False


@message(0x93, ENGINE_TO_ROBOT, confidence="E", pycozmo="AnimHead")
class HeadAngle(NamedTuple):
    """Keyframe: head to an angle in a time."""

    time_ms: Annotated[U16, About("duration", unit="ms")]
    angle_deg: Annotated[I8, About("variability already applied", unit="deg")]


@message(0x94, ENGINE_TO_ROBOT, confidence="E", pycozmo="AnimLift")
class LiftHeight(NamedTuple):
    """Keyframe: lift to a height in a time."""

    time_ms: Annotated[U16, About("duration", unit="ms")]
    height_mm: Annotated[U8, About("variability already applied", unit="mm")]


@message(0x95, ENGINE_TO_ROBOT, confidence="E")
class Event(NamedTuple):
    """Keyframe: named event, reported back as 0xD5."""

    event_id: Annotated[U8, AnimEvent]


@message(0x96, ENGINE_TO_ROBOT, confidence="E")
class AnimEventToRTIP(NamedTuple):
    """Inside the robot only."""

    event_id: Annotated[U8, AnimEvent]
    tag: U8


@message(0x97, ENGINE_TO_ROBOT, confidence="H", pycozmo="DisplayImage")
class FaceImage(NamedTuple):
    """Keyframe: face picture, see 04-display-face.md."""

    image: Annotated[bytes, VarOctets("H"), About("RLE, or exactly 1024 raw bytes")]


@message(0x98, ENGINE_TO_ROBOT, confidence="E", pycozmo="AnimBackpackLights")
class BackpackLights(NamedTuple):
    """Keyframe: backpack colours."""

    colors: Annotated[
        tuple[int, ...],
        Array("H", 5),
        About("left, front, middle, back, right; ARGB1555"),
    ]


@message(0x99, ENGINE_TO_ROBOT, confidence="E", pycozmo="AnimBody")
class BodyMotion(NamedTuple):
    """Keyframe: drive until changed."""

    speed: Annotated[I16, About("mm/s, or deg/s for a point turn")]
    curvature_radius_mm: Annotated[I16, About("0 turn in place, 32767 straight", unit="mm")]


@message(0x9A, ENGINE_TO_ROBOT, confidence="H", pycozmo="EndAnimation")
class EndOfAnimation(NamedTuple):
    """Keyframe: end; counts as one audio frame in the counters."""


@message(0x9B, ENGINE_TO_ROBOT, confidence="H", pycozmo="StartAnimation")
class StartOfAnimation(NamedTuple):
    """Keyframe: start with a tag (1..254)."""

    tag: U8


@message(0x9D, ENGINE_TO_ROBOT, confidence="E")
class DisableAnimTracks(NamedTuple):
    """Stop playing these tracks (messages are still consumed)."""

    which_tracks: Annotated[U8, AnimTrackFlag]


@message(0x9E, ENGINE_TO_ROBOT, confidence="E")
class EnableAnimTracks(NamedTuple):
    """Play these tracks again."""

    which_tracks: Annotated[U8, AnimTrackFlag]


@message(0x9F, ENGINE_TO_ROBOT, confidence="H", pycozmo="EnableAnimationState")
class InitController(NamedTuple):
    """Initialise the animation controller once per connection: clears buffer and counters and
    starts AnimationState (0xF1).
    """


@message(0xA3, ENGINE_TO_ROBOT, confidence="E")
class DisplayNumber(NamedTuple):
    """Draw a number on the screen (factory)."""

    value: Annotated[U32, About("BCD [?]")]
    digits: U8
    x: Annotated[U8, About(unit="px")]
    y: Annotated[U8, About(unit="px")]


@message(0xCA, ROBOT_TO_ENGINE, confidence="E")
class AnimationStarted(NamedTuple):
    """Start keyframe reached."""

    tag: U8


@message(0xCB, ROBOT_TO_ENGINE, confidence="E")
class AnimationEnded(NamedTuple):
    """End keyframe reached, or aborted."""

    tag: U8


@message(0xD5, ROBOT_TO_ENGINE, confidence="E")
class AnimationEvent(NamedTuple):
    """Event keyframe reached."""

    timestamp: Annotated[U32, About(unit="ms")]
    event_id: Annotated[U8, AnimEvent]
    tag: U8


@message(0x02, ENGINE_TO_ROBOT, confidence="E")
class BackpackSetLayer(NamedTuple):
    """Choose which backpack light layer is shown.

    The robot itself sends this to its body with BPL_USER when an animation ends [F].
    """

    layer: Annotated[U8, BackpackLayer] = 0


@message(0x03, ENGINE_TO_ROBOT, confidence="H", pycozmo="LightStateCenter")
class BackpackLightsMiddle(NamedTuple):
    """Three RGB lights on the spine (LED 1 front, 2 middle, 3 back)."""

    lights: Annotated[tuple[LightState, ...], Array(LightState, 3), About("front, middle, back")]
    layer: Annotated[U8, BackpackLayer, About("layer written")] = 0


@message(0x11, ENGINE_TO_ROBOT, confidence="H", pycozmo="LightStateSide")
class BackpackLightsTurnSignals(NamedTuple):
    """The two red side lights (LED 0 left, 4 right)."""

    lights: Annotated[tuple[LightState, ...], Array(LightState, 2), About("left, right")]
    layer: Annotated[U8, BackpackLayer] = 0
