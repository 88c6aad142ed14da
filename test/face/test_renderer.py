"""Pictures of faces, pixel by pixel (spec 04 §5)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.face.parameters import Eye, Face
from cozmo_driver.face.polygon import STRIDE, fill, fill_anywhere
from cozmo_driver.face.renderer import clamped_center, render
from cozmo_driver.media.display_codec import decode

from ..each import for_each
from ..protocol.strategies import REPEATABLE
from .faces import drawn_faces, face_of_app, faces

ROUND = Eye(**{name: 0.5 for name in Eye.__slots__ if "radius" in name})


@for_each("number", range(len(drawn_faces())))
def test_a_picture_is_the_one_that_opencv_draws(number: int) -> None:
    drawn = drawn_faces()[number]
    picture = render(face_of_app(drawn["face"]), drawn["parity"])
    np.testing.assert_array_equal(picture, decode(bytes.fromhex(drawn["code"])))


def test_parity_0_lights_odd_rows_and_parity_1_even_ones_a_row_lower() -> None:
    face = Face(left_eye=ROUND, right_eye=ROUND)
    whole, odd, even = render(face, None), render(face, 0), render(face, 1)
    np.testing.assert_array_equal(odd[1::2], whole[1::2])
    assert not odd[0::2].any()
    np.testing.assert_array_equal(even[2::2], whole[1:-1:2])
    assert not even[1::2].any()


@REPEATABLE
@given(faces(), st.sampled_from([0, 1, None]))
def test_every_face_within_the_limits_has_a_picture(face: Face, parity: int | None) -> None:
    picture = render(face, parity)
    assert picture.shape == (64, 128)
    assert picture.dtype == np.bool_
    if parity is not None:
        assert not picture[parity::2].any()


@for_each("name", Eye.__slots__)
@for_each("value", [-1e300, -1e6, 1e6, 1e300])
def test_even_enormous_parameters_make_a_picture(name: str, value: float) -> None:
    with np.errstate(all="raise"):
        assert render(Face(left_eye=replace(ROUND, **{name: value}))).shape == (64, 128)


@for_each("name", ["angle", "center_x", "center_y", "scale_x", "scale_y"])
@for_each("value", [-1e300, 1e-300, 1e-5, 1e6, 1e300])
def test_even_an_enormous_face_makes_a_picture(name: str, value: float) -> None:
    with np.errstate(all="raise"):
        assert render(Face(**{name: value})).shape == (64, 128)


def test_what_is_not_a_number_has_no_picture() -> None:
    with pytest.raises(ValueError, match="left eye angle is nan"):
        render(Face(left_eye=Eye(angle=math.nan)))
    with pytest.raises(ValueError, match="parity"):
        render(Face(), 2)


def test_the_same_face_has_the_same_picture_which_nobody_can_change() -> None:
    picture = render(Face(center_x=3.25))
    assert render(Face(center_x=3.25)) is picture
    with pytest.raises(ValueError, match="read-only"):
        picture[0, 0] = True


@pytest.mark.parametrize(("x", "y"), [(17.0, 12.0), (-17.0, -12.0)])
def test_the_default_face_moves_17_px_sideways_and_12_up_or_down(x: float, y: float) -> None:
    assert clamped_center(Face(center_x=x, center_y=y)) == (x, y)
    assert clamped_center(Face(center_x=3 * x, center_y=3 * y)) == (x, y)
    np.testing.assert_array_equal(
        render(Face(center_x=2 * x, center_y=2 * y)), render(Face(center_x=x, center_y=y))
    )


def test_a_face_larger_than_the_screen_stays_in_the_middle() -> None:
    assert clamped_center(Face(5.0, 5.0, 5.0, 3.0, 3.0)) == (0.0, 0.0)


@REPEATABLE
@given(st.integers(-17, 16), st.integers(-12, 12))
def test_a_face_is_moved_by_whole_pixels_unchanged(x: int, y: int) -> None:
    face = Face(left_eye=ROUND, right_eye=ROUND)
    moved = render(replace(face, center_x=float(x), center_y=float(y)), None)
    np.testing.assert_array_equal(moved, np.roll(render(face, None), (y, x), axis=(0, 1)))


corners = st.lists(
    st.tuples(st.integers(0, 127), st.integers(0, 63)), min_size=3, max_size=12, unique=False
)


def bits(bitmap: int) -> set[tuple[int, int]]:
    return {(at % STRIDE, at // STRIDE) for at in range(bitmap.bit_length()) if bitmap >> at & 1}


@REPEATABLE
@given(corners)
def test_a_polygon_of_any_form_is_filled_alike_on_the_quick_and_on_the_plain_way(
    points: list[tuple[int, int]],
) -> None:
    assert fill(np.array(points, np.int16)) == fill_anywhere(points)


@REPEATABLE
@given(corners, st.integers(-90, 90), st.integers(-90, 90))
def test_a_polygon_beyond_the_edge_stays_on_the_canvas(
    points: list[tuple[int, int]], dx: int, dy: int
) -> None:
    moved = np.array(points, np.int16) + np.array([dx, dy], np.int16)
    assert all(x < 128 and y < 64 for x, y in bits(fill(moved)))
