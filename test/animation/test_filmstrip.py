from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.animation.filmstrip import (
    CELL,
    animated,
    film_strip,
    key_moments,
    moments_of,
    save_gif,
)
from cozmo_driver.face.expressions import NEUTRAL, find
from cozmo_driver.face.parameters import Face, eye_to_app
from cozmo_driver.face.renderer import render
from cozmo_driver.resources import FRAME_MS, AnimationClip
from cozmo_driver.resources.keyframes import (
    BackpackLights,
    BodyMotion,
    HeadAngle,
    LiftHeight,
    ProceduralFace,
    RobotAudio,
)

RED, DARK = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)


def keyframe(trigger_ms: int, face: Face) -> ProceduralFace:
    return ProceduralFace(
        trigger_ms,
        left_eye=tuple(eye_to_app(face.left_eye)),
        right_eye=tuple(eye_to_app(face.right_eye)),
    )


def a_clip() -> AnimationClip:
    return AnimationClip(
        "anim_one",
        head_angle=(HeadAngle(330, 330, 20),),
        lift_height=(LiftHeight(0, 330, 62),),
        procedural_face=(keyframe(0, NEUTRAL.face), keyframe(660, find("Surprise").face)),
        robot_audio=(RobotAudio(99, (7,)),),
        backpack_lights=(BackpackLights(330, 330, DARK, DARK, RED, DARK, DARK),),
        body_motion=(
            BodyMotion(0, 330, "STRAIGHT", 100),
            BodyMotion(330, 330, "TURN_IN_PLACE", 90),
            BodyMotion(660, 330, "STRAIGHT", 100),
        ),
    )


def test_a_moment_shows_the_face_that_the_player_would_send() -> None:
    moments = moments_of(a_clip())

    assert moments[0].picture is not None
    assert moments[20].picture is not None
    np.testing.assert_array_equal(moments[0].picture, render(NEUTRAL.face, 0))
    np.testing.assert_array_equal(moments[20].picture, render(find("Surprise").face, 0))


def test_joints_move_evenly_from_rest() -> None:
    moments = moments_of(a_clip())

    assert [moments[frame].lift for frame in (0, 5, 10, 15)] == [32.0, 47.0, 62.0, 62.0]
    assert [moments[frame].head for frame in (0, 10, 15, 20)] == [0.0, 0.0, 10.0, 20.0]


def test_lights_and_sounds_are_told_in_their_frames() -> None:
    moments = moments_of(a_clip(), sound_name={7: "chirp"}.__getitem__)

    assert [one.frame for one in moments if one.sound == "chirp"] == [3]
    lit = [one.frame for one in moments if one.lights[1] == (255, 0, 0)]
    assert lit == list(range(10, 20))


def test_the_moments_of_a_strip_are_where_the_face_arrives() -> None:
    clip = a_clip()

    chosen = key_moments(clip, moments_of(clip), 5)

    assert len(chosen) == 5
    assert 660 // FRAME_MS in [one.frame for one in chosen]
    assert [one.frame for one in chosen] == sorted({one.frame for one in chosen})


def test_a_strip_has_its_cells_and_something_in_each() -> None:
    strip = film_strip(a_clip(), cells=4, scale=2, about="one")

    assert strip.width > 4 * 2 * CELL[0]
    pixels = np.asarray(strip)
    for index in range(4):
        left = 2 * (8 + index * (CELL[0] + 8))
        face = pixels[2 * 20 : 2 * (20 + 64), left : left + 2 * CELL[0]]
        assert (face == (130, 225, 255)).all(axis=2).any()


def test_a_short_clip_has_fewer_pictures_than_cells() -> None:
    clip = AnimationClip("anim_short", procedural_face=(keyframe(0, NEUTRAL.face),))

    assert len(key_moments(clip, moments_of(clip), 10)) == 1
    assert film_strip(clip, cells=10)


def test_what_would_take_all_memory_is_not_drawn() -> None:
    # Each takes a frame of its own.
    events = tuple(HeadAngle(number, 1, 0) for number in range(5000))
    with pytest.raises(ValueError, match="it has 5000 frames; up to 4000"):
        film_strip(AnimationClip("c", head_angle=events))
    with pytest.raises(ValueError, match="at scale 8 is too large; up to scale 5"):
        animated(AnimationClip("c", head_angle=(HeadAngle(20_000, 33, 0),)), scale=8)


def test_a_clip_without_a_face_leaves_the_display_dark() -> None:
    clip = AnimationClip("anim_head", head_angle=(HeadAngle(0, 330, 20),))

    strip = np.asarray(film_strip(clip, cells=2))

    assert not (strip == (130, 225, 255)).all(axis=2).any()


def test_a_moving_picture_is_as_long_as_its_clip(tmp_path: Path) -> None:
    clip = a_clip()
    shown, durations = animated(clip, scale=1)

    save_gif(tmp_path / "clip.gif", shown, durations)

    length = len(moments_of(clip)) * FRAME_MS
    assert sum(durations) == pytest.approx(length, abs=10)
    with Image.open(tmp_path / "clip.gif") as gif:
        assert gif.size == CELL
        assert 1 < getattr(gif, "n_frames", 1) <= len(shown)
        total = 0
        for frame in range(getattr(gif, "n_frames", 1)):
            gif.seek(frame)
            total += gif.info["duration"]
    assert total == sum(durations)
