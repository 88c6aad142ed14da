"""Lights as they are commanded on the graph and as the robot and its cubes show them."""

from __future__ import annotations

import pytest
from std_msgs.msg import ColorRGBA
from std_srvs.srv import SetBool

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.lights import FRONT, REAR
from cozmo_interfaces.msg import (
    BackpackLights,
    Cube,
    CubeArray,
    CubeLights,
    LightState,
    RobotStatus,
)

from ..waiting import wait_until
from .conftest import World
from .graph import LATCHED

(FIRST, _), *_ = Identity().cubes
RED, GREEN, DARK = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)


def light(red: float, green: float, blue: float, **timing: float) -> LightState:
    """Return a light of one colour that is dark otherwise."""
    return LightState(on_color=ColorRGBA(r=red, g=green, b=blue, a=1.0), **timing)


def backpack_of(world: World) -> tuple[tuple[float, float, float], ...]:
    """Return what the backpack shows: left, front, middle, rear, right."""
    return world.emulator.call(lambda firmware: firmware.backpack.colors())


@pytest.mark.covers("backpack_lights")
def test_the_backpack_shows_what_it_is_told_until_it_is_released(world: World) -> None:
    publisher = world.graph.publisher(BackpackLights, "backpack_lights")
    lights = BackpackLights(front=light(*RED), rear=light(*GREEN), left=light(1.0, 1.0, 1.0))
    publisher.publish(lights)
    # Two messages bring the lights: the side lights come in the second one.
    wait_until(
        lambda: backpack_of(world)[:4] == (RED, RED, DARK, GREEN),
        "left and front are not red, the rear not green",
    )
    publisher.publish(BackpackLights(is_released=True, front=light(*RED)))
    wait_until(lambda: backpack_of(world)[FRONT] == DARK, "the front light stays")


@pytest.mark.covers("backpack_lights")
def test_lights_that_cannot_be_are_rejected_with_the_reason(world: World) -> None:
    publisher = world.graph.publisher(BackpackLights, "backpack_lights")
    publisher.publish(BackpackLights(rear=light(7.0, 0.0, 0.0)))
    wait_until(
        lambda: "backpack_lights is rejected: rear: the red of a colour is" in world.driver.log,
        "nothing in the log",
    )
    assert backpack_of(world)[REAR] == DARK


def colors_of(world: World) -> tuple[tuple[float, float, float], ...]:
    """Return what the first cube shows."""
    return world.emulator.call(lambda firmware: firmware.cubes.colors(FIRST))


@pytest.mark.covers("cube_lights")
@pytest.mark.parametrize("which", [{"cube_id": Cube.CUBE_1}, {"factory_id": FIRST}])
def test_a_cube_shows_what_it_is_told_until_it_is_released(
    world: World, which: dict[str, int]
) -> None:
    world.graph.listen(CubeArray, "cubes", LATCHED).wait_for(
        lambda array: any(cube.factory_id == FIRST and cube.is_connected for cube in array.cubes)
    )
    publisher = world.graph.publisher(CubeLights, "cube_lights")
    lights = CubeLights(lights=[light(*RED), *[LightState()] * 3], **which)
    publisher.publish(lights)
    wait_until(lambda: colors_of(world) == (RED, DARK, DARK, DARK), "the cube is not red")
    publisher.publish(CubeLights(is_released=True, **which))
    wait_until(lambda: RED not in colors_of(world), "the cube stays red")


@pytest.mark.covers("cube_lights")
@pytest.mark.parametrize(
    ("command", "word"),
    [
        (CubeLights(cube_id=77), "cube_id must be one of"),
        (CubeLights(factory_id=0x0BADCAFE), "(0badcafe) has not been heard"),
    ],
)
def test_lights_for_no_cube_are_rejected_with_the_reason(
    world: World, command: CubeLights, word: str
) -> None:
    publisher = world.graph.publisher(CubeLights, "cube_lights")

    publisher.publish(command)
    wait_until(lambda: word in world.driver.log, "nothing in the log")


@pytest.mark.covers("set_head_light", "status")
def test_the_head_light_is_switched(world: World) -> None:
    status = world.graph.listen(RobotStatus, "status")
    for on in (True, False):
        response = world.graph.call(SetBool, "set_head_light", SetBool.Request(data=on))
        assert response.success
        assert response.message == f"the head light is {'on' if on else 'off'}"
        wait_until(
            lambda on=on: world.emulator.call(lambda f: f.backpack.head_light) is on,
            "the head light does not follow",
        )
        status.wait_for_new(lambda message, on=on: message.is_head_light_on is on)
