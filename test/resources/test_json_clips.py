"""Clip files in JSON, both forms."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from cozmo_driver.resources import binary_clips
from cozmo_driver.resources.clips import AnimationClip, LoadedClip
from cozmo_driver.resources.errors import DamagedFile
from cozmo_driver.resources.json_clips import read_clips, write_json_clips
from cozmo_driver.resources.keyframes import BodyMotion, HeadAngle, RobotAudio

from .clips import clips


def read(content: Any) -> tuple[LoadedClip, ...]:
    loaded, _ = read_clips(json.dumps(content).encode(), "a.json")
    return loaded


@settings(max_examples=150, deadline=None)
@given(clip=clips())
def test_both_formats_and_the_dataclasses_say_the_same(clip: AnimationClip) -> None:
    (loaded,) = read_clips(write_json_clips([clip]).encode(), "made")[0]
    assert loaded.clip == clip
    (binary,) = binary_clips.read_clips(binary_clips.write_binary_clips([loaded.clip]), "made")
    assert binary.clip == clip


def test_form_b_is_one_list_of_every_kind() -> None:
    (loaded,) = read(
        {
            "nod": [
                {"Name": "HeadAngleKeyFrame", "triggerTime_ms": 0, "durationTime_ms": 100,
                 "angle_deg": -5},
                {"Name": "RobotAudioKeyFrame", "triggerTime_ms": 0, "audioEventId": 7},
                {"Name": "HeadAngleKeyFrame", "triggerTime_ms": 132, "angle_deg": 5},
                {"Name": "BodyMotionKeyFrame", "radius_mm": 40, "speed": 20.0,
                 "durationTime_ms": -1},
            ]
        }
    )  # fmt: skip
    assert loaded.warnings == ()
    assert loaded.clip.name == "nod"
    assert loaded.clip.head_angle == (HeadAngle(0, 100, -5), HeadAngle(132, 0, 5))
    assert loaded.clip.robot_audio == (RobotAudio(0, (7,), has_alts=False),)
    assert loaded.clip.body_motion == (BodyMotion(0, -1, "40", 20),)


def test_unknown_keys_stay_and_are_written_again() -> None:
    content = {
        "clips": [
            {
                "Name": "a",
                "author": "me",
                "keyframes": {
                    "HeadAngleKeyFrame": [{"triggerTime_ms": 0, "curve": [1, 2]}],
                    "SmellKeyFrame": [{"triggerTime_ms": 5}],
                },
            }
        ]
    }
    (loaded,) = read(content)
    assert loaded.clip.extra["author"] == "me"
    assert loaded.clip.head_angle[0].extra == {"curve": [1, 2]}
    assert read(json.loads(write_json_clips([loaded.clip])))[0].clip == loaded.clip
    assert "SmellKeyFrame" in write_json_clips([loaded.clip])


def test_numbers_are_written_as_people_write_them() -> None:
    content = {"Name": "a", "keyframes": {"RobotAudioKeyFrame": [{"audioEventId": [1],
               "volume": 0.1}]}}  # fmt: skip
    assert '"volume": 0.1,' in write_json_clips([read({"clips": [content]})[0].clip])


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"angle_deg": "up"}, "angle_deg"),
        ({"angle_deg": 5.5}, "angle_deg"),
        ({"angle_deg": True}, "angle_deg"),
        ({"angle_deg": 1e300}, "angle_deg"),
        ({"triggerTime_ms": -1}, "triggerTime_ms"),
        (7, "no object"),
    ],
)
def test_a_bad_keyframe_ends_its_track_with_the_reason(step: Any, reason: str) -> None:
    good = {"triggerTime_ms": 0}
    steps = [good, {"triggerTime_ms": 33, **step} if isinstance(step, dict) else step]
    (loaded,) = read({"clips": [{"Name": "a", "keyframes": {"HeadAngleKeyFrame": steps}}]})
    assert loaded.clip.head_angle == (HeadAngle(0),)
    assert reason in str(loaded.warnings[0])


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        {"clips": [{"Name": ""}]},
        {"clips": [{"Name": 5}]},
        {"clips": [{"Name": "a", "keyframes": [], "x": 1}, {"Name": "b", "keyframes": 5}]},
        {"clips": [{"Name": "a", "keyframes": {"HeadAngleKeyFrame": 5}}]},
        {"a": [5]},
        {"a": [{"triggerTime_ms": 5}]},
    ],
)
def test_a_file_that_is_no_clip_file_is_refused_with_its_name(content: Any) -> None:
    with pytest.raises(DamagedFile, match=r"^a\.json: "):
        read(content)


def test_a_kind_that_does_not_exist_is_mentioned() -> None:
    (loaded,) = read({"a": [{"Name": "SmellKeyFrame"}, {"Name": "RecordHeadingKeyFrame"}]})
    assert len(loaded.clip.record_heading) == 1
    assert "'SmellKeyFrame'" in str(loaded.warnings[0])
