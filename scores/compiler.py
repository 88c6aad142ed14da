"""Scores: clips written by people, in YAML, one line for each beat; see docs/clips.md.

The app's files are made of them (spec 11 §2).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cozmo_driver.plain_yaml import YamlError, load_texts
from cozmo_driver.resources import (
    FRAME_MS,
    AnimationClip,
    AnimationGroup,
    BackpackLights,
    BodyMotion,
    BuiltinSounds,
    Event,
    GroupMember,
    HeadAngle,
    LiftHeight,
    RecordHeading,
    RobotAudio,
    TurnToRecordedHeading,
    problem_with_clip,
    write_binary_clips,
)
from cozmo_driver.whole_files import read_whole

from .phrases import ScoreError, frame_of, number_of, parse
from .tracks import (
    BODY_NUMBERS,
    HEAD_LIMITS,
    JOINT_FLAGS,
    JOINT_NUMBERS,
    LIFT_LIMITS,
    LIGHT_NUMBERS,
    POSE_FLAGS,
    POSE_NUMBERS,
    REST_HEAD,
    REST_LIFT,
    FaceBeats,
    JointBeats,
    backpack_lights,
    drive,
    recorded_heading,
    turn,
)

_LARGEST_FILE = 1 << 20
SoundId = Callable[[str], int]
"""Returns the number of a sound's event. Raises ``LookupError``."""


@dataclass(frozen=True, slots=True)
class Score:
    clips: tuple[AnimationClip, ...]
    about: Mapping[str, str]
    """What each clip is to be read as."""
    groups: tuple[AnimationGroup, ...]
    triggers: Mapping[str, str]
    """Name of the group for each trigger."""


def read_score(path: Path, sound_id: SoundId) -> Score:
    """Return what a score file makes. Raises ``ScoreError``, ``OSError``."""
    try:
        content = load_texts(read_whole(path, _LARGEST_FILE))
        return _score_of(_mapping(content, "a score file"), sound_id)
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
    def __init__(self, sound_id: SoundId) -> None:
        self.face = FaceBeats()
        self.head = JointBeats(HeadAngle, "head", REST_HEAD, HEAD_LIMITS)
        self.lift = JointBeats(LiftHeight, "lift", REST_LIFT, LIFT_LIMITS)
        self.motions: list[BodyMotion] = []
        self.headings: list[RecordHeading | TurnToRecordedHeading] = []
        self.lights: list[BackpackLights] = []
        self.sounds: list[RobotAudio] = []
        self.events: list[Event] = []
        self._sound_id = sound_id

    def add(self, frame: int, track: str, given: Any) -> None:
        match track:
            case "face":
                self.face.express(frame, parse(given, POSE_NUMBERS, POSE_FLAGS))
            case "look":
                self.face.adjust(frame, parse(given, POSE_NUMBERS, POSE_FLAGS))
            case "tremble" | "bob":
                self.face.tremble(frame, parse(given, ("for",)), is_upright=track == "bob")
            case "head" | "lift":
                joint = self.head if track == "head" else self.lift
                joint.move(frame, parse(given, JOINT_NUMBERS, JOINT_FLAGS))
            case "drive" | "turn":
                make = drive if track == "drive" else turn
                self.motions.append(make(frame, parse(given, BODY_NUMBERS)))
            case "heading":
                self.headings.append(recorded_heading(frame, parse(given, ("in",))))
            case "lights":
                self.lights += backpack_lights(frame, parse(given, LIGHT_NUMBERS))
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
        lift_height=tuple(tracks.lift.keyframes),
        procedural_face=tuple(tracks.face.keyframes()),
        head_angle=tuple(tracks.head.keyframes),
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


ANIMATIONS, GROUPS, MAPS = "animations", "animationGroups", "animationGroupMaps"
TRIGGER_MAP = "AnimationTriggerMap.json"


def read_scores(folder: Path) -> dict[str, Score]:
    """Return the scores by file. Raises ``ScoreError``, also for a name twice; ``OSError``."""
    sounds = BuiltinSounds()
    scores = {
        path.stem: read_score(path, sounds.event_id) for path in sorted(folder.glob("*.yaml"))
    }
    for what, names in (
        ("clip", [clip.name for score in scores.values() for clip in score.clips]),
        ("group", [group.name for score in scores.values() for group in score.groups]),
        ("trigger", [trigger for score in scores.values() for trigger in score.triggers]),
    ):
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ScoreError(f"{folder}: there are several {what}s {', '.join(sorted(twice))}")
    return scores


def write_tree(scores: Mapping[str, Score], assets: Path) -> None:
    """Rewrite the files in the three folders of ``assets``. Raises ``OSError``."""
    for folder in (ANIMATIONS, GROUPS, MAPS):
        shutil.rmtree(assets / folder, ignore_errors=True)
        (assets / folder).mkdir(parents=True)
    triggers: dict[str, str] = {}
    for name, score in scores.items():
        (assets / ANIMATIONS / f"{name}.bin").write_bytes(write_binary_clips(score.clips))
        groups = assets / GROUPS / name
        groups.mkdir()
        for group in score.groups:
            content = {"Animations": [_member_as_json(member) for member in group.members]}
            _write_json(groups / f"{group.name}.json", content)
        triggers.update(score.triggers)
    pairs = [{"CladEvent": name, "AnimName": group} for name, group in sorted(triggers.items())]
    _write_json(assets / MAPS / TRIGGER_MAP, {"Pairs": pairs})


def _member_as_json(member: GroupMember) -> dict[str, Any]:
    content: dict[str, Any] = {
        "Name": member.clip,
        "Weight": member.weight,
        "CooldownTime_Sec": member.cooldown_s,
        "Mood": member.mood,
    }
    if member.head_window_deg is not None:
        low, high = member.head_window_deg
        content |= {"UseHeadAngle": True, "HeadAngleMin_Deg": low, "HeadAngleMax_Deg": high}
    return content


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
