from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.emulator.lights import load
from cozmo_driver.protocol import decode_message, encode_message
from cozmo_driver.robot import Color, CubeKind, CubeLights, LightState, steady, uniform_lights
from cozmo_driver.robot.lights import CUBE_BUDGET, CUBE_GREETING, cube_messages

from .test_lights import lights

RED, GREEN, WHITE = Color(1.0, 0.0, 0.0), Color(0.0, 1.0, 0.0), Color(1.0, 1.0, 1.0)


def make(cube_lights, kind=CubeKind.CUBE_1, budget=CUBE_BUDGET):
    return cube_messages(2, kind, cube_lights, budget)


def test_colours_keep_their_proportion_when_they_are_made_darker():
    _, colors, brightness = make(uniform_lights(LightState(RED, GREEN, 0.3, 0.3)))
    assert brightness == pytest.approx(CUBE_BUDGET / (4 * 31 * 1.4))
    assert {light.on_color for light in colors.lights} == {0x8000 | 8 << 10}
    assert {light.off_color for light in colors.lights} == {0x8000 | 8 << 5}


@given(st.tuples(lights, lights, lights, lights))
def test_no_lights_ever_draw_more_than_the_budget(four):
    _, colors, brightness = make(CubeLights(four))
    assert sum(map(load, colors.lights)) <= CUBE_BUDGET + 1e-9
    assert 0.0 < brightness <= 1.0
    assert decode_message(encode_message(colors)) == colors


def test_the_drivers_own_patterns_are_within_the_budget():
    assert [make(pattern)[2] for _, pattern in CUBE_GREETING] == [1.0] * len(CUBE_GREETING)


def test_the_fourth_light_of_a_charger_pad_stays_off():
    _, colors, _ = make(uniform_lights(steady(RED)), CubeKind.CHARGER, budget=1000.0)
    assert [light.on_color for light in colors.lights] == [0xFC00, 0xFC00, 0xFC00, 0x8000]
