"""Tilt, roll and yaw of the camera are learnt from what stands on the floor."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cozmo_driver.perception.world.frames import Mount, pose, rotation
from cozmo_driver.perception.world.mounting import PRIOR, LearntMount, Mounting
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.perception.world.pose_history import StampedState

from .scene import CHARGER, CUBE, SECOND, Scene, apart, cube_at

REAL = 0.28
"""Pixels that corners on real images are off by."""


def scene(mount: Mount, seed: int = 0, pitch: float = 0.0405) -> Scene:
    made = Scene(noise=REAL)
    made.mount = mount
    made.robot = StampedState(100.0 * seed, lift=-0.198, pitch=pitch)
    return made


def mounted(seed: int) -> Mount:
    """Return the camera of a robot: 2 degrees off each way, and its head by 1 more."""
    random = np.random.default_rng(seed)
    two, one = math.radians(2.0), math.radians(1.0)
    pitch = random.uniform(-two, two) + random.uniform(-one, one)
    return Mount(pitch, *random.uniform(-two, two, 2))


def off(found: Mount, true: Mount) -> tuple[float, float, float]:
    """Return by how many degrees pitch, roll and yaw are off."""
    names = ("pitch", "roll", "yaw")
    pitch, roll, yaw = (
        abs(math.degrees(getattr(found, name) - getattr(true, name))) for name in names
    )
    return pitch, roll, yaw


@pytest.mark.parametrize("seed", range(8))
def test_a_cube_seen_from_three_places_tells_pitch_roll_and_yaw(seed: int) -> None:
    seen = scene(mounted(seed), seed)
    random = np.random.default_rng(seed)
    truth = cube_at(random.uniform(0.24, 0.28), random.uniform(-0.02, 0.02), random.uniform(-3, 3))
    seen.put(CUBE, truth)
    for x, head in ((0.0, -0.1), (0.08, -0.2), (-0.02, 0.0)):
        seen.go(8, x=x, head=head)
    pitch, roll, yaw = off(seen.world.camera.mounting.mount, seen.mount)
    assert pitch < 0.15
    assert roll < 0.5
    assert yaw < 0.8
    assert apart(seen.place(CUBE), truth) < 0.006
    assert seen.place(CUBE)[2, 3] == pytest.approx(0.022)


def test_before_anything_is_learnt_a_cube_on_the_floor_lies_on_it_and_one_on_another_on_that() -> (
    None
):
    for pitch in (-0.052, 0.052):
        seen = scene(Mount(pitch, 0.0, 0.035))
        seen.put(CUBE, cube_at(0.25, 0.0))
        seen.put(SECOND, cube_at(0.25, 0.0, 0.3, 0.066))
        seen.go(1)
        seen.go(1)
        assert seen.place(CUBE)[2, 3] == pytest.approx(0.022)
        assert seen.object(SECOND).on_top_of == "cube_1"


def test_a_cube_on_a_book_misleads_until_others_on_the_floor_do_not_fit() -> None:
    seen = scene(Mount(0.01))
    seen.put(CUBE, cube_at(0.18, 0.0, z=0.022 + 0.008))
    seen.go(5)
    assert off(seen.world.camera.mounting.mount, seen.mount)[0] > 1.0
    seen.remove(CUBE)
    for number in range(6):
        seen.put(SECOND, cube_at(0.14 + 0.02 * number, 0.01))
        seen.go(5)
    assert off(seen.world.camera.mounting.mount, seen.mount)[0] < 0.3


def test_a_slope_that_shows_in_the_pitch_is_none_of_the_camera_s() -> None:
    seen = scene(Mount())
    seen.put(CUBE, cube_at(0.22, 0.0))
    for number in range(20):
        seen.go(1, yaw=0.02 * number, is_moving=True, pitch=0.107 - 0.052 * math.sin(0.02 * number))
    seen.go(8, is_moving=False)
    assert off(seen.world.camera.mounting.mount, Mount())[0] < 0.15


def test_nothing_is_learnt_from_a_tilted_robot_but_it_sees_as_it_stands() -> None:
    seen = scene(Mount())
    seen.put(CUBE, cube_at(0.2, 0.0))
    seen.true_tilt = -0.084
    seen.go(4, is_on_charger=True)
    assert seen.world.camera.mounting.sightings == 0
    assert apart(seen.place(CUBE), cube_at(0.2, 0.0)) < 0.004


def test_the_charger_tells_the_pitch_less_exactly() -> None:
    seen = scene(Mount(0.04))
    for x, y in ((0.20, 0.02), (0.16, -0.02), (0.22, 0.0)):
        seen.put(CHARGER, pose(x, y))
        seen.go(8)
    assert off(seen.world.camera.mounting.mount, seen.mount)[0] < 0.8
    assert seen.world.camera.mounting.deviations[0] < PRIOR[0] / 2


def test_what_was_learnt_is_believed_less_in_the_next_session_and_a_new_head_soon_again() -> None:
    learnt = LearntMount(Mount(0.03, 0.01, -0.02), (0.003, 0.003, 0.004), 40)
    mounting = Mounting()
    mounting.restore(learnt)
    assert mounting.mount == Mount(
        *(pytest.approx(v) for v in (learnt.mount.pitch, learnt.mount.roll, learnt.mount.yaw))
    )
    assert mounting.deviations[0] > 0.009
    seen = scene(Mount(-0.03))
    seen.world.camera.mounting.restore(learnt)
    for number in range(5):
        seen.put(CUBE, cube_at(0.14 + 0.03 * number, 0.0))
        seen.go(6)
    assert off(seen.world.camera.mounting.mount, seen.mount)[0] < 0.3
    seen.put(CUBE, cube_at(0.25, 0.0))
    for number in range(7):
        seen.go(6, x=0.06 * (number % 2))
    assert off(seen.world.camera.mounting.mount, seen.mount)[2] < 0.6
    mounting.restore(None)
    assert mounting.deviations == pytest.approx(PRIOR)


def test_a_cube_in_a_hand_tells_nothing() -> None:
    seen = scene(Mount())
    place = cube_at(0.2, 0.0, z=0.06)
    place[:3, :3] = rotation((0.5, 0.0, 0.0))
    seen.put(CUBE, place)
    seen.go(6)
    assert seen.state(CUBE) is PoseState.KNOWN
    assert seen.world.camera.mounting.sightings == 0
    seen.world.on_connection("cube_1", 1)
    seen.world.on_moved("cube_1", seen.robot.stamp)
    seen.put(CUBE, cube_at(0.2, 0.0, z=0.012))
    seen.go(6)
    assert seen.world.camera.mounting.sightings == 0


def test_moments_between_two_states_are_tilted_between() -> None:
    first, second = StampedState(0.0, tilt=0.0), StampedState(1.0, tilt=-0.08)
    world = Scene().world
    for one in (first, second):
        world.history.add(one)
    found = world.history.at(0.25)
    assert isinstance(found, StampedState)
    assert found.tilt == pytest.approx(-0.02)
    assert replace(found, tilt=0.0).camera[2, 2] == pytest.approx(-math.sin(math.radians(4.0)))
    assert found.camera[2, 2] == pytest.approx(-math.sin(math.radians(4.0) + 0.02))
