"""How the frames of several sources become one (spec 06 §2)."""

from __future__ import annotations

import numpy as np
import pytest

from cozmo_driver.media import audio_codec
from cozmo_driver.media.audio_codec import FRAME_SAMPLES
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.protocol.messages import (
    AudioSample,
    AudioSilence,
    BackpackLights,
    BodyMotion,
    Event,
    FaceImage,
    HeadAngle,
    LiftHeight,
    RecordHeading,
    StartOfAnimation,
    TurnToRecordedHeading,
)
from cozmo_driver.robot import Frame
from cozmo_driver.robot.playback.frames import merge

IN_ORDER = (
    StartOfAnimation(1),
    HeadAngle(200, -10),
    LiftHeight(500, 92),
    Event(0),
    FaceImage(b"\x3f\x3f"),
    BackpackLights((0,) * 5),
    BodyMotion(100, 32767),
    RecordHeading(),
    TurnToRecordedHeading(),
)


def tone(level: int, count: int = FRAME_SAMPLES) -> np.ndarray:
    return np.full(count, level, np.int16)


def test_sound_comes_first_and_keyframes_in_the_engines_order():
    frame = Frame(tone(1000), tuple(reversed(IN_ORDER)))
    sound, *keyframes = merge([frame])
    assert sound == AudioSample(audio_codec.encode(tone(1000)))
    assert tuple(keyframes) == IN_ORDER


@pytest.mark.parametrize("sound", [None, tone(0), tone(15), tone(-16), tone(0, 0)])
def test_what_cannot_be_heard_takes_one_byte(sound):
    assert merge([Frame(sound)]) == (AudioSilence(),)


def test_a_short_sound_is_filled_with_silence():
    (message,) = merge([Frame(tone(5000, 10))])
    assert message == AudioSample(b"\x53" * 10 + bytes(734))


def test_sounds_are_mixed_and_limited():
    (message,) = merge([Frame(tone(1000)), Frame(tone(2000)), Frame(tone(-500, 10))])
    assert message == AudioSample(audio_codec.encode(np.r_[tone(2500, 10), tone(3000, 734)]))
    (loud,) = merge([Frame(tone(30000)), Frame(tone(30000))])
    assert loud == AudioSample(b"\x7f" * FRAME_SAMPLES)
    (low,) = merge([Frame(tone(-30000)), Frame(tone(-30000))])
    assert low == AudioSample(b"\xff" * FRAME_SAMPLES)


def test_of_two_keyframes_of_a_class_the_first_sources_counts():
    mine, other = HeadAngle(100, 1), HeadAngle(100, 2)
    lift = LiftHeight(100, 50)
    assert merge([Frame(keyframes=(mine,)), Frame(keyframes=(other, lift))])[1:] == (mine, lift)


def test_an_owned_track_is_left_alone_even_without_a_keyframe_on_it():
    clip = Frame(owned=Track.FACE_IMAGE | Track.BODY | Track.AUDIO)
    user = Frame(tone(1000), IN_ORDER)
    left = merge([clip, user])
    assert left[0] == AudioSilence()
    kinds = {type(message) for message in left}
    assert not kinds & {FaceImage, BodyMotion, RecordHeading, TurnToRecordedHeading}
    assert {HeadAngle, LiftHeight, BackpackLights, Event, StartOfAnimation} <= kinds
