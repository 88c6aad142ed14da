"""The examples in plain Python about lights, cubes and what happens to the robot."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from cozmo_driver.emulator import Identity, RunningEmulator, running_emulator
from cozmo_driver.emulator.lights import FRONT, MIDDLE, REAR

from ..waiting import wait_until
from .programs import Watch, at, in_order, run, shades, started

PAD = 0xC4000001
(CUBE, _), *_ = Identity().cubes


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    """Return a robot with three cubes and a charger pad that has lights."""
    cubes = (*Identity().cubes, (PAD, 13))
    with running_emulator(calibration_time=0.0, identity=Identity(cubes=cubes)) as emulator:
        yield emulator


def cube_of(emulator: RunningEmulator, factory_id: int = CUBE) -> tuple[str, ...]:
    return shades(emulator.call(lambda robot: robot.cubes.colors(factory_id)))


def test_backpack_lights_shows_every_color_and_a_running_light(emulator: RunningEmulator) -> None:
    def look(emulator: RunningEmulator) -> tuple[str, ...]:
        colors = emulator.call(lambda robot: robot.backpack.colors())
        return shades((colors[FRONT], colors[MIDDLE], colors[REAR]))

    with Watch(emulator, look) as seen:
        run("python/backpack_lights.py", *at(emulator), "--seconds", 0.8)
    assert in_order([(one,) * 3 for one in ("r", "g", "b", "rgb", "-")], seen), seen
    running = [("gb", "-", "-"), ("-", "gb", "-"), ("-", "-", "gb")]
    assert in_order(running, seen), seen


def test_cube_lights_shows_every_color_on_the_cube(emulator: RunningEmulator) -> None:
    with Watch(emulator, cube_of) as seen:
        printed = run("python/cube_lights.py", *at(emulator), "--seconds", 0.2)
    assert f"{CUBE:08x}" in printed
    assert in_order([(one,) * 4 for one in ("r", "g", "b", "-")], seen), seen


def test_rotating_cube_lights_run_around_the_cube(emulator: RunningEmulator) -> None:
    with Watch(emulator, cube_of) as seen:
        run("python/rotating_cube_lights.py", *at(emulator), "--seconds", 2.5)
    lit = [colors.index("b") for colors in seen if colors.count("b") == 1]
    assert len(set(lit)) >= 2, seen
    assert all((b - a) % 4 in (0, 1) for a, b in pairwise(lit)), lit


def test_charger_lights_shows_every_color_on_the_pad(emulator: RunningEmulator) -> None:
    with Watch(emulator, lambda emulator: cube_of(emulator, PAD)[:3]) as seen:
        run("python/charger_lights.py", *at(emulator), "--seconds", 0.2)
    assert in_order([(one,) * 3 for one in ("r", "g", "b", "-")], seen), seen


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
