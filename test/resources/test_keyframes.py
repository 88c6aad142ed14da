"""What makes a keyframe bad, and what is sent of a good one."""

from __future__ import annotations

from typing import Any

import pytest

from cozmo_driver.resources.clips import AnimationClip, make_clip
from cozmo_driver.resources.keyframes import (
    BackpackLights,
    BodyMotion,
    Event,
    HeadAngle,
    LiftHeight,
    ProceduralFace,
    RobotAudio,
    TurnToRecordedHeading,
    problem_with,
    radius_of,
)

EYE = (0.5,) * 19


@pytest.mark.parametrize(
    ("text", "radius"),
    [
        ("TURN_IN_PLACE", 0),
        ("POINT_TURN", 0),
        ("STRAIGHT", 32767),
        ("120", 120),
        ("-50.75", -50),
        (" +7 mm", 7),
        ("0012", 12),
        ("99999999999999999999", 32767),
        ("-40000", -32768),
        ("about 9", 0),
    ],
)
def test_a_radius_is_a_word_or_the_whole_number_at_the_beginning(text: str, radius: int) -> None:
    assert radius_of(text) == radius


@pytest.mark.parametrize("text", ["straight", "Turn_In_Place", "", "left", "١"])
def test_any_other_radius_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="STRAIGHT"):
        radius_of(text)


@pytest.mark.parametrize(
    ("radius", "speed", "sent"),
    [
        ("STRAIGHT", 400, 220),
        ("STRAIGHT", -221, -220),
        ("100", 220, 220),
        ("POINT_TURN", 301, 300),
        ("0", -999, -300),
        ("TURN_IN_PLACE", 90, 90),
    ],
)
def test_speeds_are_limited_by_what_the_robot_does(radius: str, speed: int, sent: int) -> None:
    assert BodyMotion(radius=radius, speed=speed).limited_speed == sent


def test_a_turn_to_the_heading_is_limited_too() -> None:
    turn = TurnToRecordedHeading(speed_deg_per_s=-400, accel_deg_per_s2=20000)
    assert turn.limited.speed_deg_per_s == -300
    assert turn.limited.accel_deg_per_s2 == 13636
    assert turn.limited.decel_deg_per_s2 == 1000


def test_sounds_without_probabilities_have_equal_chances() -> None:
    assert RobotAudio(audio_event_ids=(1, 2, 3, 4)).chances == (0.25,) * 4
    assert RobotAudio(audio_event_ids=(1, 2), probability=(0.5, 0.25)).chances == (0.5, 0.25)


@pytest.mark.parametrize(
    ("keyframe", "reason"),
    [
        (HeadAngle(angle_deg=128), "angle_deg"),
        (LiftHeight(trigger_ms=1 << 32), "triggerTime_ms"),
        (ProceduralFace(left_eye=EYE, right_eye=EYE[1:]), "rightEye"),
        (ProceduralFace(left_eye=EYE, right_eye=(float("nan"),) * 19), "rightEye"),
        (ProceduralFace(face_scale_x=float("inf")), "faceScaleX"),
        (RobotAudio(), "audioEventId"),
        (RobotAudio(audio_event_ids=(1, 2), probability=(1.0,)), "1 probabilities for 2 sounds"),
        (RobotAudio(audio_event_ids=(1,), probability=(-0.5,)), "not negative"),
        (RobotAudio(audio_event_ids=(1,) * 33), "audioEventId"),
        (BackpackLights(front=(1.0, 0.0, 0.0)), "Front"),
        (Event(event_id="x" * 1025), "event_id"),
        (Event(event_id="\ud800"), "event_id"),
        (BodyMotion(radius="sideways"), "radius_mm"),
    ],
)
def test_a_bad_keyframe_says_what_is_wrong(keyframe: Any, reason: str) -> None:
    assert reason in (problem_with(keyframe) or "nothing")


def test_the_first_bad_keyframe_ends_its_track_alone() -> None:
    heads = [HeadAngle(0), HeadAngle(33, angle_deg=200), HeadAngle(66)]
    lifts = [LiftHeight(0), LiftHeight(0), LiftHeight(33)]
    events = [Event(0, "TAPPED_BLOCK"), "it cannot be read"]

    loaded = make_clip(
        "nod", "a.bin", {"head_angle": heads, "lift_height": lifts, "event": iter(events)}
    )

    assert loaded.clip.head_angle == (HeadAngle(0),)
    assert loaded.clip.lift_height == (LiftHeight(0),)
    assert loaded.clip.event == (Event(0, "TAPPED_BLOCK"),)
    for warning, track in zip(loaded.warnings, ("LiftHeight", "HeadAngle", "Event"), strict=True):
        assert warning.source == "a.bin"
        assert f"'nod': {track}KeyFrame ends before keyframe 1: " in warning.text


def test_an_event_that_no_robot_knows_stays_in_the_clip_and_is_mentioned() -> None:
    loaded = make_clip("a", "b.bin", {"event": [Event(0, "PARTY"), Event(33, "TAPPED_BLOCK")]})
    assert [event.number for event in loaded.clip.event] == [None, 2]
    assert [str(one) for one in loaded.warnings] == [
        "b.bin: clip 'a': no robot knows the event 'PARTY'"
    ]


def test_a_clip_lasts_until_its_last_keyframe_is_over() -> None:
    clip = AnimationClip(
        "a",
        head_angle=(HeadAngle(0, duration_ms=500), HeadAngle(100, duration_ms=100)),
        body_motion=(BodyMotion(480, -1, "STRAIGHT", 10),),
    )
    assert clip.duration_ms == 500
    assert clip.frame_count == 16
    assert AnimationClip("b").duration_ms == 0
