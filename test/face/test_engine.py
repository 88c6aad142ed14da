"""The face over time: blends, holds, parameters, idle life and pictures."""

from __future__ import annotations

from random import Random

import pytest

from cozmo_driver.face.engine import IDLE_AFTER, FaceEngine
from cozmo_driver.face.expressions import EXPRESSIONS, NEUTRAL, find
from cozmo_driver.face.gaze import IdleOptions
from cozmo_driver.face.parameters import Eye, Face, interpolate
from cozmo_driver.media.display_codec import field

CALM = IdleOptions(blinks=False, saccades=False, glances=False)


def engine(options: IdleOptions = CALM) -> FaceEngine:
    return FaceEngine(Random(1), options, 0.0)


def test_an_expression_is_blended_to() -> None:
    face = engine()
    face.show("Fury", 1.0, blend_time=2.0)
    assert face.parameters_at(1.0) == NEUTRAL.face
    assert face.parameters_at(2.0) == interpolate(NEUTRAL.face, find("Fury").face, 0.5)
    assert face.parameters_at(3.0) == find("Fury").face


def test_a_new_expression_begins_where_the_last_one_has_come_to() -> None:
    face = engine()
    face.show("Fury", 0.0, blend_time=2.0)
    halfway = face.parameters_at(1.0)
    face.show("Happiness", 1.0, blend_time=1.0)
    assert face.parameters_at(1.0) == halfway
    assert face.parameters_at(2.0) == find("Happiness").face


def test_after_its_hold_time_an_expression_gives_way_to_the_neutral_face() -> None:
    face = engine()
    face.show("Surprise", 0.0, blend_time=1.0, hold_time=2.0)
    assert face.parameters_at(2.99) == find("Surprise").face
    assert face.parameters_at(3.5) == interpolate(find("Surprise").face, NEUTRAL.face, 0.5)
    assert face.parameters_at(4.0) == NEUTRAL.face


def test_a_hold_that_nobody_looked_at_ends_all_the_same() -> None:
    face = engine()
    face.show("Surprise", 0.0, blend_time=1.0, hold_time=2.0)
    assert face.parameters_at(20.0) == NEUTRAL.face


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("Joy", 0.0), "no expression 'Joy'"),
        (("Anger", 0.0, -1.0), "blend_time must be between 0 and 3600 s, not -1"),
        (("Anger", 0.0, float("nan")), "blend_time .* not nan"),
        (("Anger", 0.0, 0.0, float("inf")), "hold_time .* not inf"),
    ],
)
def test_what_cannot_be_shown_is_refused_and_changes_nothing(arguments: tuple, reason: str) -> None:
    face = engine()
    with pytest.raises(ValueError, match=reason):
        face.show(*arguments)
    assert face.parameters_at(1.0) == NEUTRAL.face


def test_a_face_given_in_parameters_is_shown_as_it_is_clipped_to_the_limits() -> None:
    face = engine(IdleOptions())
    face.set_face(Face(center_x=3.0, left_eye=Eye(upper_lid_y=2.0)), 1.0)
    assert face.parameters_at(1.3) == Face(center_x=3.0, left_eye=Eye(upper_lid_y=1.0))
    with pytest.raises(ValueError, match="not a finite number"):
        face.set_face(Face(center_x=float("nan")), 2.0)


def test_idle_life_begins_half_a_second_after_the_last_parameters() -> None:
    given, face = Face(center_x=3.0), engine(IdleOptions())
    for count in range(100):
        face.set_face(given, 0.1 * count)
        assert face.parameters_at(0.1 * count + 0.05) == given
    later = [face.parameters_at(9.9 + IDLE_AFTER + 0.1 * count) for count in range(40)]
    assert any(other != given for other in later)


def test_an_expression_wakes_idle_life_at_once() -> None:
    face = engine(IdleOptions())
    face.set_face(Face(), 0.0)
    face.show("Neutral", 0.1)
    assert face.parameters_at(0.2) != NEUTRAL.face


def test_idle_life_moves_the_eyes_of_an_expression_but_a_sleeper_lies_still() -> None:
    awake, asleep = engine(IdleOptions()), engine(IdleOptions())
    awake.show("Anger", 0.0)
    asleep.show("Asleep", 0.0)
    times = [0.05 * count for count in range(200)]
    assert len({awake.parameters_at(now) for now in times}) > 20
    assert {asleep.parameters_at(now) for now in times} == {find("Asleep").face}


def test_idle_life_can_be_changed_while_it_goes_on() -> None:
    face = engine(IdleOptions())
    assert face.parameters_at(0.1) != NEUTRAL.face
    face.set_options(CALM, 0.2)
    assert {face.parameters_at(0.2 + 0.1 * count) for count in range(250)} == {NEUTRAL.face}


def test_a_picture_is_lit_whichever_of_its_rows_the_display_shows() -> None:
    # The eyes of a closed blink are one line.
    face = engine(IdleOptions(blinks=False))
    for frame in range(600):
        if frame % 100 == 0:
            face.show(EXPRESSIONS[frame // 100].name, frame / 30, blend_time=0.3)
        picture = face.picture_at(frame / 30)
        assert all(field(picture, parity).any() for parity in (0, 1))


@pytest.mark.parametrize("options", [IdleOptions(), IdleOptions(saccades=False), CALM])
def test_until_the_next_change_that_is_told_the_face_stays_as_it_is(options: IdleOptions) -> None:
    face, due, before = engine(options), 0.0, None
    face.show("Guilt", 0.0, blend_time=0.5, hold_time=5.0)
    pauses = 0
    for count in range(1, 3000):
        now = 0.01 * count
        looking = face.parameters_at(now, 1.0 if 10.0 < now < 11.0 else 0.0)
        if now < due and not 9.995 < now < 11.015:
            assert looking == before, f"at {now} s, {due} s was told"
            pauses += 1
        due, before = face.next_change(now), looking
        assert due >= now
    assert pauses > 1000
