"""Units, poses, lights and pictures as programs of the SDK know them (spec 21 §7)."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.compat import sdk as cozmo
from cozmo_driver.compat.sdk.robot_direct import DirectControl
from cozmo_driver.compat.sdk.robot_state import RobotStateReader
from cozmo_driver.compat.sdk.util import Angle, Pose, degrees, distance_inches, distance_mm, radians
from cozmo_driver.perception import CUBE_EDGE, Kind, LocatedObject, PoseState, rotation
from cozmo_driver.robot import Pose2D
from cozmo_driver.robot.paths.maneuvers import RAMP_LENGTH
from cozmo_driver.virtual_time import run_in_virtual_time


def test_an_angle_has_both_units_and_takes_one() -> None:
    assert degrees(180).radians == pytest.approx(math.pi)
    assert radians(math.pi).degrees == pytest.approx(180)
    assert Angle(radians=0, degrees=5).degrees == pytest.approx(5)
    with pytest.raises(ValueError, match="not both"):
        Angle(radians=1, degrees=1)


def test_angles_add_scale_and_compare_with_their_like_only() -> None:
    assert (degrees(90) + degrees(10) - degrees(5)).degrees == pytest.approx(95)
    assert (degrees(90) * 2 / 3).degrees == pytest.approx(60)
    assert degrees(-5) < degrees(5) <= degrees(5)
    assert abs(degrees(-5)) == degrees(5)
    with pytest.raises(TypeError):
        degrees(90) + 5
    with pytest.raises(TypeError):
        assert degrees(90) < 5


def test_an_inch_is_25_4_mm() -> None:
    assert (distance_inches(2) + distance_mm(1)).distance_mm == pytest.approx(51.8)
    assert (-distance_mm(3)).distance_mm == -3


def test_a_pose_relative_to_another_is_turned_by_it() -> None:
    here = Pose(100, 0, 0, angle_z=degrees(90), origin_id=2)
    there = here.define_pose_relative_this(Pose(10, 5, 0, angle_z=degrees(45)))

    assert there.position.x_y_z == pytest.approx((95, 10, 0))
    assert there.rotation.angle_z.degrees == pytest.approx(135)
    assert there.origin_id == 2


def test_sums_of_poses_add_places_and_headings_in_origin_0() -> None:
    total = Pose(1, 2, 3, angle_z=degrees(30), origin_id=4) + Pose(1, 1, 1, angle_z=degrees(60))

    assert total.position.x_y_z == (2, 3, 4)
    assert total.rotation.angle_z.degrees == pytest.approx(90)
    assert total.origin_id == 0


def test_an_invalid_pose_compares_with_none() -> None:
    pose = cozmo.util.pose_z_angle(0, 0, 0, degrees(0), origin_id=1)
    assert pose.is_comparable(pose)
    pose.invalidate()
    assert not pose.is_valid
    assert not pose.is_comparable(pose)


@pytest.mark.parametrize("heading", range(-180, 180, 15))
def test_a_cube_that_lies_on_its_top_is_turned_as_it_is_seen(heading: int) -> None:
    turn = np.eye(4)
    turn[:3, :3] = rotation((0.0, 0.0, math.radians(heading))) @ rotation((math.pi, 0.0, 0.0))
    state, edges = PoseState.KNOWN, (CUBE_EDGE,) * 3
    robot = RobotStateReader()
    robot._base = Pose2D()
    pose = robot._pose_of(
        LocatedObject("cube_1", Kind.CUBE, state, turn, edges, None, 0.0, True, False, None)
    )

    assert pose is not None
    assert np.allclose(pose.to_matrix().in_row_order_2d, turn, atol=1e-9)


def test_a_heading_counts_where_parts_of_a_quaternion_are_missing() -> None:
    pose = Pose(0, 0, 0, q0=1, angle_z=degrees(30))
    assert pose.rotation.angle_z.degrees == pytest.approx(30)
    with pytest.raises(ValueError, match="not both"):
        Pose(0, 0, 0, 1, 0, 0, 0, angle_z=degrees(30))


def test_light_of_a_color_alone_is_dark_in_its_pauses() -> None:
    light = cozmo.lights.Light(cozmo.lights.red)
    assert light.off_color == cozmo.lights.off
    assert cozmo.lights.red_light.off_color == cozmo.lights.red
    assert cozmo.lights.red_light.flash().off_period_ms == 250
    with pytest.raises(TypeError):
        cozmo.lights.Light("red")  # type: ignore[arg-type]


def test_a_picture_of_the_face_is_1024_bytes_with_the_left_pixel_highest() -> None:
    picture = Image.new("L", cozmo.oled_face.dimensions(), 0)
    picture.putpixel((0, 0), 255)
    data = cozmo.oled_face.convert_image_to_screen_data(picture)
    inverted = cozmo.oled_face.convert_image_to_screen_data(picture, invert_image=True)

    assert len(data) == 1024
    assert (data[0], data[16], data[32]) == (0x80, 0x80, 0)
    assert np.array_equal(np.frombuffer(data, np.uint8) ^ 0xFF, np.frombuffer(inverted, np.uint8))
    with pytest.raises(ValueError, match="100x32"):
        cozmo.oled_face.convert_image_to_screen_data(Image.new("L", (100, 32)))


def test_python_s_timeouts_are_one() -> None:
    import asyncio
    import concurrent.futures

    for kind in (TimeoutError, asyncio.TimeoutError, concurrent.futures.TimeoutError):
        assert issubclass(cozmo.exceptions.TimedOut, kind)


def test_the_way_back_onto_the_charger_is_longer_than_the_way_off() -> None:
    ways: list[float] = []

    class Lost(DirectControl):
        is_on_charger = False

        def drive_wheel_motors(self, left: float, *_: object) -> None:
            self.speed, self.begun = left, asyncio.get_running_loop().time()

        def stop_all_motors(self) -> None:
            ways.append(-self.speed * (asyncio.get_running_loop().time() - self.begun))

    run_in_virtual_time(Lost().backup_onto_charger())

    assert ways[0] > 1000 * RAMP_LENGTH + 10
