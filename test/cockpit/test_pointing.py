"""Pixels and places on the floor, against the geometry that the emulator's camera draws with."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.cockpit.pointing import Lens, NoFloor, Pose, floor_point, head_towards
from cozmo_driver.emulator.body import Pose2D
from cozmo_driver.emulator.hardware import DRIVE_CENTER_OFFSET
from cozmo_driver.emulator.variation import Lens as EmulatorLens
from cozmo_driver.emulator.variation import Optics
from cozmo_driver.emulator.world.optics import Stance
from cozmo_driver.perception.world.frames import Mount

AS_MEANT = Optics()
_OF_EMULATOR = EmulatorLens()
LENS = Lens(_OF_EMULATOR.fx, _OF_EMULATOR.fy, _OF_EMULATOR.cx, _OF_EMULATOR.cy)


def seen_at(
    head: float, ahead: float, left: float, height: float = 0.0, optics: Optics = AS_MEANT
) -> tuple[float, float]:
    """Return the pixel at which the emulator shows a point, given in m of ``base_link``."""
    view = Stance(Pose2D(), head, optics=optics).view()
    point = (1000 * ahead + DRIVE_CENTER_OFFSET, 1000 * left, 1000 * height)
    right, down, depth = view.axes.T @ (point - view.place)
    assert depth > 0
    return LENS.cx + LENS.fx * right / depth, LENS.cy + LENS.fy * down / depth


@pytest.mark.parametrize("head", [-0.4, 0.0, 0.2])
@pytest.mark.parametrize(("ahead", "left"), [(0.2, 0.0), (0.35, -0.1), (1.5, 0.4)])
def test_a_pixel_is_where_the_emulator_shows_the_place(
    head: float, ahead: float, left: float
) -> None:
    pixel = seen_at(head, ahead, left)
    assert floor_point(LENS, head, *pixel) == pytest.approx((ahead, left), abs=1e-6)


def test_a_camera_that_looks_astray_shows_the_place_beside() -> None:
    astray = Optics(down=0.03, roll=-0.02, left=0.025)
    pixel = seen_at(-0.2, 0.3, -0.05, optics=astray)
    assert math.dist(floor_point(LENS, -0.2, *pixel), (0.3, -0.05)) > 0.03
    found = floor_point(LENS, -0.2, *pixel, Mount(-0.03, -0.02, 0.025))
    assert found == pytest.approx((0.3, -0.05), abs=2e-3)


def test_a_distorted_lens_sees_the_same_place() -> None:
    x, y = 0.3, 0.25
    k1, k2, p1, p2, k3 = distortion = (-0.2, 0.05, 0.002, -0.001, 0.01)
    r2 = x * x + y * y
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    lens = Lens(290.0, 291.0, 160.0, 120.0, distortion)
    assert lens.ray(160 + 290 * u, 120 + 291 * v) == pytest.approx((x, y), abs=1e-6)


@pytest.mark.parametrize(("head", "v"), [(0.0, 20.0), (0.7, 239.0), (0.0, 100.0)])
def test_sky_and_what_is_far_is_refused(head: float, v: float) -> None:
    with pytest.raises(NoFloor, match="choose a"):
        floor_point(LENS, head, 160.0, v)


@pytest.mark.parametrize(("distance", "height"), [(0.25, 0.0), (1.0, 0.0), (0.5, 0.2)])
def test_the_head_brings_a_point_into_the_middle_row(distance: float, height: float) -> None:
    head = head_towards(distance, height)
    assert seen_at(head, distance, 0.0, height)[1] == pytest.approx(LENS.cy, abs=0.01)


def test_a_place_is_turned_with_the_robot() -> None:
    assert Pose(1.0, 2.0, math.pi / 2).place(0.5, 0.1) == pytest.approx((0.9, 2.5))
