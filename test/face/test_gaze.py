"""Eyes that look somewhere, and eyes that blink (spec 04 §6, §7)."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.face.gaze import (
    BLINK_DURATION,
    BLINK_STEPS,
    MAX_X,
    MAX_Y,
    blink,
    look_at,
)
from cozmo_driver.face.parameters import Eye, Face
from cozmo_driver.face.renderer import render

LIDS = Eye(center_y=4.0, upper_lid_y=0.3, upper_lid_angle=0.2, lower_lid_bend=0.1)
FACE = Face(left_eye=LIDS, right_eye=Eye(center_y=2.0))
CLOSED_AT = 4 * 0.033
"""s after its start a blink is closed."""


@pytest.mark.parametrize(("y", "height"), [(-MAX_Y, 1.1), (0.0, 0.975), (MAX_Y, 0.85)])
def test_eyes_are_taller_when_they_look_up(y: float, height: float) -> None:
    layer = look_at(0.0, y)
    assert layer.left_eye.scale_y == layer.right_eye.scale_y == pytest.approx(height)


def test_the_eye_on_the_side_looked_at_is_larger() -> None:
    left, right = look_at(-MAX_X / 2, 0.0), look_at(2 * MAX_X, 0.0)
    assert left.left_eye.scale_y == pytest.approx(1.05 * 0.975)
    assert left.right_eye.scale_y == pytest.approx(0.95 * 0.975)
    assert right.left_eye.scale_y == pytest.approx(0.9 * 0.975)
    assert right.right_eye.scale_y == pytest.approx(1.1 * 0.975)


def test_eyes_that_look_down_come_together() -> None:
    layer = look_at(0.0, MAX_Y / 2)
    assert (layer.left_eye.center_x, layer.right_eye.center_x) == (1.0, -1.0)
    assert look_at(0.0, -MAX_Y).left_eye.center_x == 0.0


def test_each_step_of_a_blink_is_reached_at_its_end() -> None:
    end = 0.0
    for step in BLINK_STEPS[:-1]:
        end += step.duration
        eye = blink(FACE, end - 1e-9).right_eye
        assert eye.scale_y == pytest.approx(step.height, abs=1e-6)
        assert eye.scale_x == pytest.approx(step.width, abs=1e-6)


def test_between_two_steps_a_blink_is_linear() -> None:
    eye = blink(FACE, 1.5 * 0.033).right_eye
    assert eye.scale_y == pytest.approx((0.85 + 0.60) / 2)
    assert eye.scale_x == pytest.approx((1.05 + 1.20) / 2)


def test_closed_eyes_are_lines_at_one_height_without_lids() -> None:
    closed = blink(FACE, CLOSED_AT)
    assert closed.left_eye.center_y == closed.right_eye.center_y == pytest.approx(3.0)
    assert (closed.left_eye.upper_lid_y, closed.left_eye.upper_lid_angle) == (0.0, 0.0)
    picture = render(closed, None)
    assert 1 <= picture.any(axis=1).sum() <= 4


def test_lids_and_places_are_back_one_step_later() -> None:
    after = blink(FACE, CLOSED_AT + 0.033 + 1e-9)
    assert after.left_eye.center_y == pytest.approx(4.0)
    assert after.left_eye.upper_lid_y == pytest.approx(0.3)


@pytest.mark.parametrize("elapsed", [-1.0, 0.0, BLINK_DURATION, 10.0, -math.inf, math.inf])
def test_before_and_after_a_blink_the_face_is_as_it_was(elapsed: float) -> None:
    assert blink(FACE, elapsed) is FACE
