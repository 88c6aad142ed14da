"""Pixels and places on the floor, against the geometry that the emulator's camera draws with."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from cozmo_driver.cockpit.pointing import NoFloor, floor_point
from cozmo_driver.cockpit.pursuit import head_towards
from cozmo_driver.emulator.body import Pose2D
from cozmo_driver.emulator.hardware import DRIVE_CENTER_OFFSET
from cozmo_driver.emulator.variation import Lens, Optics
from cozmo_driver.emulator.world.optics import Stance
from cozmo_driver.perception import Camera, Mount, camera_pose

AS_MEANT = Optics()
_OPTICS = Lens()
CAMERA = Camera(_OPTICS.fx, _OPTICS.fy, _OPTICS.cx, _OPTICS.cy)


def seen_at(
    head: float, ahead: float, left: float, height: float = 0.0, optics: Optics = AS_MEANT
) -> tuple[float, float]:
    """Return the pixel at which the emulator shows a point, given in m of ``base_link``."""
    view = Stance(Pose2D(), head, optics=optics).view()
    point = (1000 * ahead + DRIVE_CENTER_OFFSET, 1000 * left, 1000 * height)
    right, down, depth = view.axes.T @ (point - view.place)
    assert depth > 0
    return CAMERA.cx + CAMERA.fx * right / depth, CAMERA.cy + CAMERA.fy * down / depth


@pytest.mark.parametrize("head", [-0.4, 0.0, 0.2])
@pytest.mark.parametrize(("ahead", "left"), [(0.2, 0.0), (0.35, -0.1), (1.5, 0.4)])
def test_a_pixel_is_where_the_emulator_shows_the_place(
    head: float, ahead: float, left: float
) -> None:
    pixel = seen_at(head, ahead, left)
    assert floor_point(CAMERA, head, *pixel) == pytest.approx((ahead, left), abs=1e-6)


def test_a_camera_that_looks_astray_shows_the_place_beside() -> None:
    astray = Optics(down=0.03, roll=-0.02, left=0.025)
    pixel = seen_at(-0.2, 0.3, -0.05, optics=astray)
    assert math.dist(floor_point(CAMERA, -0.2, *pixel), (0.3, -0.05)) > 0.03
    found = floor_point(CAMERA, -0.2, *pixel, Mount(-0.03, -0.02, 0.025))
    assert found == pytest.approx((0.3, -0.05), abs=2e-3)


def test_a_distorted_lens_sees_the_same_place() -> None:
    camera = replace(CAMERA, distortion=(-0.2, 0.05, 0.002, -0.001, 0.01))
    place = (np.linalg.inv(camera_pose(np.eye(4), -0.3)) @ [0.3, 0.1, 0.0, 1.0])[:3]
    seen, _ = cv2.projectPoints(
        place, np.zeros(3), np.zeros(3), camera.matrix, np.array(camera.distortion)
    )
    pixel = seen[0, 0]
    assert math.dist(floor_point(CAMERA, -0.3, *pixel), (0.3, 0.1)) > 3e-3
    assert floor_point(camera, -0.3, *pixel) == pytest.approx((0.3, 0.1), abs=1e-4)


@pytest.mark.parametrize(("head", "v"), [(0.0, 20.0), (0.7, 239.0), (0.0, 100.0)])
def test_sky_and_what_is_far_is_refused(head: float, v: float) -> None:
    with pytest.raises(NoFloor, match="choose a"):
        floor_point(CAMERA, head, 160.0, v)


@pytest.mark.parametrize(("distance", "height"), [(0.25, 0.0), (1.0, 0.0), (0.5, 0.2)])
def test_the_head_brings_a_point_into_the_middle_row(distance: float, height: float) -> None:
    head = head_towards(distance, height)
    assert seen_at(head, distance, 0.0, height)[1] == pytest.approx(CAMERA.cy, abs=0.01)
