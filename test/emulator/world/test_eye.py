"""Pictures of the world: where things are in them, what hides what, light and colours."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from cozmo_driver.emulator import EmulatorOptions, Pose2D
from cozmo_driver.emulator.joints import lift_angle
from cozmo_driver.emulator.world import surfaces
from cozmo_driver.emulator.world.renderer import Eye, Lens, Shutter, Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.media import mini_jpeg
from cozmo_driver.media.mini_jpeg import HEIGHT, WIDTH
from cozmo_driver.protocol.messages import (
    DriveWheels,
    EnableColorImages,
    ImageChunk,
    ImageRequest,
    SetCameraParams,
    SetHeadlight,
    SetLiftHeight,
)

from ..bench import Bench
from .worlds import world

PLAIN = {"floor": [{"rectangle": [-0.6, -0.3, 0.6, 0.3], "pattern": "plain", "gray": 100}]}
QUIET = Shutter(noise=0.0)
Picture = npt.NDArray[np.uint8]


def look(stance: Stance, shutter: Shutter = QUIET, **things: object) -> Picture:
    """Return the gray picture of a plain floor with some things."""
    return eye(stance, **things).gray(shutter)


def eye(stance: Stance, **things: object) -> Eye:
    robot = Occupant(lambda: stance.pose, lambda: True)
    return Eye(world(PLAIN, **things), robot, lambda: stance)


def pixel(stance: Stance, x: float, y: float, z: float) -> tuple[float, float]:
    """Return column and row of a point of the world, by the pinhole itself."""
    view, lens = stance.view(), Lens()
    right, down, ahead = view.axes.T @ (np.array([x, y, z]) - view.place)
    assert ahead > 0
    return lens.cx + lens.fx * right / ahead, lens.cy + lens.fy * down / ahead


@pytest.mark.parametrize(
    ("head", "place", "elevation"),
    [
        (0.0, (4.5, 41.0), -4.0),
        (0.7767, (5.1, 55.6), 40.5),
        (-0.4363, (-0.5, 34.4), -29.0),
    ],
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
    front = [pixel(stance, 300.0, y, z) for y in (40.0, -40.0) for z in (50.0, 0.0)]
    rows, columns = np.nonzero(changed)
    assert columns.min() == pytest.approx(min(c for c, _ in front), abs=1.5)
    assert rows.max() == pytest.approx(max(r for _, r in front), abs=1.5)


def test_an_edge_of_the_floor_is_at_its_row() -> None:
    stance = Stance(Pose2D(500.0, 0.0), -0.3)
    middle = look(stance)[:, 160].astype(int)
    _, row = pixel(stance, 600.0, 0.0, 0.0)
    # Beyond the edge there is the darker ground below.
    assert middle[round(row) + 3] == pytest.approx(100, abs=6)
    assert middle[round(row) - 3] < 85


def test_a_nearer_thing_hides_what_is_behind_it() -> None:
    stance = Stance(Pose2D())
    cube = {"number": 1, "x": 0.4, "y": 0.0}
    box = {"x": 0.2, "y": 0.0, "size": [0.02, 0.2, 0.2]}
    hidden = look(stance, boxes=[box], cubes=[cube])
    assert np.array_equal(hidden, look(stance, boxes=[box]))
    behind = look(stance, boxes=[box | {"x": 0.6}], cubes=[cube])
    assert not np.array_equal(behind, look(stance, boxes=[box | {"x": 0.6}]))


def test_a_cube_grows_as_the_robot_comes_near_by_the_rule_of_the_pinhole() -> None:
    widths = []
    for distance in (400.0, 200.0):
        stance = Stance(Pose2D(300.0 - 22.0 - distance - 4.5))
        picture = look(stance, cubes=[{"number": 1, "x": 0.3, "y": 0.0}]).astype(int)
        without = look(stance).astype(int)
        columns = np.nonzero((np.abs(picture - without) > 15).any(axis=0))[0]
        widths.append(np.ptp(columns) + 1)
    assert widths[0] == pytest.approx(44.0 / 400.0 * 294.7, abs=2)
    assert widths[1] == pytest.approx(44.0 / 200.0 * 294.7, abs=2)


def test_each_side_of_a_cube_has_its_own_sign() -> None:
    def side(yaw: float) -> Picture:
        cube = {"number": 2, "x": 0.2, "y": 0.0, "yaw": yaw}
        return look(Stance(Pose2D()), cubes=[cube])

    seen = [side(yaw) for yaw in (0.0, 90.0, 180.0, 270.0)]
    assert all(np.abs(a.astype(int) - b).max() > 50 for a, b in combinations(seen, 2))
    # A robot ahead of the cube sees its front where both look at each other.
    front = surfaces.cube_face(2, "front")
    facing = side(180.0)
    alike = []
    for row, column in np.ndindex(front.shape):
        y, z = 22.0 - (column + 0.5) / 2, 44.0 - (row + 0.5) / 2
        across, down = pixel(Stance(Pose2D()), 178.0, y, z)
        alike.append((facing[round(down), round(across)], front[row, column]))
    assert np.corrcoef(np.array(alike, float).T)[0, 1] > 0.85


def test_no_two_signs_are_alike_however_they_are_turned() -> None:
    signs = [
        surfaces.cube_face(number, face)[19:69, 19:69]
        for number in (1, 2, 3)
        for face in surfaces.FACE_CODES
    ]
    turned = [[np.rot90(sign, times).tobytes() for times in range(4)] for sign in signs]
    assert len({key for turns in turned for key in turns}) == 4 * len(signs)


def test_the_charger_shows_its_sign_to_the_entrance() -> None:
    charger = {"x": 0.2, "y": 0.0, "yaw": 0.0}
    ahead = look(Stance(Pose2D()), charger=charger).astype(int)
    column, row = pixel(Stance(Pose2D()), 286.0, 12.0, 22.0)
    assert ahead[round(row), round(column)] > 150
    behind = look(Stance(Pose2D(500.0, 0.0, math.pi)), charger=charger)
    column, row = pixel(Stance(Pose2D(500.0, 0.0, math.pi)), 296.0, 0.0, 15.0)
    assert (
        np.ptp(behind[round(row) - 3 : round(row) + 3, round(column) - 15 : round(column) + 15])
        == 0
    )


def test_another_robot_is_seen_and_one_in_the_hand_is_not() -> None:
    stance, held = Stance(Pose2D()), [False]
    shared = world(PLAIN)
    own = Occupant(lambda: stance.pose, lambda: True)
    other = Occupant(lambda: Pose2D(300.0, 0.0, math.pi), lambda: not held[0])
    shared.occupants.append(own)
    empty = Eye(shared, own, lambda: stance).gray(QUIET)
    shared.occupants.append(other)
    view = Eye(shared, own, lambda: stance)
    assert not np.array_equal(view.gray(QUIET), empty)
    held[0] = True
    assert np.array_equal(view.gray(QUIET), empty)


def test_the_lift_hides_the_view_on_its_way_up_only() -> None:
    def lifted(height: float) -> Picture:
        return look(Stance(Pose2D(), 0.0, lift_angle(height)))

    low, middle, high = lifted(32.0), lifted(65.0), lifted(92.0)
    assert np.array_equal(low, high)
    assert (low != middle)[HEIGHT // 2].mean() > 0.9


def test_exposure_gain_and_light_make_it_brighter_until_white() -> None:
    stance = Stance(Pose2D())
    usual = look(stance).astype(float)
    assert look(stance, Shutter(0.5, noise=0.0)).mean() == pytest.approx(usual.mean() / 2, abs=1)
    assert look(stance, Shutter(light=0.5, noise=0.0)).mean() == pytest.approx(
        usual.mean() / 2, abs=1
    )
    assert look(stance, Shutter(8.0, noise=0.0)).min() == 255


def test_in_the_dark_the_lamp_shows_what_is_near() -> None:
    cube = [{"number": 1, "x": 0.15, "y": 0.0}]
    dark = look(Stance(Pose2D()), Shutter(light=0.0, noise=0.0), cubes=cube)
    lit = look(Stance(Pose2D()), Shutter(light=0.0, has_lamp=True, noise=0.0), cubes=cube)
    assert dark.max() == 0
    assert lit.max() > 150
    assert lit[:5].max() == 0


def test_noise_grows_with_the_gain_and_the_leftmost_column_is_nothing_else() -> None:
    view = eye(Stance(Pose2D()))
    clean = view.gray(QUIET).astype(float)
    spread = [
        np.std(view.gray(Shutter(noise=noise)).astype(float)[200:, 1:] - clean[200:, 1:])
        for noise in (1.0, 2.0)
    ]
    assert spread[1] == pytest.approx(2 * spread[0], rel=0.15)
    assert np.std(view.gray(Shutter())[:, 0]) > 50


def test_colours_are_those_of_the_things() -> None:
    boxes = [
        {"x": 0.3, "y": 0.08, "size": [0.02, 0.06, 0.2], "tint": "red"},
        {"x": 0.3, "y": -0.08, "size": [0.02, 0.06, 0.2], "tint": "blue"},
    ]
    picture = eye(Stance(Pose2D()), boxes=boxes).color(QUIET)
    assert picture.shape == (HEIGHT, WIDTH // 2, 3)
    red = picture[60, round(pixel(Stance(Pose2D()), 290.0, 80.0, 60.0)[0] / 2)].astype(int)
    blue = picture[60, round(pixel(Stance(Pose2D()), 290.0, -80.0, 60.0)[0] / 2)].astype(int)
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
    assert look(stance, **things).shape == (HEIGHT, WIDTH)
    assert eye(stance, **things).color(Shutter()).shape == (HEIGHT, WIDTH // 2, 3)


# -- through the robot


def pictures(bench: Bench, *messages: object) -> list[Picture]:
    """Return the pictures of a second, taken after some messages had their effect."""
    bench.send(*messages)
    bench.run(0.7)
    bench.forget()
    bench.run(1.0)
    chunks: dict[int, list[bytes]] = {}
    whole = []
    for chunk in bench.got(ImageChunk):
        chunks.setdefault(chunk.image_id, []).append(chunk.data)
        if chunk.image_chunk_count == len(chunks[chunk.image_id]):
            whole.append(mini_jpeg.picture(mini_jpeg.to_jpeg(b"".join(chunks[chunk.image_id]))))
    return whole


@pytest.fixture
def filming() -> Callable[..., list[Picture]]:
    things = {"cubes": [{"number": 1, "x": 0.2, "y": 0.0}], "charger": {"x": -0.5, "y": 0.0}}
    options = EmulatorOptions(noise=False, calibration_time=0.0, torn_images=0)
    bench = Bench(options, world(PLAIN, **things))
    bench.start()
    pictures(bench, ImageRequest())
    return lambda *messages: pictures(bench, *messages)


def test_a_robot_in_a_world_films_it_15_times_a_second(filming) -> None:
    taken = filming()
    assert 13 <= len(taken) <= 15
    assert np.abs(taken[0].astype(int) - taken[-1]).max() == 0
    moving = filming(DriveWheels(0, 60))
    assert (np.abs(moving[0].astype(int) - moving[-1]) > 10).mean() > 0.01


def test_exposure_lamp_lift_and_colour_are_obeyed(filming) -> None:
    usual = filming()[-1].astype(float)
    darker = filming(SetCameraParams(2.0, 8, False))[-1]
    assert darker.mean() == pytest.approx(usual.mean() / 2, rel=0.05)
    lit = filming(SetHeadlight(True))[-1]
    assert lit.mean() > darker.mean() + 5
    lifted = filming(SetHeadlight(False), SetLiftHeight(65.0, 10.0, 20.0, 0.0, 1))[-1]
    assert (np.abs(lifted.astype(float) - darker) > 10).mean() > 0.1
    (*_, colored) = filming(EnableColorImages(True))
    assert colored.shape == (HEIGHT, WIDTH // 2, 3)


def test_the_same_seed_gives_the_same_film() -> None:
    def film(seed: int) -> list[bytes]:
        bench = Bench(EmulatorOptions(seed=seed, calibration_time=0.0), world(PLAIN, noise=True))
        bench.start()
        bench.send(ImageRequest(), DriveWheels(40, 60))
        bench.run(1.0)
        return [chunk.data for chunk in bench.got(ImageChunk)]

    assert film(1) == film(1)
    assert film(1) != film(2)
