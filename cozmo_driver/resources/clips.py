"""An animation clip: a name and ten tracks of keyframes (spec 06 §3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import keyframes
from .errors import LoadWarning
from .fields import LONGEST_TEXT, TEXT, problem_of
from .keyframes import Keyframe, problem_with

FRAME_MS = 33
"""Clip time of one streamed frame (spec 06 §2)."""
MOST_KEYFRAMES = 20_000
"""Of one track: eleven minutes with one in every frame."""


@dataclass(frozen=True, slots=True)
class Track:
    """One of the ten: attribute of the clip, name in files, class of its keyframes."""

    attribute: str
    name: str
    kind: type[Keyframe]


TRACKS = (
    Track("lift_height", "LiftHeightKeyFrame", keyframes.LiftHeight),
    Track("procedural_face", "ProceduralFaceKeyFrame", keyframes.ProceduralFace),
    Track("head_angle", "HeadAngleKeyFrame", keyframes.HeadAngle),
    Track("robot_audio", "RobotAudioKeyFrame", keyframes.RobotAudio),
    Track("backpack_lights", "BackpackLightsKeyFrame", keyframes.BackpackLights),
    Track("face_animation", "FaceAnimationKeyFrame", keyframes.FaceAnimation),
    Track("event", "EventKeyFrame", keyframes.Event),
    Track("body_motion", "BodyMotionKeyFrame", keyframes.BodyMotion),
    Track("record_heading", "RecordHeadingKeyFrame", keyframes.RecordHeading),
    Track(
        "turn_to_recorded_heading", "TurnToRecordedHeadingKeyFrame", keyframes.TurnToRecordedHeading
    ),
)
"""In the order of the schema."""


@dataclass(frozen=True, slots=True)
class AnimationClip:
    """What the robot plays by name. Each track is in order of time."""

    name: str
    lift_height: tuple[keyframes.LiftHeight, ...] = ()
    procedural_face: tuple[keyframes.ProceduralFace, ...] = ()
    head_angle: tuple[keyframes.HeadAngle, ...] = ()
    robot_audio: tuple[keyframes.RobotAudio, ...] = ()
    backpack_lights: tuple[keyframes.BackpackLights, ...] = ()
    face_animation: tuple[keyframes.FaceAnimation, ...] = ()
    event: tuple[keyframes.Event, ...] = ()
    body_motion: tuple[keyframes.BodyMotion, ...] = ()
    record_heading: tuple[keyframes.RecordHeading, ...] = ()
    turn_to_recorded_heading: tuple[keyframes.TurnToRecordedHeading, ...] = ()
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)

    def track(self, track: Track) -> tuple[Keyframe, ...]:
        found: tuple[Keyframe, ...] = getattr(self, track.attribute)
        return found

    @property
    def duration_ms(self) -> int:
        """When the last keyframe is over; sounds and picture sequences may go on longer."""
        ends = (end_of(one) for track in TRACKS for one in self.track(track))
        return max(ends, default=0)

    @property
    def frame_count(self) -> int:
        """Streamed frames until every keyframe has been sent and is over."""
        return self.duration_ms // FRAME_MS + 1


@dataclass(frozen=True, slots=True)
class LoadedClip:
    """A clip and what of its file was left out."""

    clip: AnimationClip
    warnings: tuple[LoadWarning, ...] = ()


def end_of(keyframe: Keyframe) -> int:
    """Return when a keyframe is over, ms; a motion that never ends by itself counts as started."""
    return keyframe.trigger_ms + max(0, getattr(keyframe, "duration_ms", 0))


def make_clip(
    name: str,
    source: str,
    tracks: Mapping[str, Iterable[Keyframe | str]],
    extra: Mapping[str, Any] | None = None,
) -> LoadedClip:
    """Return the clip as far as it is good: a bad keyframe ends its track (spec 06 §3).

    ``tracks``: for each attribute the keyframes as read, or for an unreadable one the reason.
    They are taken one by one, so that nothing behind a bad one is read.
    """
    warnings: list[LoadWarning] = []
    kept: dict[str, tuple[Keyframe, ...]] = {}
    for track in TRACKS:
        good: list[Keyframe] = []
        for number, given in enumerate(tracks.get(track.attribute, ())):
            reason = given if isinstance(given, str) else _problem(given, good)
            if reason:
                text = f"clip {name!r}: {track.name} ends before keyframe {number}: {reason}"
                warnings.append(LoadWarning(source, text))
                break
            assert not isinstance(given, str)
            good.append(given)
        kept[track.attribute] = tuple(good)
    clip = AnimationClip(name, extra=dict(extra or {}), **kept)  # type: ignore[arg-type]
    warnings += [
        LoadWarning(source, f"clip {name!r}: no robot knows the event {one.event_id!r}")
        for one in clip.event
        if one.number is None
    ]
    return LoadedClip(clip, tuple(warnings))


def problem_with_clip(clip: AnimationClip) -> str | None:
    """Return why a clip made by a program cannot be written, None where it can."""
    if not clip.name:
        return "a clip needs a name"
    if problem_of(clip.name, TEXT):
        return f"the name of a clip has at most {LONGEST_TEXT} printable bytes"
    for track in TRACKS:
        before: list[Keyframe] = []
        for number, keyframe in enumerate(clip.track(track)):
            reason = _problem(keyframe, before)
            if reason:
                return f"clip {clip.name!r}: {track.name}, keyframe {number}: {reason}"
            before.append(keyframe)
    return None


def _problem(keyframe: Keyframe, before: list[Keyframe]) -> str | None:
    reason = problem_with(keyframe)
    if reason:
        return reason
    if before and keyframe.trigger_ms <= before[-1].trigger_ms:
        return f"triggerTime_ms {keyframe.trigger_ms} is not after {before[-1].trigger_ms}"
    return f"there are more than {MOST_KEYFRAMES}" if len(before) >= MOST_KEYFRAMES else None
