"""The examples in plain Python about lights, cubes and what happens to the robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from cozmo_driver.emulator import Firmware, Identity, RunningEmulator, running_emulator
from cozmo_driver.emulator.lights import FRONT, MIDDLE, REAR, color_at, rotated
from cozmo_driver.protocol import LightState
from cozmo_driver.protocol.messages import BackpackLightsMiddle, CubeLights

from ..waiting import wait_until
from .programs import at, at_each, in_order, run, shades, started

PAD = 0xC4000001
(CUBE, _), *_ = Identity().cubes


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    """Return a robot with three cubes and a charger pad that has lights."""
    cubes = (*Identity().cubes, (PAD, 13))
    with running_emulator(calibration_time=0.0, identity=Identity(cubes=cubes)) as emulator:
        yield emulator


def colors_of(factory_id: int) -> Callable[[Firmware], tuple[str, ...]]:
    """Return a look at a cube."""
    return lambda robot: shades(robot.cubes.colors(factory_id))


def test_backpack_lights_shows_every_color_and_a_running_light(emulator: RunningEmulator) -> None:
    def look(robot: Firmware) -> tuple[LightState, ...]:
        return tuple(robot.backpack.light(place) for place in (FRONT, MIDDLE, REAR))

    given = at_each(emulator, BackpackLightsMiddle, look)
    run("python/backpack_lights.py", *at(emulator), "--seconds", 0.05)
    # What the lights do within two rounds of the running one.
    times = [0.03 * count for count in range(60)]
    seen = [shades(tuple(color_at(one, at) for one in lights)) for lights in given for at in times]
    assert in_order([(one,) * 3 for one in ("r", "g", "b", "rgb", "-")], seen), seen
    running = [("gb", "-", "-"), ("-", "gb", "-"), ("-", "-", "gb")]
    assert in_order(running, seen), seen


def test_cube_lights_shows_every_color_on_the_cube(emulator: RunningEmulator) -> None:
    seen = at_each(emulator, CubeLights, colors_of(CUBE))
    printed = run("python/cube_lights.py", *at(emulator), "--seconds", 0.05)
    assert f"{CUBE:08x}" in printed
    assert in_order([(one,) * 4 for one in ("r", "g", "b", "-")], seen), seen


def test_rotating_cube_lights_run_around_the_cube(emulator: RunningEmulator) -> None:
    def look(robot: Firmware) -> tuple[tuple[LightState, ...], int]:
        cube = robot.cubes.cubes[CUBE]
        return cube.lights, cube.rotation_frames

    given = at_each(emulator, CubeLights, look)
    run("python/rotating_cube_lights.py", *at(emulator), "--seconds", 0.05)
    [(lights, rotation)] = [one for one in given if one[1]]
    seen = [shades(rotated(lights, rotation, 0.03 * count)) for count in range(100)]
    lit = [colors.index("b") for colors in seen if colors.count("b") == 1]
    assert len(set(lit)) >= 2, seen
    assert all((b - a) % 4 in (0, 1) for a, b in pairwise(lit)), lit


def test_charger_lights_shows_every_color_on_the_pad(emulator: RunningEmulator) -> None:
    seen = at_each(emulator, CubeLights, colors_of(PAD))
    run("python/charger_lights.py", *at(emulator), "--seconds", 0.05)
    # It has three lights.
    assert in_order([(one,) * 3 for one in ("r", "g", "b", "-")], [one[:3] for one in seen]), seen


def test_events_tells_what_happens_to_the_robot_and_its_cubes(emulator: RunningEmulator) -> None:
    with started("python/events.py", *at(emulator)) as program:
        program.wait_for("listening")
        emulator.call(lambda robot: robot.handling.press_button())
        program.wait_for("button", "pressed")
        emulator.call(lambda robot: robot.handling.poke())
        program.wait_for("poke")
        emulator.call(lambda robot: robot.handling.pick_up())
        program.wait_for("in air")
        program.wait_for("cube 1", "connected")
        wait_until(lambda: emulator.call(lambda robot: robot.handling.tap(1)), "no tap is felt")
        program.wait_for("cube 1", "tapped")
    emulator.wait_for(lambda state: not state.connected)
