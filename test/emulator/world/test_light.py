"""Pictures as real ones are: uneven light, noise that depends on it, no true black (spec 19)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from cozmo_driver.emulator import EmulatorOptions, Firmware, ImageEffects, Pose2D
from cozmo_driver.emulator.variation import Variation
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.eye import Eye, Shutter
from cozmo_driver.emulator.world.light import Light
from cozmo_driver.emulator.world.optics import Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.media import mini_jpeg

from .worlds import layout, pixel

FLAT = {"floor": [{"rectangle": [-1.0, -1.0, 1.0, 1.0], "pattern": "plain", "gray": 130}]}
Picture = npt.NDArray[np.uint8]


def robot_in(options: EmulatorOptions, seed: int = 0, ideal: bool = False, **things: object):
    world = World(layout(FLAT, **things), seed=seed, ideal=ideal)
    robot = Firmware(replace(options, torn_images=0), 0.0, world)
    robot.joints.head.angle = 0.0
    return robot


def seen(world: World, light: float, stance: Stance, shutter: Shutter) -> Picture:
    robot = Occupant(lambda: stance.pose, lambda: True)
    return Eye(world, robot, lambda _: stance, light=light).gray(shutter)


def sent(robot: Firmware) -> Picture:
    return mini_jpeg.picture(mini_jpeg.to_jpeg(robot.camera.take_picture()))


def noise(picture: Picture) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the level of each block of 8 x 8 pixels, and what is left of it less its plane."""
    blocks = picture.reshape(30, 8, 40, 8).swapaxes(1, 2).reshape(-1, 64).astype(float)
    rows, columns = np.mgrid[:8, :8].reshape(2, -1)
    plane = np.column_stack([np.ones(64), rows, columns])
    left = blocks.T - plane @ np.linalg.lstsq(plane, blocks.T, rcond=None)[0]
    return blocks.mean(axis=1), left.std(axis=0)


def test_light_falls_as_the_seed_says_and_evenly_in_an_ideal_world() -> None:
    def floor(seed: int, ideal: bool = False) -> Picture:
        robot = robot_in(EmulatorOptions(ideal=ideal), seed, ideal)
        picture = robot.camera.preview()
        assert picture is not None
        return picture[140:230, 40:280]

    assert np.array_equal(floor(1), floor(1))
    assert not np.array_equal(floor(1), floor(2))

    def unevenness(picture: Picture) -> float:
        """Return how much parts of a floor differ, in shares of its mean."""
        parts = picture.reshape(3, 30, 8, 30).mean(axis=(1, 3))
        return float(np.ptp(parts) / parts.mean())

    # A little by the lens alone.
    assert unevenness(floor(1, ideal=True)) < 0.12
    assert np.median([unevenness(floor(seed)) for seed in range(3)]) > 0.15


def test_light_differs_by_40_percent_from_side_to_side_and_in_pools_by_20() -> None:
    x, y = np.meshgrid(np.arange(-900.0, 900.0, 20.0), np.arange(-900.0, 900.0, 20.0))
    ratios = []
    for seed in range(8):
        light = Light(layout(FLAT), seed, 1.0).at(x, y)
        assert 0.5 < light.min() < light.max() < 1.5
        ratios.append(np.percentile(light, 2) / np.percentile(light, 98))
    assert 0.45 < np.median(ratios) < 0.67
    assert Light(layout(FLAT), 0, 0.0).at(x, y) == pytest.approx(1.0)
    twice = Light(layout(FLAT), 0, 2.0).at(x, y)
    assert np.ptp(twice) > 1.5 * np.ptp(Light(layout(FLAT), 0, 1.0).at(x, y))


def test_floor_is_darker_at_the_foot_of_a_wall_and_away_from_the_light() -> None:
    wall = {"points": [[0.3, -0.6], [0.3, 0.6]], "height": 0.1, "thickness": 0.01}
    y = np.linspace(-400.0, 400.0, 50)
    for seed in range(4):
        bare = Light(layout(FLAT), seed, 1.0)
        walled = Light(layout(FLAT, walls=[wall]), seed, 1.0)

        def left(x: float, bare: Light = bare, walled: Light = walled) -> float:
            return float(np.mean(walled.at(np.full(50, x), y) / bare.at(np.full(50, x), y)))

        assert left(290.0) < 0.85
        assert left(310.0) < 0.85
        # Out of reach of any shadow.
        assert left(180.0) == left(420.0) == pytest.approx(1.0, abs=1e-6)
        dark, lit = (320.0, 280.0) if walled.towards[0] < 0.0 else (280.0, 320.0)
        assert left(dark) <= left(lit)


def test_sides_towards_the_light_are_lighter() -> None:
    box = [{"x": 0.3, "y": 0.0, "size": [0.1, 0.1, 0.1], "gray": 120}]
    for seed in range(2):
        world = World(layout(FLAT, boxes=box), seed=seed)
        light = Light(world.layout, seed, 1.0)
        angle = math.atan2(*light.towards[::-1])
        faces = []
        for turn in (0.0, math.pi):
            away = Pose2D(300.0, 0.0, angle + turn).then(Pose2D(250.0, 0.0, math.pi))
            picture = seen(world, 1.0, Stance(away), Shutter(noise=0.0))
            faces.append(float(np.median(picture[70:110, 130:155])))
        assert faces[0] > 1.2 * faces[1]


