from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from cozmo_driver.face.expressions import find
from cozmo_driver.resources import FRAME_MS, AnimationClip
from cozmo_driver.resources.keyframes import (
    BodyMotion,
    HeadAngle,
    LiftHeight,
    RecordHeading,
    TurnToRecordedHeading,
)
from cozmo_driver.resources.sound.builtin_sounds import BuiltinSounds
from scores import ScoreError, read_score, read_scores

SOUNDS = BuiltinSounds()


def clip_of(folder: Path, *beats: str) -> AnimationClip:
    path = folder / "one.yaml"
    lines = "\n".join(f"      {beat}" for beat in beats)
    path.write_text(f"clips:\n  anim_one:\n    about: one\n    score:\n{lines}\n", encoding="utf-8")
    (clip,) = read_score(path, SOUNDS.event_id).clips
    return clip


def test_times_are_those_of_the_nearest_frames(tmp_path: Path) -> None:
    clip = clip_of(tmp_path, "100: {head: 10 in 200}", "330: {head: -5 in 50 vary 3}")

    assert clip.head_angle == (
        HeadAngle(3 * FRAME_MS, 6 * FRAME_MS, 10, 0),
        HeadAngle(10 * FRAME_MS, 2 * FRAME_MS, -5, 3),
    )


def test_a_bounce_goes_too_far_and_comes_back(tmp_path: Path) -> None:
    clip = clip_of(tmp_path, "0: {lift: 72 in 165 bounce}", "400: {lift: 32 in 330 bounce}")

    assert clip.lift_height == (
        LiftHeight(0, 165, 79),
        LiftHeight(165, 132, 72),
        LiftHeight(396, 330, 32),
        LiftHeight(726, 132, 32),
    )


def test_equal_ways_there_and_back_are_equally_fast_and_long(tmp_path: Path) -> None:
    clip = clip_of(
        tmp_path,
        "50: {drive: 20 in 210}",
        "290: {drive: -20 in 210}",
        "600: {turn: 30 in 200}",
        "900: {drive: 12 radius -80 in 264}",
    )

    assert clip.body_motion == (
        BodyMotion(66, 198, "STRAIGHT", 101),
        BodyMotion(297, 198, "STRAIGHT", -101),
        BodyMotion(594, 198, "TURN_IN_PLACE", 152),
        BodyMotion(891, 264, "-80", 45),
    )


def test_a_face_begins_neutral_and_changes_in_its_time(tmp_path: Path) -> None:
    clip = clip_of(tmp_path, "330: {face: Happiness in 99}")

    assert [one.trigger_ms for one in clip.procedural_face] == [0, 330, 429]
    neutral, before, happy = clip.procedural_face
    assert neutral.left_eye == before.left_eye
    lower_lid_bend = 18
    assert happy.left_eye[lower_lid_bend] == find("Happiness").face.left_eye.lower_lid_bend


def test_a_look_keeps_the_expression_and_moves_it(tmp_path: Path) -> None:
    clip = clip_of(tmp_path, "0: {face: Anger}", "99: {look: left 8 up 3 tilt 5 in 99}")

    begin, before, after = clip.procedural_face
    assert (begin.face_center_x, before.face_center_x) == (0.0, 0.0)
    assert (after.face_center_x, after.face_center_y, after.face_angle_deg) == (-8.0, -3.0, -5.0)
    upper_lid_y = 13
    assert after.left_eye[upper_lid_y] == begin.left_eye[upper_lid_y]


def test_a_blink_shuts_both_eyes_and_opens_them_again(tmp_path: Path) -> None:
    clip = clip_of(tmp_path, "0: {face: Sadness}", "99: {face: blink in 330}")

    _, before, *closed, after = clip.procedural_face
    height = 3
    assert before.left_eye == after.left_eye
    assert closed
    for face in closed:
        assert face.left_eye[height] < 0.3 * before.left_eye[height]
        assert face.right_eye[height] < 0.3 * before.right_eye[height]


def test_a_tremble_swings_to_both_sides_and_ends_where_it_began(tmp_path: Path) -> None:
    clip = clip_of(tmp_path, "99: {tremble: 4 for 330}")

    places = [one.face_center_x for one in clip.procedural_face]
    assert min(places) < 0.0 < max(places)
    assert places[-1] == 0.0


