"""A file of scores: clips, the groups they are in, the triggers of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...plain_yaml import YamlError, load_texts
from ...resources.clips import FRAME_MS, AnimationClip, problem_with_clip
from ...resources.groups import AnimationGroup, GroupMember
from ...resources.keyframes import (
    BackpackLights,
    BodyMotion,
    Event,
    RecordHeading,
    RobotAudio,
    TurnToRecordedHeading,
)
from . import face, lights, movement
from .errors import ScoreError
from .phrases import frame_of, number_of, parse

_LARGEST_FILE = 1 << 20
SoundId = Callable[[str], int]
"""Returns the number of a sound's event. Raises ``LookupError``."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a file makes."""

    clips: tuple[AnimationClip, ...]
    about: Mapping[str, str]
    """What each clip is to be read as."""
    groups: tuple[AnimationGroup, ...]
    triggers: Mapping[str, str]
    """Name of the group for each trigger."""


def read_score(path: Path, sound_id: SoundId) -> Score:
    """Return what a score file makes. Raises ``ScoreError``, ``OSError``."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
        if len(data) > _LARGEST_FILE:
            raise ScoreError(f"it has more than {_LARGEST_FILE} bytes: make several files of it")
        return _score_of(_mapping(load_texts(data), "a score file"), sound_id)
    except (ScoreError, YamlError) as error:
        raise ScoreError(f"{path}: {error}") from None


def _score_of(content: Mapping[str, Any], sound_id: SoundId) -> Score:
    _only_keys(content, {"clips", "groups"})
    clips, about = [], {}
    for name, entry in _mapping(content.get("clips", {}), "'clips'").items():
        try:
            entry = _mapping(entry, "it")
            _only_keys(entry, {"about", "score"})
            about[name] = str(entry.get("about", ""))
            clips.append(_clip_of(name, _mapping(entry.get("score"), "its score"), sound_id))
        except ScoreError as error:
            raise ScoreError(f"{name}: {error}") from None
    groups, triggers = [], {}
    for name, entry in _mapping(content.get("groups", {}), "'groups'").items():
        try:
            entry = _mapping(entry, "it")
            _only_keys(entry, {"triggers", "members"})
            members = _mapping(entry.get("members"), "'members'")
            groups.append(AnimationGroup(name, tuple(_members(members))))
            triggers.update({str(trigger): name for trigger in entry.get("triggers") or ()})
        except ScoreError as error:
            raise ScoreError(f"{name}: {error}") from None
    return Score(tuple(clips), about, tuple(groups), triggers)


def _members(members: Mapping[str, Any]) -> Iterable[GroupMember]:
    for clip, entry in members.items():
        phrase = parse(entry, ("cooldown", "from", "to"))
        low, high = phrase.numbers.get("from"), phrase.numbers.get("to")
        window = None if low is None or high is None else (low, high)
        yield GroupMember(
            clip,
            weight=phrase.one_number(),
            cooldown_s=phrase.numbers.get("cooldown", 0.0),
            head_window_deg=window,
        )


class _Tracks:
    """Collects what the beats of one clip say."""

    def __init__(self, sound_id: SoundId) -> None:
        self.face = face.FaceTrack()
        self.head = movement.Joint("head", movement.REST_HEAD, movement.HEAD_LIMITS)
        self.lift = movement.Joint("lift", movement.REST_LIFT, movement.LIFT_LIMITS)
        self.motions: list[BodyMotion] = []
        self.headings: list[RecordHeading | TurnToRecordedHeading] = []
        self.lights: list[BackpackLights] = []
        self.sounds: list[RobotAudio] = []
        self.events: list[Event] = []
        self._sound_id = sound_id

    def add(self, frame: int, track: str, given: Any) -> None:
        """Add what a beat says of one track. Raises ``ScoreError``."""
        match track:
            case "face":
                phrase = parse(given, face.POSE_NUMBERS, face.POSE_FLAGS)
                self.face.express(frame, phrase)
            case "look":
                self.face.look(frame, parse(given, face.POSE_NUMBERS, face.POSE_FLAGS))
            case "tremble" | "bob":
                self.face.tremble(frame, parse(given, ("for",)), is_upright=track == "bob")
            case "head" | "lift":
                joint = self.head if track == "head" else self.lift
                joint.move(frame, parse(given, movement.JOINT_NUMBERS, movement.JOINT_FLAGS))
            case "drive" | "turn":
                phrase = parse(given, movement.BODY_NUMBERS)
                make = movement.drive if track == "drive" else movement.turn
                self.motions.append(make(frame, phrase))
            case "heading":
                self.headings.append(movement.recorded_heading(frame, parse(given, ("in",))))
            case "lights":
                self.lights += lights.backpack_lights(frame, parse(given, lights.LIGHT_NUMBERS))
            case "sound":
                self.sounds.append(self._sound(frame, given))
            case "event":
                self.events.append(Event(frame * FRAME_MS, parse(given).one_word()))
            case _:
                raise ScoreError("there is no such track")

    def _sound(self, frame: int, given: Any) -> RobotAudio:
        phrase = parse(given, ("volume",))
        try:
            ids = tuple(self._sound_id(name) for name in phrase.words)
        except LookupError as error:
            raise ScoreError(str(error.args[0] if error.args else error)) from None
        volume = phrase.numbers.get("volume", 1.0)
        return RobotAudio(frame * FRAME_MS, ids, volume, has_alts=len(ids) > 1)


def _clip_of(name: str, score: Mapping[Any, Any], sound_id: SoundId) -> AnimationClip:
    tracks = _Tracks(sound_id)
    before = -1
    for time, beat in score.items():
        frame = frame_of(number_of(time))
        if frame <= before:
            raise ScoreError(f"the beat at {time} ms is not after the one before")
        before = frame
        for track, given in _mapping(beat, f"the beat at {time} ms").items():
            try:
                tracks.add(frame, track, given)
            except ScoreError as error:
                raise ScoreError(f"{time} ms, {track}: {error}") from None
    clip = AnimationClip(
        name,
        lift_height=tracks.lift.lift_heights(),
        procedural_face=tuple(tracks.face.keyframes()),
        head_angle=tracks.head.head_angles(),
        robot_audio=tuple(tracks.sounds),
        backpack_lights=tuple(tracks.lights),
        event=tuple(tracks.events),
        body_motion=tuple(tracks.motions),
        record_heading=tuple(one for one in tracks.headings if isinstance(one, RecordHeading)),
        turn_to_recorded_heading=tuple(
            one for one in tracks.headings if isinstance(one, TurnToRecordedHeading)
        ),
    )
    reason = problem_with_clip(clip)
    if reason:
        raise ScoreError(reason)
    return clip


def _mapping(content: Any, what: str) -> Mapping[Any, Any]:
    if not isinstance(content, dict):
        raise ScoreError(f"{what} is no mapping")
    return content


def _only_keys(content: Mapping[str, Any], known: set[str]) -> None:
    for key in content:
        if key not in known:
            raise ScoreError(f"nothing is known of {key!r}; there is {', '.join(sorted(known))}")
