from __future__ import annotations

import pytest

from cozmo_driver.emulator.lights import FRAME, color_at, load, rotated
from cozmo_driver.protocol.structs import LightState

RED, GREEN, OFF = 0xFC00, 0x83E0, 0x8000
BLINK = LightState(RED, GREEN, 10, 20, 5, 4, 0)


def at(light, frame):
    return color_at(light, frame * FRAME + 1e-6)


@pytest.mark.parametrize(
    ("frame", "color"),
    [
        (0, (1.0, 0.0, 0.0)),
        (9.9, (1.0, 0.0, 0.0)),
        (12, (0.5, 0.5, 0.0)),
        (14, (0.0, 1.0, 0.0)),
        (33.9, (0.0, 1.0, 0.0)),
        (36.5, (0.5, 0.5, 0.0)),
        (39, (1.0, 0.0, 0.0)),
        (39 * 1000 + 12, (0.5, 0.5, 0.0)),
    ],
)
def test_a_light_goes_from_on_by_fading_to_off_and_back_for_ever(frame, color):
    assert at(BLINK, frame) == pytest.approx(color, abs=1e-3)


def test_an_offset_moves_the_phase_and_a_negative_one_delays_it():
    assert at(BLINK._replace(offset=12), 0) == pytest.approx((0.5, 0.5, 0.0), abs=1e-3)
    assert at(BLINK._replace(offset=-12), 24) == pytest.approx((0.5, 0.5, 0.0), abs=1e-3)


@pytest.mark.parametrize(
    ("on", "off", "color"), [(0, 0, (0, 1, 0)), (0, 5, (0, 1, 0)), (5, 0, (1, 0, 0))]
)
def test_a_missing_phase_shows_the_other_colour_and_none_the_off_colour(on, off, color):
    light = BLINK._replace(on_frames=on, off_frames=off)
    assert {at(light, frame) for frame in range(50)} == {color}


def test_the_alpha_bit_is_not_needed_to_see_a_colour():
    light = LightState(0x7C00, 0x7C00, 30, 0, 0, 0, 0)
    assert at(light, 3) == (1.0, 0.0, 0.0)


def test_a_rotating_pattern_moves_on_by_one_light_per_period():
    dark, red = (LightState(word, word, 30, 0, 0, 0, 0) for word in (OFF, RED))
    lights = (red, dark, dark, dark)
    places = [
        rotated(lights, 10, frame * FRAME + 1e-6).index((1.0, 0.0, 0.0))
        for frame in (0, 9, 10, 20, 39, 40)
    ]
    assert places == [0, 0, 1, 2, 3, 0]


def test_the_load_counts_the_brighter_of_both_colours():
    assert load(LightState(RED, GREEN, 1, 1, 0, 0, 0)) == pytest.approx(31 * 1.4)
