"""Light patterns of files, and what they become on robot and cubes (spec 08 §7)."""

from __future__ import annotations

from typing import Any

import pytest

from cozmo_driver.animation.assets import backpack_lights_of, cube_lights_of
from cozmo_driver.resources.errors import LoadWarning, ResourceError
from cozmo_driver.resources.light_patterns import (
    PatternLight,
    read_backpack_patterns,
    read_cube_lights,
)
from cozmo_driver.resources.views import View
from cozmo_driver.robot import LONGEST_LIGHT, Color, LightState

from .app_tree import light_pattern

GREEN = (0.0, 1.0, 0.0, 1.0)
NOTHING = (0.0, 0.0, 0.0, 0.0)


def cube_file(**changes: Any) -> dict[str, Any]:
    return {"blink": [{"pattern": {**light_pattern(4), **changes}, "duration_ms": 1200}]}


def test_a_cube_file_is_read_with_its_steps() -> None:
    content = cube_file(rotationPeriod_ms=90)
    content["blink"].append({"pattern": light_pattern(4), "patternDebugName": "last", "x": 1})
    warnings: list[LoadWarning] = []
    found = read_cube_lights(View(content, "blink.json"), warnings)
    assert warnings == []
    first, last = found["blink"]
    assert (first.duration_ms, first.rotation_period_ms) == (1200, 90)
    assert first.lights[1] == PatternLight(GREEN, NOTHING, 301, 301, 301, 301, -300)
    assert last.duration_ms == 0


@pytest.mark.parametrize("color", [[0, 255, 0, 255], [0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0]])
def test_both_spellings_of_colours_are_read(color: list[float]) -> None:
    found = read_cube_lights(View(cube_file(onColors=[color] * 4), "blink.json"), [])
    assert found["blink"][0].lights[0].on_color == GREEN


def test_one_colour_above_1_tells_the_spelling_of_the_whole_file() -> None:
    colors = [[1, 1, 1, 255]] + [[0, 0, 0, 1]] * 3
    found = read_cube_lights(View(cube_file(onColors=colors), "blink.json"), [])
    assert found["blink"][0].lights[0].on_color == (1 / 255, 1 / 255, 1 / 255, 1.0)
    assert found["blink"][0].lights[1].on_color == (0.0, 0.0, 0.0, 1 / 255)


@pytest.mark.parametrize(
    "changes",
    [
        {"onColors": [[0, 0, 0]] * 4},
        {"offColors": [[0, 0, 0, 256]] * 4},
        {"offset": None},
        {"onPeriod_ms": [1, 2, 3]},
        {"onPeriod_ms": [1, 2, 3, -4]},
        {"rotationPeriod_ms": -1},
    ],
)
def test_an_entry_with_a_missing_or_odd_list_is_left_out_alone(changes: dict[str, Any]) -> None:
    content = {**cube_file(**changes), "good": cube_file()["blink"]}
    warnings: list[LoadWarning] = []
    found = read_cube_lights(View(content, "blink.json"), warnings)
    assert list(found) == ["good"]
    assert str(warnings[0]).startswith("blink.json: blink is left out: ")


def test_a_file_that_is_no_object_is_refused() -> None:
    with pytest.raises(ResourceError, match=r"^lights\.json: "):
        read_backpack_patterns(View([], "lights.json"), [])


def test_a_cube_shows_what_its_file_says() -> None:
    found = read_cube_lights(View(cube_file(rotationPeriod_ms=90), "blink.json"), [])
    lights = cube_lights_of(found["blink"][0])
    assert lights.rotation_period == 0.09
    assert lights.lights[1] == LightState(
        Color(0.0, 1.0, 0.0), Color(alpha=0.0), 0.301, 0.301, 0.301, 0.301, -0.3
    )


def test_for_ever_is_as_long_as_a_light_can_hold() -> None:
    forever = [0xFFFFFFFF] * 4
    content = cube_file(onPeriod_ms=forever, offset=[-0xFFFFFFFF, 0xFFFFFFFF, 0, 0])
    found = read_cube_lights(View(content, "blink.json"), [])
    first, second, *_ = cube_lights_of(found["blink"][0]).lights
    assert first.on_duration == LONGEST_LIGHT
    assert first.offset == -second.offset < 0.0


def test_the_backpacks_lights_come_in_the_order_of_its_leds() -> None:
    colors = [[number / 4, 0.0, 0.0, 1.0] for number in range(5)]
    content = {"charging": {**light_pattern(5, GREEN), "onColors": colors}, "bad": {}}
    warnings: list[LoadWarning] = []
    found = read_backpack_patterns(View(content, "lights.json"), warnings)
    assert len(warnings) == 1
    lights = backpack_lights_of(found["charging"])
    in_order = (lights.left, lights.front, lights.middle, lights.rear, lights.right)
    assert [light.on_color.red for light in in_order] == [0.0, 0.25, 0.5, 0.75, 1.0]
