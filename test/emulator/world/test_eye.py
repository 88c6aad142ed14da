"""Pictures of the world: where things are in them, what hides what, light and colours."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from cv2 import aruco
from PIL import Image

from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.joints import lift_angle
from cozmo_driver.emulator.world import textures
from cozmo_driver.emulator.world.eye import Eye, Shutter
from cozmo_driver.emulator.world.optics import Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.media import mini_jpeg
from cozmo_driver.media.mini_jpeg import IMAGE_HEIGHT, IMAGE_WIDTH
from cozmo_driver.media.printed_markers import SIDE_AXES

from .worlds import pixel, world

PLAIN = {"floor": [{"rectangle": [-0.6, -0.3, 0.6, 0.3], "pattern": "plain", "gray": 100}]}
QUIET = Shutter(noise=0.0)
Picture = npt.NDArray[np.uint8]


def look(stance: Stance, shutter: Shutter = QUIET, **things: object) -> Picture:
    """Return the gray picture of a plain floor with some things."""
    return eye(stance, **things).gray(shutter)


def eye(stance: Stance, clock: Callable[[], float] = lambda: 0.0, **things: object) -> Eye:
    return Eye(world(PLAIN, **things), standing(stance), lambda _: stance, clock=clock)


def standing(stance: Stance) -> Occupant:
    return Occupant(lambda: stance.pose, lambda: True)


@pytest.mark.parametrize(
    ("head", "place", "elevation"),
    [(0.0, (4.5, 41.0), -4.0), (0.7767, (5.1, 55.6), 40.5), (-0.4363, (-0.5, 34.4), -29.0)],
)
def test_the_camera_is_where_the_specification_has_it(
    head: float, place: tuple[float, float], elevation: float
) -> None:
    view = Stance(Pose2D(), head).view()
    assert (view.place[0], view.place[2]) == pytest.approx(place, abs=0.06)
    assert math.degrees(math.asin(view.axes[2, 2])) == pytest.approx(elevation, abs=0.05)
    assert np.allclose(view.axes.T @ view.axes, np.eye(3))


@pytest.mark.parametrize("pose", [Pose2D(), Pose2D(50.0, 20.0, 0.15), Pose2D(0.0, -30.0, -0.1)])
@pytest.mark.parametrize("head", [0.0, -0.2, 0.1])
def test_a_box_is_where_the_pinhole_puts_its_corners(pose: Pose2D, head: float) -> None:
    stance = Stance(pose, head)
    box = {"x": 0.35, "y": 0.0, "size": [0.1, 0.08, 0.05], "gray": 5}
    with_box = look(stance, boxes=[box]).astype(int)
    changed = np.abs(with_box - look(stance).astype(int)) > 15
    front = [pixel(stance.view(), 300.0, y, z) for y in (40.0, -40.0) for z in (50.0, 0.0)]
    rows, columns = np.nonzero(changed)
    assert columns.min() == pytest.approx(min(c for c, _ in front), abs=1.5)
    assert rows.max() == pytest.approx(max(r for _, r in front), abs=1.5)


def center_of(stance: Stance, picture: Picture, x: float, y: float, z: float) -> float:
    """Return the gray of a point of the world in a picture."""
    column, row = pixel(stance.view(), x, y, z)
    return float(picture[round(row), round(column)])


@pytest.mark.parametrize(
    ("turn", "side", "quarters"),
    [
        ({}, "front", 0),
        ({"yaw": 180}, "back", 0),
        ({"yaw": 90}, "left", 0),
        ({"yaw": -90}, "right", 0),
        ({"pitch": 90}, "bottom", 0),
        ({"pitch": -90}, "top", 0),
        ({"roll": 90}, "front", 3),
    ],
)
def test_a_cube_in_any_attitude_shows_the_side_that_it_turns_to_the_camera(
    turn: dict[str, float], side: str, quarters: int
) -> None:
    """``quarters`` are turns of the drawing against the clock."""
    stance, sign = Stance(Pose2D()), range(14, 52)
    facing = look(stance, cubes=[{"number": 2, "x": 0.2, "y": 0.0} | turn])
    seen = [
        center_of(stance, facing, 178.0, 22.0 - (c + 0.5) / 1.5, 44.0 - (r + 0.5) / 1.5)
        for r in sign
        for c in sign
    ]
    likeness = {}
    for name, k in product(SIDE_AXES, range(4)):
        drawn = textures.cube_side(2, name)[2]
        assert drawn.shape == (66, 66)
        part = np.rot90(drawn, k)[14:52, 14:52]
        likeness[name, k] = float(np.corrcoef(part.ravel(), seen)[0, 1])
    assert likeness[side, quarters] > 0.85
    assert max(likeness, key=likeness.__getitem__) == (side, quarters)


def test_lit_corners_shine_and_light_in_the_dark() -> None:
    stance, dark = Stance(Pose2D()), Shutter(light=0.0, noise=0.0)
    shared = world(PLAIN, cubes=[{"number": 1, "x": 0.15, "y": 0.0}])
    colors = ((0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    robot = Occupant(lambda: stance.pose, lambda: True, cube_colors=lambda _: colors)
    shared.occupants.append(robot)
    view = Eye(shared, robot, lambda _: stance)
    lit = view.gray(dark)
    assert center_of(stance, lit, 132.0, 18.0, 40.0) > 150
    # That corner is off, and the ones behind are hidden.
    assert center_of(stance, lit, 132.0, -18.0, 40.0) == 0
    column, row = pixel(stance.view(), 132.0, 18.0, 40.0)
    red, green, blue = view.color(dark)[round(row), round(column / 2)]
    assert green > 150 > 3 * max(red, blue)


def test_tags_and_pictures_are_on_the_side_that_they_are_given_for(tmp_path: Path) -> None:
    stance = Stance(Pose2D())
    dictionary = aruco.getPredefinedDictionary(aruco.DICT_APRILTAG_36h11)
    box = {"x": 0.22, "y": 0.03, "size": [0.04, 0.06, 0.06]}
    cube = {"number": 1, "x": 0.2, "y": -0.05, "yaw": 90}
    seen = look(
        stance,
        boxes=[box | {"tags": [{"tag": "36h11:5", "size": 0.04}]}],
        cubes=[cube | {"tags": [{"tag": "36h11:7", "side": "left"}]}],
    )
    corners, ids, _ = aruco.ArucoDetector(dictionary).detectMarkers(seen)
    found = {int(number): corner[0] for number, corner in zip(ids.ravel(), corners, strict=True)}
    assert set(found) == {5, 7}
    # Upper left and lower right corner of the box's tag, as seen.
    assert found[5][0] == pytest.approx(pixel(stance.view(), 200.0, 50.0, 50.0), abs=0.7)
    assert found[5][2] == pytest.approx(pixel(stance.view(), 200.0, 10.0, 10.0), abs=0.7)
    file = tmp_path / "white.png"
    Image.fromarray(np.full((40, 80), 255, np.uint8)).save(file)
    board = {"file": str(file), "x": 0.3, "y": 0.0, "width": 0.1, "z": 0.02}
    picture = look(stance, pictures=[board])
    assert center_of(stance, picture, 300.0, 45.0, 65.0) > 190
    assert center_of(stance, picture, 300.0, 0.0, 10.0) < 110


def test_a_moving_thing_is_where_its_path_has_it_and_hides_what_is_behind() -> None:
    stance, time = Stance(Pose2D()), [0.0]
    ball = {"path": [[0.3, 0.05, 0.05], [0.3, -0.05, 0.05]], "speed": 0.1, "gray": 20}
    view = eye(stance, lambda: time[0], moving=[ball])
    empty = look(stance).astype(int)
    for time[0], y in ((0.0, 50.0), (0.5, 0.0), (1.0, -50.0), (1.5, 0.0), (2.0, 50.0)):
        rows, columns = np.nonzero(np.abs(view.gray(QUIET) - empty) > 12)
        column, row = pixel(stance.view(), 300.0, y, 50.0)
        assert (columns.mean(), rows.mean()) == pytest.approx((column, row), abs=2.0)


def test_a_turning_robot_s_pictures_lean_with_a_rolling_shutter_and_smear_with_blur() -> None:
    def turning(time: float) -> Stance:
        return Stance(Pose2D(angle=1.0 * time))

    robot = Occupant(lambda: Pose2D(), lambda: True)
    post = [{"x": 0.4, "y": 0.0, "size": [0.02, 0.02, 0.3], "gray": 10}]
    view = Eye(world(PLAIN, boxes=post), robot, turning)

    def edge(picture: Picture, row: int) -> int:
        """Return the first dark column."""
        return int(np.argmax(picture[row] < 60))

    def sharpness(picture: Picture) -> int:
        return int(np.abs(np.diff(picture[100].astype(int))).max())

    still = view.gray(QUIET)
    leaning = view.gray(Shutter(noise=0.0, readout=0.045))
    shift = edge(leaning, 110) - edge(still, 110)
    assert edge(leaning, 0) == edge(still, 0)
    assert shift == pytest.approx(295.0 * 0.045 * 110 / 239, abs=1.1)
    assert sharpness(view.gray(Shutter(noise=0.0, exposure=0.03))) < sharpness(still) / 2


def test_another_robot_is_seen_and_one_in_the_hand_is_not() -> None:
    stance, held = Stance(Pose2D()), [False]
    shared = world(PLAIN)
    own = standing(stance)
    other = Occupant(lambda: Pose2D(300.0, 0.0, math.pi), lambda: not held[0])
    shared.occupants.append(own)
    empty = Eye(shared, own, lambda _: stance).gray(QUIET)
    shared.occupants.append(other)
    view = Eye(shared, own, lambda _: stance)
    assert not np.array_equal(view.gray(QUIET), empty)
    held[0] = True
    assert np.array_equal(view.gray(QUIET), empty)


def test_the_lift_hides_the_view_on_its_way_up_only() -> None:
    def lifted(height: float) -> Picture:
        return look(Stance(Pose2D(), 0.0, lift_angle(height)))

    low, middle, high = lifted(32.0), lifted(65.0), lifted(92.0)
    assert np.array_equal(low, high)
    assert (low != middle)[IMAGE_HEIGHT // 2].mean() > 0.9


def test_flickering_light_makes_bands_that_move() -> None:
    stance, time = Stance(Pose2D()), [0.0]
    view = eye(stance, lambda: time[0], flicker=0.4)
    steady = look(stance).astype(float)
    shares = []
    for time[0] in (0.0, 0.0066):
        rows = (view.gray(QUIET) / np.maximum(steady, 1.0)).mean(axis=1)
        assert (rows.min(), rows.max()) == pytest.approx((0.6, 1.4), abs=0.03)
        shares.append(rows)
    assert np.abs(shares[0] - shares[1]).max() > 0.3


def test_a_flat_part_of_a_compressed_picture_is_as_noisy_as_real_ones() -> None:
    """About 5 levels; rows of column 0 differ 1.4 to 5 times as much as those of column 5."""
    view = eye(Stance(Pose2D(), 0.5))
    clean, noise, steps = view.gray(QUIET)[40:200].astype(float), [], []
    for _ in range(6):
        sent = mini_jpeg.picture(mini_jpeg.to_jpeg(mini_jpeg.from_gray(view.gray(Shutter()))))
        flat = sent[40:200].astype(float)
        noise.append(np.std((flat - clean)[:, 8:]))
        steps.append([np.abs(np.diff(flat[:, column])).mean() for column in (0, 5)])
    assert np.mean(noise) == pytest.approx(5.0, abs=1.0)
    first, fifth = np.mean(steps, axis=0)
    assert 1.4 < first / fifth < 5.0


def test_colours_are_those_of_the_things() -> None:
    boxes = [
        {"x": 0.3, "y": 0.08, "size": [0.02, 0.06, 0.2], "tint": "red"},
        {"x": 0.3, "y": -0.08, "size": [0.02, 0.06, 0.2], "tint": "blue"},
    ]
    picture = eye(Stance(Pose2D()), boxes=boxes).color(QUIET)
    assert picture.shape == (IMAGE_HEIGHT, IMAGE_WIDTH // 2, 3)
    red = picture[60, round(pixel(Stance(Pose2D()).view(), 290.0, 80.0, 60.0)[0] / 2)].astype(int)
    blue = picture[60, round(pixel(Stance(Pose2D()).view(), 290.0, -80.0, 60.0)[0] / 2)].astype(int)
    assert red[0] > red[2] + 40
    assert blue[2] > blue[0] + 40


@pytest.mark.parametrize(
    "stance",
    [
        Stance(Pose2D(), pitch=math.radians(74.5)),
        Stance(Pose2D(), pitch=math.radians(-86.0)),
        Stance(Pose2D(), roll=math.radians(90.0)),
        Stance(Pose2D(), 0.7, is_held=True),
        Stance(Pose2D(5000.0, 5000.0, 1.0)),
        Stance(Pose2D(277.9, 0.0)),
    ],
)
def test_every_stance_gives_a_picture(stance: Stance) -> None:
    things = {"cubes": [{"number": 1, "x": 0.3, "y": 0.0}], "charger": {"x": -0.5, "y": 0.0}}
    assert look(stance, **things).shape == (IMAGE_HEIGHT, IMAGE_WIDTH)
    assert eye(stance, **things).color(Shutter()).shape == (IMAGE_HEIGHT, IMAGE_WIDTH // 2, 3)


def test_exposure_and_the_lamp_make_pictures_lighter() -> None:
    usual, darker, lit = (
        eye(Stance(Pose2D())).gray(Shutter(brightness, has_lamp=has_lamp, noise=0.0)).mean()
        for brightness, has_lamp in ((1.0, False), (0.5, False), (0.5, True))
    )
    assert darker == pytest.approx(usual / 2, rel=0.05)
    assert lit > darker + 5
