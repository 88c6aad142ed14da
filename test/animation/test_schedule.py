"""Which frame each keyframe of a clip is sent in."""

from __future__ import annotations

import random

import pytest

from cozmo_driver.animation.schedule import (
    BODY_STOP,
    LIGHTS_OFF,
    color_word,
    message_of,
    schedule_of,
)
from cozmo_driver.protocol import encode_message, messages
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.resources.clips import AnimationClip
from cozmo_driver.resources.keyframes import (
    BodyMotion,
    Event,
    HeadAngle,
    LiftHeight,
    TurnToRecordedHeading,
)

from .clips import DARK, RED, lights, whole_clip


def sent(clip, excluded=None):
    """Messages by frame."""
    schedule = schedule_of(clip) if excluded is None else schedule_of(clip, excluded)
    rng = random.Random(1)
    return {frame: [step(rng) for step in steps] for frame, steps in schedule.steps.items()}


def heads(*triggers):
    return AnimationClip("c", head_angle=tuple(HeadAngle(t, 0, t % 100) for t in triggers))


def test_a_keyframe_goes_into_the_first_frame_at_or_after_its_trigger():
    assert sorted(sent(heads(0, 33, 67, 99, 133))) == [0, 1, 3, 4, 5]


def test_of_keyframes_of_one_track_that_are_due_together_each_waits_for_a_frame_of_its_own():
    of_frame = sent(heads(0, 1, 2, 3, 200))
    angles = {frame: m[0].angle_deg for frame, m in of_frame.items()}
    assert angles == {0: 0, 1: 1, 2: 2, 3: 3, 7: 0}


def test_a_body_motion_is_stopped_when_its_duration_is_over():
    clip = AnimationClip("c", body_motion=(BodyMotion(0, 100, "STRAIGHT", 100),))
    assert sent(clip) == {0: [messages.BodyMotion(100, 32767)], 4: [BODY_STOP]}
    assert schedule_of(clip).length == 5


def test_a_body_motion_that_follows_at_once_needs_no_stop_and_a_later_one_does():
    clip = AnimationClip(
        "c",
        body_motion=(
            BodyMotion(0, 99, "STRAIGHT", 50),
            BodyMotion(99, 33, "0", 90),
            BodyMotion(330, 33, "70", -50),
        ),
    )
    assert sent(clip) == {
        0: [messages.BodyMotion(50, 32767)],
        3: [messages.BodyMotion(90, 0)],
        4: [BODY_STOP],
        10: [messages.BodyMotion(-50, 70)],
        11: [BODY_STOP],
    }


def test_a_body_motion_of_negative_duration_is_not_stopped():
    clip = AnimationClip("c", body_motion=(BodyMotion(0, -1, "STRAIGHT", 50),))
    assert sent(clip) == {0: [messages.BodyMotion(50, 32767)]}


def test_lights_are_sent_in_every_frame_of_their_duration_and_then_dark_once():
    schedule = schedule_of(AnimationClip("c", backpack_lights=(lights(33, 99),)))
    red = messages.BackpackLights((0, 0xFC00, 0, 0, 0))
    shown = [schedule.lights_at(frame) for frame in range(7)]
    assert shown == [None, red, red, red, LIGHTS_OFF, None, None]
    assert schedule.length == 5


def test_lights_that_follow_at_once_are_not_dark_between():
    clip = AnimationClip("c", backpack_lights=(lights(0, 66), lights(66, 33, (*DARK[:3], 1.0))))
    schedule = schedule_of(clip)
    shown = [schedule.lights_at(frame).colors[1] for frame in range(4)]
    assert shown == [0xFC00, 0xFC00, 0x8000, 0]


@pytest.mark.parametrize(
    ("color", "word"),
    [
        (RED, 0xFC00),
        ((255.0, 0.0, 128.0, 255.0), 0xFC10),
        ((0.5, 0.5, 0.5, 1.0), 0x8000 | 16 << 10 | 16 << 5 | 16),
        ((9e9, -5.0, 1.5, 1.0), 0xFC00),
    ],
)
def test_colors_are_shares_up_to_one_and_numbers_of_255_above(color, word):
    assert color_word(color) == word


def test_variability_is_drawn_in_whole_numbers_within_its_limits():
    rng = random.Random(3)
    angles = {message_of(HeadAngle(0, 10, -3, 2), rng).angle_deg for _ in range(200)}
    heights = {message_of(LiftHeight(0, 10, 50, 1), rng).height_mm for _ in range(200)}
    assert angles == {-5, -4, -3, -2, -1}
    assert heights == {49, 50, 51}
    edge = [message_of(HeadAngle(0, 10, 127, 9), rng).angle_deg for _ in range(99)]
    assert max(edge) == 127
    low = [message_of(LiftHeight(0, 10, 2, 9), rng).height_mm for _ in range(99)]
    assert min(low) == 0


def test_the_bytes_are_those_of_the_specification():
    rng = random.Random(0)
    turning = TurnToRecordedHeading(0, 0, 0, 90)
    assert encode_message(message_of(HeadAngle(0, 200, -10), rng)).hex() == "93c800f6"
    assert encode_message(message_of(LiftHeight(0, 500, 92), rng)).hex() == "94f4015c"
    assert encode_message(BODY_STOP).hex() == "990000ff7f"
    assert encode_message(message_of(turning, rng)).hex() == "9200005a00e803e80302000000" + "00"


def test_a_duration_that_the_wire_cannot_hold_is_cut():
    assert message_of(HeadAngle(0, 1 << 20, 0), random.Random()).time_ms == 0xFFFF


def test_events_that_no_robot_knows_are_left_out():
    clip = AnimationClip("c", event=(Event(0, "NOBODY_KNOWS"), Event(33, "TAPPED_BLOCK")))
    assert sent(clip) == {1: [messages.Event(2)]}


@pytest.mark.parametrize(
    ("track", "kinds"),
    [
        (Track.HEAD, {messages.HeadAngle}),
        (Track.LIFT, {messages.LiftHeight}),
        (
            Track.BODY,
            {messages.BodyMotion, messages.RecordHeading, messages.TurnToRecordedHeading},
        ),
        (Track.EVENT, {messages.Event}),
    ],
)
def test_an_excluded_track_is_left_out_and_nothing_else(track, kinds):
    def kinds_of(excluded):
        return {type(m) for of_frame in sent(whole_clip(), excluded).values() for m in of_frame}

    assert kinds_of(Track(0)) - kinds_of(track) == kinds
    assert not schedule_of(whole_clip(), track).tracks & track


@pytest.mark.parametrize(
    ("track", "attribute"),
    [
        (Track.FACE_IMAGE, "faces"),
        (Track.AUDIO, "sounds"),
        (Track.BACKPACK_LIGHTS, "lights"),
    ],
)
def test_faces_sounds_and_lights_can_be_excluded(track, attribute):
    assert getattr(schedule_of(whole_clip()), attribute)
    assert not getattr(schedule_of(whole_clip(), track), attribute)
    assert not schedule_of(whole_clip(), track).tracks & track


def test_a_clip_lasts_until_everything_is_sent_and_over():
    assert schedule_of(AnimationClip("empty")).length == 1
    assert schedule_of(heads(0)).length == 1
    moving = AnimationClip("c", head_angle=(HeadAngle(0, 330, 0),))
    assert schedule_of(moving).length == 11
    assert schedule_of(whole_clip(frames=50)).length == 50
