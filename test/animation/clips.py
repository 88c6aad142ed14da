"""Clips, groups and sounds made for tests, in files as the app's."""

from __future__ import annotations

import json
import random

import numpy as np

from cozmo_driver.animation import Player
from cozmo_driver.media.audio_codec import FRAME_SAMPLES, SAMPLE_RATE
from cozmo_driver.resources.binary_clips import write_binary_clips
from cozmo_driver.resources.clips import AnimationClip
from cozmo_driver.resources.keyframes import (
    BackpackLights,
    BodyMotion,
    Event,
    HeadAngle,
    LiftHeight,
    ProceduralFace,
    RecordHeading,
    RobotAudio,
    TurnToRecordedHeading,
)
from cozmo_driver.resources.library import library_of
from cozmo_driver.resources.sound.sounds import Sound

EYE = (0.0, 0.0, 1.0, 1.0, *(0.0,) * 15)
RED, DARK = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0)
BEEP, HUM = 101, 102


def eye(**at):
    values = list(EYE)
    for index, value in at.items():
        values[int(index[1:])] = value
    return tuple(values)


def face(trigger, x=0.0, **parameters):
    return ProceduralFace(trigger, face_center_x=x, left_eye=EYE, right_eye=EYE, **parameters)


def lights(trigger, duration, front=RED):
    return BackpackLights(trigger, duration, DARK, DARK, front, DARK, DARK)


def whole_clip(name="anim_whole", frames=30):
    """A clip with every kind of keyframe but sprites, some 30 frames long."""
    end = (frames - 1) * 33
    return AnimationClip(
        name,
        lift_height=(LiftHeight(0, 330, 50, 10), LiftHeight(500, 200, 32)),
        procedural_face=(face(33), face(330, 10.0), face(660, -10.0, face_angle_deg=20.0)),
        head_angle=(HeadAngle(66, 200, 10, 5), HeadAngle(600, 200, -10)),
        robot_audio=(RobotAudio(100, (BEEP, HUM)), RobotAudio(400, (HUM,), 0.5)),
        backpack_lights=(lights(66, 132),),
        event=(Event(200, "TAPPED_BLOCK"), Event(300, "DEVICE_AUDIO_TRIGGER")),
        body_motion=(BodyMotion(66, 165, "STRAIGHT", 40), BodyMotion(400, end - 400, "0", -30)),
        record_heading=(RecordHeading(33),),
        turn_to_recorded_heading=(TurnToRecordedHeading(300, 100, 0, 60),),
    )


def face_clip(name, *keyframes):
    return AnimationClip(name, procedural_face=keyframes or (face(0, 12.0),))


class Tones:
    """Sounds by their event: ``BEEP`` and ``HUM``, half a frame longer than some whole ones."""

    def __init__(self, frames=4):
        count = frames * FRAME_SAMPLES + FRAME_SAMPLES // 2
        time = np.arange(count) / SAMPLE_RATE
        self.by_event = {
            event: Sound(event, np.rint(9000 * np.sin(2765 * k * time)).astype(np.int16))
            for k, event in enumerate((BEEP, HUM), 1)
        }

    def has(self, event_id):
        return event_id in self.by_event

    def sound_for(self, event_id, rng):
        return self.by_event.get(event_id)

    def stopped_by(self, event_id):
        return frozenset()


def group(*members):
    """Members are names, or whole objects of a group's file."""
    listed = [m if isinstance(m, dict) else {"Name": m, "Weight": 1.0} for m in members]
    return {"Animations": listed}


def write_tree(folder, clips, groups=None, triggers=None):
    """A tree of assets as the app has it; triggers lead to groups."""
    assets = folder / "assets"
    for name in ("animations", "animationGroups", "animationGroupMaps"):
        (assets / name).mkdir(parents=True, exist_ok=True)
    (assets / "animations" / "clips.bin").write_bytes(write_binary_clips(clips))
    for name, content in (groups or {}).items():
        (assets / "animationGroups" / f"{name}.json").write_text(json.dumps(content))
    pairs = [{"CladEvent": one, "AnimName": other} for one, other in (triggers or {}).items()]
    (assets / "animationGroupMaps" / "map.json").write_text(json.dumps({"Pairs": pairs}))
    return folder


def library(folder, *clips, groups=None, triggers=None):
    return library_of([write_tree(folder, clips, groups, triggers)])


def player(world, folder, *clips, groups=None, triggers=None, seed=1):
    """A player in virtual time with these clips and the two tones."""
    assets = library(folder, *clips, groups=groups, triggers=triggers)
    return Player(world.robot, assets, Tones(), random.Random(seed), world.loop.time)
