from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.world.eye import Eye, Shutter
from cozmo_driver.emulator.world.optics import Lens, Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.motion import SETTLING, Motion, MotionDetector
from cozmo_driver.robot import camera_pose

from ..emulator.world.worlds import world

PERIOD = 1 / 15
HEAD = -0.1
CAMERA = Camera(Lens().fx, Lens().fy, Lens().cx, Lens().cy)
VIEW, BASE = camera_pose(HEAD), np.eye(4)
FLOOR = {"floor": [{"rectangle": [-1.5, -1.0, 1.5, 1.0], "pattern": "wood"}]}
USUAL = Shutter()
ROLLING = {"form": "ball", "size": 0.06, "path": [[0.2, 0.1, 0.03], [0.2, -0.1, 0.03]]}
Gray = npt.NDArray[np.uint8]


def pictures(
    count: int = 20, shutter: Callable[[int], Shutter] = lambda _: USUAL, **things: Any
) -> Iterator[tuple[float, Gray]]:
    """Images of the emulator's eye, with their stamps."""
    now, stance = [0.0], Stance(Pose2D(), HEAD)
    robot = Occupant(lambda: stance.pose, lambda: True)
    eye = Eye(world(FLOOR, **things), robot, lambda _: stance, clock=lambda: now[0])
    for index in range(count):
        now[0] = index * PERIOD
        yield now[0], eye.gray(shutter(index))


def motions(detector: MotionDetector, seen: Iterator[tuple[float, Gray]]) -> dict[float, Motion]:
    found = {stamp: detector.update(stamp, picture, CAMERA, VIEW, BASE) for stamp, picture in seen}
    return {stamp: motion for stamp, motion in found.items() if motion}


@pytest.mark.parametrize(
    "shutter",
    [
        lambda _: USUAL,
        lambda _: Shutter(light=0.15, brightness=3.0, noise=3.0),
        lambda i: Shutter(brightness=1.7 + 0.6 * math.sin(0.7 * i)),
        lambda i: Shutter(light=0.05 if i % 2 else 1.0),
    ],
    ids=["usual", "dim", "exposure", "lamp switched"],
)
def test_light_and_noise_are_no_motion(shutter: Callable[[int], Shutter]) -> None:
    assert motions(MotionDetector(), pictures(shutter=shutter, flicker=0.4)) == {}


def test_a_rolling_ball_moves_on_the_ground_from_the_left_to_the_right() -> None:
    found = motions(MotionDetector(), pictures(15, moving=[ROLLING | {"speed": 0.2}]))
    assert len(found) >= 4
    for stamp, motion in found.items():
        assert stamp >= SETTLING
        y = 0.1 - 0.2 * stamp
        assert motion.ground_point is not None
        assert motion.ground_point[0] == pytest.approx(0.2, abs=0.02)
        assert motion.ground_point[1] == pytest.approx(y, abs=0.05)
        assert 0.005 < motion.area < 0.1
    first, *_, last = found.values()
    assert first.x < last.x
    assert first.left > last.left
    assert last.right > first.right


def test_nothing_moves_while_the_robot_itself_does() -> None:
    ball = [ROLLING | {"speed": 0.2}]
    detector = MotionDetector()
    for index, (stamp, picture) in enumerate(pictures(15, moving=ball)):
        turned = camera_pose(HEAD + 0.005 * (index % 2))
        assert detector.update(stamp, picture, CAMERA, turned, BASE) is None
    detector = MotionDetector()
    for stamp, picture in pictures(15, moving=ball):
        assert detector.update(stamp, picture, CAMERA, VIEW, BASE, is_moving=True) is None


def test_it_settles_after_a_movement_and_after_a_jump_of_time() -> None:
    detector = MotionDetector()
    moving = list(pictures(12, moving=[ROLLING | {"speed": 0.2}]))
    assert motions(detector, iter(moving))
    detector.update(0.8, moving[0][1], CAMERA, VIEW, BASE, is_moving=True)
    later = [(stamp + 0.8, picture) for stamp, picture in moving]
    assert min(motions(detector, iter(later[1:]))) >= 0.8 + SETTLING
    # A recording begins again.
    assert min(motions(detector, iter(moving))) >= SETTLING


def test_a_change_above_the_horizon_is_at_the_top_and_not_on_the_ground() -> None:
    random = np.random.default_rng(0)
    room = np.clip(random.normal(120.0, 3.0, (240, 320)), 0, 255).astype(np.uint8)
    waving = room.copy()
    waving[10:50, 120:200] = 200
    seen = ((i * PERIOD, waving if i // 2 % 2 else room) for i in range(12))
    found = motions(MotionDetector(), seen)
    last = found[max(found)]
    assert (last.x, last.y) == pytest.approx((159.5, 29.5), abs=1.5)
    assert last.area == pytest.approx(80 * 40 / (320 * 240), abs=0.004)
    assert (last.left, last.right, last.top) == (0.0, 0.0, 1.0)
    assert (last.ground_area, last.ground_point) == (0.0, None)


@pytest.mark.parametrize("gray", [0, 255])
def test_black_and_white_pictures_show_nothing(gray: int) -> None:
    blank = np.full((240, 320), gray, np.uint8)
    assert motions(MotionDetector(), ((i * PERIOD, blank) for i in range(10))) == {}