def test_dim_rooms_have_a_dark_gray_for_black_and_little_noise_there() -> None:
    """As P141 to P168: floor at 10, rings at 10 to 12 on paper at 27, most dark blocks flat."""
    options = EmulatorOptions(seed=3)
    robot = robot_in(options, cubes=[{"number": 2, "x": 0.15, "y": 0.0}])
    robot.camera.light = 0.25
    picture = sent(robot)
    assert 9 <= np.percentile(picture[:, 1:], 0.5) <= 13
    view = robot.stance().view()

    def level(y: float, z: float) -> float:
        column, row = map(round, pixel(view, 128.0, y, z))
        return float(picture[row - 1 : row + 2, column - 1 : column + 2].mean())

    ring, paper, cap = level(11.3, 22.0), level(8.3, 22.0), level(18.0, 40.0)
    assert 10 <= ring <= 16
    assert 10 <= cap <= 14
    assert 22 <= paper <= 42
    robot = robot_in(options)
    robot.camera.light = 0.06
    levels, spread = noise(sent(robot))
    assert 11 < np.median(levels) < 16
    assert 0.5 < np.mean(spread < 0.3) < 1.0


def test_noise_grows_with_the_light_and_against_it_in_the_dark() -> None:
    shares = []
    for light, gain in ((1.0, 2.0), (0.25, 2.0), (0.25, 3.98)):
        robot = robot_in(EmulatorOptions())
        robot.camera.light, robot.camera.gain = light, gain
        robot.joints.head.angle = -0.3
        levels, spread = noise(sent(robot))
        shares.append((np.median(levels), np.median(spread)))
    (bright, most), (dim, least), (raised, more) = shares
    assert 3.0 < most < 6.0
    assert least < most / 2
    assert more > 1.5 * least
    assert more / raised > most / bright
    assert dim < raised < bright


def test_near_floor_smears_down_while_the_robot_drives_and_far_things_do_not() -> None:
    """At 200 mm/s and 30 ms, floor 100 mm ahead moves 295 x 41 x 6 / 100² = 7 pixels."""
    stripes = [
        {"rectangle": [x, -1.0, x + 0.02, 1.0], "pattern": "plain", "gray": 10}
        for x in (0.10, 0.6, 0.64)
    ]
    robot = robot_in(
        EmulatorOptions(variation=Variation()), ideal=True, floor=FLAT["floor"] + stripes
    )
    robot.camera.exposure_ms = 30

    def steepest(speed: float, rows: slice) -> int:
        robot.body.speed = speed
        picture = robot.camera.preview()
        assert picture is not None
        return int(np.abs(np.diff(picture[rows, 150].astype(int))).max())

    near, far = slice(170, 240), slice(100, 125)
    assert steepest(200.0, near) < 0.5 * steepest(0.0, near)
    assert steepest(200.0, far) > 0.8 * steepest(0.0, far)


def test_effects_are_as_strong_as_they_are_asked_for() -> None:
    def film(strength: float) -> Picture:
        return sent(
            robot_in(
                EmulatorOptions(
                    variation=Variation(), image_effects=ImageEffects(strength, strength)
                )
            )
        )

    even = sent(robot_in(EmulatorOptions(ideal=True), ideal=True))
    assert np.array_equal(film(0.0), even)
    off = [np.abs(film(strength).astype(int) - even).mean() for strength in (0.5, 1.0, 2.0)]
    assert off[0] < off[1] < off[2]


def test_a_sticker_shines_where_it_reflects_the_lamp() -> None:
    light = Light(layout(FLAT), 0, 1.0)
    # A sticker that faces the lamp's way; an eye in the lamp's reflection, and one far beside it.
    normal = np.array([*light.towards, 0.0])
    right, down = 44.0 * np.array([-normal[1], normal[0], 0.0]), np.array([0.0, 0.0, -44.0])
    middle = np.array([100.0, 50.0, 100.0])
    corner = middle - (right + down) / 2
    sideways = light.lamp - (light.lamp @ normal) * normal
    s, t = np.array([0.5, 0.0]), np.array([0.5, 0.0])
    back = light.lamp - 2.0 * sideways
    blinded = light.glare(corner, right, down, middle + 0.2 * back, s, t)
    assert blinded[0] == pytest.approx(60.0, rel=0.01)
    assert blinded[1] < blinded[0]
    aside = np.cross(normal, [0.0, 0.0, 1.0])
    assert np.max(light.glare(corner, right, down, middle + 90.0 * normal + 200 * aside, s, t)) < 5
    behind = light.glare(corner, right, down, middle - 200.0 * normal, s, t)
    assert behind == 0.0
    assert Light(layout(FLAT), 0, 0.0).glare(corner, right, down, middle + 0.2 * back, s, t) == 0.0