def test_lights_have_one_three_or_five_colours(tmp_path: Path) -> None:
    clip = clip_of(
        tmp_path,
        "0: {lights: red for 99}",
        "99: {lights: red green blue dim 0.5 for 99}",
        "198: {lights: red off green off red for 99}",
    )

    red, green, dark = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)
    one, three, five = clip.backpack_lights
    assert (one.left, one.front, one.middle, one.back, one.right) == (dark, red, red, red, dark)
    assert (three.front, three.middle) == ((0.5, 0.0, 0.0, 1.0), (0.0, 0.5, 0.0, 1.0))
    places = (five.left, five.front, five.middle, five.back, five.right)
    assert places == (red, dark, green, dark, red)


@pytest.mark.parametrize("way", ["pulse", "chase", "fade", "blink"])
def test_lights_in_motion_change_without_a_gap(tmp_path: Path, way: str) -> None:
    clip = clip_of(tmp_path, f"0: {{lights: {way} blue for 990 every 330}}")

    lights = clip.backpack_lights
    assert len({one.front for one in lights}) > 1
    for one, following in pairwise(lights):
        assert one.trigger_ms + one.duration_ms == following.trigger_ms
    assert clip.duration_ms == 990


def test_sounds_are_named_and_may_have_alternatives(tmp_path: Path) -> None:
    clip = clip_of(tmp_path, "0: {sound: yes}", "99: {sound: giggle laugh volume 0.5}")

    one, several = clip.robot_audio
    assert one.audio_event_ids == (SOUNDS.event_id("yes"),)
    assert not one.has_alts
    assert several.audio_event_ids == (SOUNDS.event_id("giggle"), SOUNDS.event_id("laugh"))
    assert (several.has_alts, several.volume) == (True, 0.5)


def test_a_heading_is_recorded_and_returned_to(tmp_path: Path) -> None:
    clip = clip_of(tmp_path, "0: {heading: record}", "330: {heading: return in 330}")

    assert clip.record_heading == (RecordHeading(0),)
    (back,) = clip.turn_to_recorded_heading
    assert back == TurnToRecordedHeading(330, 330, 0, 180, use_shortest_direction=True)


@pytest.mark.parametrize(
    ("beats", "reason"),
    [
        (["0: {face: Joyful}"], "0 ms, face: "),
        (["0: {hed: 10 in 100}"], "0 ms, hed: "),
        (["0: {head: 60 in 100}"], "-25 to 44"),
        (["0: {head: 10}"], "'in'"),
        (["0: {head: 10 in nan}"], "nan"),
        (["0: {head: 10 in}"], "behind 'in'"),
        (["0: {head: 10 in 100 slowly}"], "'slowly'"),
        (["0: {head: 10 in 100 in 200}"], "twice"),
        (["0: {head: 10 in 330}", "99: {head: 0 in 99}"], "until 330 ms"),
        (["99: {face: Anger in 330}", "200: {face: blink}"], "until 429 ms"),
        (["0: {sound: kazoo}"], "'kazoo'"),
        (["0: {lights: mauve for 99}"], "'mauve'"),
        (["0: {lights: red blue for 99}"], "lights"),
        (["0: {lights: red dim 2 for 99}"], "from 0 to 1"),
        (["99: {head: 1 in 99}", "66: {lift: 40 in 99}"], "66 ms"),
        (["0: {head: [1, 2]}"], "0 ms, head: "),
        (["999999: {head: 1 in 99}"], "60000 ms"),
        (["0: {drive: 9000 in 99}"], "speed"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, beats: list[str], reason: str) -> None:
    with pytest.raises(ScoreError) as caught:
        clip_of(tmp_path, *beats)

    assert reason in str(caught.value)
    assert "one.yaml" in str(caught.value)


def test_groups_have_weights_cooldowns_and_windows_of_the_head(tmp_path: Path) -> None:
    path = tmp_path / "groups.yaml"
    path.write_text(
        "groups:\n  ag_one:\n    triggers: [Yes, No]\n"
        "    members: {anim_a: 2, anim_b: 0.5 cooldown 10 from -10 to 20}\n",
        encoding="utf-8",
    )

    score = read_score(path, SOUNDS.event_id)

    (group,) = score.groups
    first, second = group.members
    assert (first.clip, first.weight, first.cooldown_s) == ("anim_a", 2.0, 0.0)
    assert (second.cooldown_s, second.head_window_deg) == (10.0, (-10.0, 20.0))
    assert score.triggers == {"Yes": "ag_one", "No": "ag_one"}


def test_a_name_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        text = "clips: {anim_same: {score: {0: {face: Neutral}, 99: {face: blink}}}}"
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(ScoreError, match="there are several clips anim_same"):
        read_scores(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "- a", "clips: [", "songs: {}", "clips: {a: 1}", "clips: \x00"]
)
def test_what_is_no_score_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ScoreError, match=r"bad\.yaml"):
        read_score(path, SOUNDS.event_id)
