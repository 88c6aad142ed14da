from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.protocol import decode_message, encode_message, messages
from cozmo_driver.protocol.structs import LightState as WireLight
from cozmo_driver.robot import LONGEST_LIGHT, Color, LightState, steady
from cozmo_driver.robot.lights import OFF, color_word, frames, to_wire

unit = st.floats(0.0, 1.0)
colors = st.builds(Color, unit, unit, unit, unit)
durations = st.floats(0.0, LONGEST_LIGHT)
lights = st.builds(
    LightState, colors, colors, durations, durations, durations, durations, st.floats(-980.0, 980.0)
)

GREEN = Color(0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("color", "word"),
    [
        (Color(1.0, 0.0, 0.0), 0xFC00),
        (Color(0.0, 0.0, 1.0), 0x801F),
        (Color(0.0, 15 / 31, 0.0), 0x81E0),
        (Color(0.0, 0.0, 0.0), 0x8000),
        (Color(1.0, 1.0, 1.0, 0.0), 0x0000),
        (Color(1.0, 0.0, 0.0, 0.01), 0xFC00),
    ],
)
def test_a_colour_becomes_five_bits_each_with_the_alpha_bit(color, word):
    assert color_word(color) == word


def test_white_balance_takes_two_fifths_off_green_and_blue_next_to_red_only():
    white, cyan = Color(1.0, 1.0, 1.0), Color(0.0, 1.0, 1.0)
    assert color_word(white, white_balance=True) == 0x8000 | 31 << 10 | 19 << 5 | 19
    assert color_word(cyan, white_balance=True) == color_word(cyan)


@pytest.mark.parametrize(
    ("seconds", "count"),
    [(0.0, 0), (0.001, 1), (0.03, 1), (0.031, 2), (0.3, 10), (7.65, 255), (-0.87, -29)],
)
def test_times_are_rounded_up_to_frames_of_30_ms(seconds, count):
    assert frames(seconds) == count


def test_a_blinking_light_keeps_every_time_and_colour():
    light = LightState(GREEN, OFF, 0.3, 0.9, 0.15, 0.45, -0.06)
    assert to_wire(light) == WireLight(0x83E0, 0x8000, 10, 30, 5, 15, -2)


@pytest.mark.parametrize(
    ("light", "word"),
    [
        (steady(GREEN), 0x83E0),
        (LightState(GREEN, OFF, on_duration=0.5, fade_out=0.5), 0x83E0),
        (LightState(GREEN, OFF, off_duration=0.5, fade_in=0.5), 0x8000),
    ],
)
def test_a_light_that_misses_a_phase_is_steady_and_never_without_a_period(light, word):
    assert to_wire(light) == WireLight(word, word, 30, 0, 0, 0, 0)


@given(st.lists(lights, min_size=3, max_size=3))
def test_every_light_that_can_be_made_fits_the_wire(three):
    message = messages.BackpackLightsMiddle(tuple(map(to_wire, three)))
    assert decode_message(encode_message(message)) == message
