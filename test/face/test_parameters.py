"""The 43 parameters: limits, the app's lists, faces between and above others (spec 04 §4, §5)."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.face.parameters import (
    Eye,
    Face,
    clip,
    combine,
    eye_from_app,
    eye_to_app,
    face_of,
    interpolate,
)

from ..protocol.strategies import REPEATABLE
from .faces import eyes, faces


@REPEATABLE
@given(eyes())
def test_an_eye_comes_back_from_the_apps_list(eye: Eye) -> None:
    assert eye_from_app(eye_to_app(eye)).values == pytest.approx(eye.values)


@REPEATABLE
@given(faces())
def test_a_face_comes_back_from_its_43_values(face: Face) -> None:
    assert face_of(face.values) == face


@pytest.mark.parametrize("count", [0, 18, 20])
def test_a_list_of_another_length_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=f"19 parameters, not {count}"):
        eye_from_app([0.0] * count)
    with pytest.raises(ValueError, match=f"43 parameters, not {count}"):
        face_of([0.0] * count)


def test_parameters_beyond_their_limits_are_clipped() -> None:
    eye = Eye(
        center_x=-300.0,
        scale_x=-1.0,
        angle=7.0,
        lower_inner_radius_y=1.5,
        upper_lid_y=-0.1,
        upper_lid_angle=2.0,
        lower_lid_angle=-2.0,
        lower_lid_bend=3.0,
    )
    clipped = clip(Face(scale_y=-2.0, left_eye=eye))
    assert clipped.scale_y == 0.0
    assert clipped.left_eye == Eye(
        center_x=-300.0,
        scale_x=0.0,
        angle=7.0,
        lower_inner_radius_y=1.0,
        upper_lid_y=0.0,
        upper_lid_angle=math.radians(45.0),
        lower_lid_angle=-math.radians(45.0),
        lower_lid_bend=1.0,
    )


@REPEATABLE
@given(faces())
def test_a_face_within_the_limits_stays_as_it_is(face: Face) -> None:
    assert clip(face) is face


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_is_refused_by_name(value: float) -> None:
    with pytest.raises(ValueError, match=r"right eye upper lid y is .*, not a finite number"):
        clip(Face(right_eye=Eye(upper_lid_y=value)))
    with pytest.raises(ValueError, match="face scale x"):
        clip(Face(scale_x=value))


@REPEATABLE
@given(faces(), faces(), st.floats(0.0, 1.0))
def test_a_face_between_two_is_linear_but_for_angles(a: Face, b: Face, fraction: float) -> None:
    between = interpolate(a, b, fraction)
    wanted = a.center_x + (b.center_x - a.center_x) * fraction
    assert between.center_x == pytest.approx(wanted, abs=1e-9)
    wanted = a.left_eye.upper_lid_bend * (1 - fraction) + b.left_eye.upper_lid_bend * fraction
    assert between.left_eye.upper_lid_bend == pytest.approx(wanted, abs=1e-9)


@REPEATABLE
@given(faces(), faces())
def test_the_ends_of_the_way_are_the_two_faces(a: Face, b: Face) -> None:
    assert interpolate(a, b, 0.0) == a
    assert interpolate(a, b, 1.0) == b
    assert interpolate(a, a, 0.3) == a


def test_angles_turn_the_shorter_way_round() -> None:
    start, end = Face(angle=math.radians(170.0)), Face(angle=math.radians(-170.0))
    assert abs(interpolate(start, end, 0.5).angle) == pytest.approx(math.pi)
    halfway = interpolate(Face(), Face(left_eye=Eye(upper_lid_angle=math.radians(40.0))), 0.5)
    assert math.degrees(halfway.left_eye.upper_lid_angle) == pytest.approx(20.0)


def test_cosine_and_sine_of_an_angle_are_interpolated_not_the_angle() -> None:
    turned = interpolate(Face(), Face(angle=math.radians(120.0)), 0.25)
    sine, cosine = 0.25 * math.sin(math.radians(120.0)), 0.75 + 0.25 * math.cos(math.radians(120.0))
    assert turned.angle == pytest.approx(math.atan2(sine, cosine))
    assert math.degrees(turned.angle) != pytest.approx(30.0, abs=1.0)


def test_a_layer_adds_places_and_angles_and_multiplies_scales() -> None:
    base = Face(0.1, 1.0, 2.0, 2.0, 3.0, Eye(1.0, 2.0, 0.5, 0.6, 0.2, upper_lid_angle=0.3))
    layer = Face(0.2, 3.0, 4.0, 0.5, 2.0, Eye(4.0, 5.0, 2.0, 3.0, 0.1, upper_lid_angle=0.1))
    result = combine(base, layer)
    assert result.values[:5] == pytest.approx((0.3, 4.0, 6.0, 1.0, 6.0))
    assert result.left_eye.values[:5] == pytest.approx((5.0, 7.0, 1.0, 1.8, 0.3))
    assert result.left_eye.upper_lid_angle == pytest.approx(0.4)


def test_radii_and_the_places_of_lids_are_those_below_the_layer() -> None:
    base = Eye(lower_inner_radius_x=0.4, upper_lid_y=0.3, lower_lid_bend=0.2)
    layer = Eye(lower_inner_radius_x=0.9, upper_lid_y=0.8, lower_lid_bend=0.7)
    assert combine(Face(right_eye=base), Face(right_eye=layer)).right_eye == base


def test_a_lid_turned_by_a_layer_stays_within_its_limits() -> None:
    lid = Face(left_eye=Eye(upper_lid_angle=0.7))
    assert combine(lid, lid).left_eye.upper_lid_angle == pytest.approx(math.pi / 4)


@REPEATABLE
@given(faces())
def test_a_layer_of_defaults_changes_nothing(face: Face) -> None:
    assert combine(face, Face()) == face
    assert combine(face, replace(Face(), center_x=1.0)).center_x == face.center_x + 1.0
