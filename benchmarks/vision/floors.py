"""Where the floor ahead ends: what is seen of it in the emulator's worlds, and the truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from cozmo_driver.emulator import EmulatorOptions, Firmware, Identity, Pose2D
from cozmo_driver.emulator.variation import Variation
from cozmo_driver.emulator.world import Layout, World, find_world, load_layout
from cozmo_driver.emulator.world.layout import Pattern, robot_shape
from cozmo_driver.emulator.world.optics import Stance
from cozmo_driver.emulator.world.renderer import Renderer
from cozmo_driver.media import mini_jpeg
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.ground import FARTHEST, GroundEdges, ground_edges
from cozmo_driver.perception.world.camera_tracker import SURE
from cozmo_driver.perception.world.frames import (
    AS_DRAWN,
    ORIGIN_X,
    Matrix,
    Mount,
    camera_pose,
    inverse,
    pose,
)
from cozmo_driver.perception.world.mounting import PRIOR
from cozmo_driver.perception.world.visibility import own_outlines
from cozmo_driver.robot import AutoExposure, CameraLimits, Exposure

Floats = npt.NDArray[np.float64]
Gray = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

WORLDS = ("table", "room", "maze")
_LIGHT = (0.3, 1.3)
"""Of the usual light: a camera at its longest exposure needs a quarter of it."""
_SPEED, _TURN, _READOUT = 100.0, 0.35, 0.045
"""mm/s and rad/s up to which a robot drives, and s in which a picture is read."""
_EXPOSURES = 12
_LEARNT = (0.003, 0.003, 0.004)
"""rad, standard deviations of what is known at best of how a camera is mounted."""
_HEADS, _LIFT = (-0.3, 0.0), math.asin((32.0 - 45.0) / 66.0)
"""rad."""
_AWAY, _ASIDE = (90.0, 330.0), 0.4
"""mm and rad: how the robot is put before the things of a world."""
_SAME = 0.002
"""Share by which the depth of a pixel differs from the floor's where something else is seen: less
than from one row to the next."""
_OFF = 0.010
"""m by which an edge may be off, and a clear floor may reach beyond what ends it, or two rows."""
_NEAR, _FAR = 0.10, 0.25
"""m: edges that are judged; nearer ones are at the picture's rim, of farther ones a row is 5 mm."""
_INVENTED = 0.35
"""m; farther away an edge that is seen may be a true one just out of reach."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A robot before something in a world: what it sees, what it believes, and the truth."""

    picture: Gray
    camera: Camera
    """The lens that the robot says it has."""
    pose: Matrix
    """Of the optical frame, as it is believed to be."""
    hidden: list[Floats]
    """Outlines of the lift."""
    doubt: float
    """rad by which the camera may look lower."""
    ends: Floats
    """m at which the floor truly ends in each column; NaN where it does not."""
    two_rows: Floats
    """m of floor in two rows from there on."""

    def edges(self, picture: Gray | None = None) -> GroundEdges:
        """Return what is found in the picture, or in the same one in another light."""
        gray = self.picture if picture is None else picture
        return ground_edges(gray, self.camera, self.pose, self.hidden, doubt=self.doubt)


def places(name: str, count: int, seed: int, has_pattern: bool = False) -> Iterator[Place]:
    """Yield places of an ideal robot in a world, by default without patterns on its floors.

    Pictures are without noise, in even light.
    """
    random = np.random.default_rng(seed)
    world = World(_layout(name, has_pattern), ideal=True)
    robot = Firmware(EmulatorOptions(ideal=True), 0.0, world)
    for where in _positions(world, count, random):
        _put(robot, where, random)
        picture = robot.camera.preview()
        assert picture is not None
        yield _place(robot, picture, _truth(robot, name), AS_DRAWN, 0.0)


def places_of_robot(
    name: str, serial: int, count: int, has_pattern: bool = False, is_driving: bool = False
) -> Iterator[tuple[Place, Place]]:
    """Yield places of a robot with errors of its own, in a world with light of its own.

    Each as a robot sees it that knows nothing of how its camera is mounted, and as one that learnt
    it. Exposure follows the light.
    """
    random = np.random.default_rng([serial, WORLDS.index(name), has_pattern, is_driving])
    layout = replace(_layout(name, has_pattern), light=float(random.uniform(*_LIGHT)))
    world = World(layout, seed=serial)
    options = EmulatorOptions(seed=serial, identity=Identity(head_serial=serial))
    robot = Firmware(options, 0.0, world)
    exposure = AutoExposure(Exposure(), CameraLimits())
    for where in _positions(world, count, random):
        _put(robot, where, random)
        if is_driving:
            robot.body.speed = random.uniform(0.0, _SPEED)
            robot.body.yaw_rate = random.uniform(-_TURN, _TURN)
        _expose(robot, exposure)
        sent = mini_jpeg.to_jpeg(robot.camera.take_picture())
        seen = robot, mini_jpeg.picture(sent), _truth(robot, name)
        learnt = _learnt(robot.variation, random)
        yield _place(*seen, AS_DRAWN, PRIOR[0]), _place(*seen, learnt, _LEARNT[0])


@dataclass(slots=True)
class Verdicts:
    """Of the columns of many pictures."""

    ended: int = 0
    """Columns whose floor ends within reach."""
    too_far: int = 0
    """Of them: clear beyond its end."""
    near: int = 0
    """Columns whose floor ends 100 to 250 mm ahead, not behind the lift."""
    found: int = 0
    """Of them: an edge seen there, as far as it is known where the camera looks."""
    unknown: int = 0
    """Of them: neither an edge nor clear."""
    open: int = 0
    """Columns whose floor does not end within reach."""
    clear: int = 0
    """Of them: seen to be clear."""
    invented: int = 0
    """Of them: with an edge."""

    def add(self, place: Place, edges: GroundEdges) -> None:
        """Judge what was found in a picture of a place."""
        ends = place.ends
        columns = np.arange(len(ends))
        starts, clear, seen = (
            np.hypot(*one.T) for one in (edges.starts, edges.clear, edges.points)
        )
        inner = (columns > 0) & (columns < columns[-1])
        is_ended = np.isfinite(ends) & inner
        beyond = np.fmax(ends, starts) + np.maximum(_OFF, np.nan_to_num(place.two_rows))
        self.ended += int(is_ended.sum())
        self.too_far += int((is_ended & (clear > beyond)).sum())
        is_near = is_ended & (ends >= _NEAR) & (ends <= _FAR) & (starts <= ends)
        self.near += int(is_near.sum())
        height = place.pose[2, 3]
        off = _OFF + place.doubt * (height**2 + ends**2) / height
        self.found += int((is_near & (np.abs(seen - ends) <= off)).sum())
        self.unknown += int((is_near & np.isnan(clear)).sum())
        is_open = inner & ~is_ended & np.isfinite(edges.starts[:, 0])
        self.open += int(is_open.sum())
        self.clear += int((is_open & np.isnan(seen) & np.isfinite(clear)).sum())
        self.invented += int((is_open & (seen < _INVENTED)).sum())

    @property
    def share_too_far(self) -> float:
        return self.too_far / max(self.ended, 1)

    def __str__(self) -> str:
        """Return the row of a table."""
        shares = (
            (self.too_far, self.ended),
            (self.found, self.near),
            (self.unknown, self.near),
            (self.clear, self.open),
            (self.invented, self.open),
        )
        return " | ".join(f"{100.0 * part / max(whole, 1):.1f}" for part, whole in shares)


def _layout(name: str, has_pattern: bool) -> Layout:
    layout = replace(load_layout(find_world(name)), charger=None)
    return layout if has_pattern else _plain(layout)


def _put(robot: Firmware, where: Pose2D, random: np.random.Generator) -> None:
    robot.joints.head.angle, robot.joints.lift.angle = float(random.uniform(*_HEADS)), _LIFT
    robot.body.carry_to(where)


def _expose(robot: Firmware, exposure: AutoExposure) -> None:
    """Let the exposure follow what is in sight."""
    for number in range(_EXPOSURES):
        robot.camera.gain, robot.camera.exposure_ms = (
            exposure.exposure.gain,
            exposure.exposure.exposure_ms,
        )
        picture = robot.camera.preview()
        assert picture is not None
        if exposure.update(float(picture.mean()), 10.0 * number) is None:
            return


def _learnt(own: Variation, random: np.random.Generator) -> Mount:
    """Return what a robot believes of its camera once it has learnt it."""
    pitch, roll, yaw = random.normal(0.0, _LEARNT)
    optics = own.optics
    return Mount(own.head_zero - optics.down + pitch, optics.roll + roll, optics.left + yaw)


def _place(
    robot: Firmware,
    picture: Gray,
    truth: tuple[Floats, Floats],
    mount: Mount,
    deviation: float,
) -> Place:
    head, lens = robot.joints.head.angle, robot.variation.calibration
    camera = Camera(lens.fx, lens.fy, lens.cx, lens.cy)
    hidden = own_outlines(head, _LIFT, camera, mount=mount, doubt=deviation)
    believed = camera_pose(np.eye(4), head, mount)
    return Place(picture, camera, believed, hidden, SURE * deviation, *truth)


def _positions(world: World, count: int, random: np.random.Generator) -> Iterator[Pose2D]:
    """Return free places before walls, boxes, cubes and the floor's own edges."""
    corners = np.array(world.layout.floors[0].corners)
    targets = [point for solid in world.layout.solids for point in solid.shape.corners]
    targets += [(cube.pose.x, cube.pose.y) for cube in world.cubes.values()]
    targets += [tuple(corner) for corner in corners]
    while count:
        x, y = targets[random.integers(len(targets))] + random.normal(0.0, 30.0, 2)
        way, away = random.uniform(-math.pi, math.pi), random.uniform(*_AWAY)
        heading = way + math.pi + random.uniform(-_ASIDE, _ASIDE)
        place = Pose2D(x + away * math.cos(way), y + away * math.sin(way), heading)
        shape = robot_shape(place)
        is_on_floor = all(world.layout.floor_at(*corner) for corner in shape.corners)
        if is_on_floor and not world.hindrance(shape):
            count -= 1
            yield place


def _plain(layout: Layout) -> Layout:
    """Return a world whose floors are of one gray."""
    gray = layout.floors[0].gray
    floors = (replace(floor, pattern=Pattern.PLAIN, gray=gray) for floor in layout.floors)
    return replace(layout, floors=tuple(floors))


def _truth(robot: Firmware, name: str) -> tuple[Floats, Floats]:
    """Return ``Place.ends`` and ``Place.two_rows``. The robot's own lift is not in the way."""
    stances = [replace(robot.stance(time), lift=math.radians(45.0)) for time in (0.0, _READOUT)]
    frame = _shapes(name).draw(stances, robot.place.occupant)
    height, width = frame.nearness.shape
    view, lens = _true_view(stances[0])
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2)
    rays = np.column_stack((lens.directions(grid), np.ones(len(grid)))) @ view[:3, :3].T
    floor = np.maximum(-rays[:, 2], 0.0).reshape(height, width) / (1e3 * view[2, 3])
    ahead = lens.project_to_ground(grid, view)[:, 0].reshape(height, width)
    other = (np.abs(frame.nearness - floor) > _SAME * floor) & (ahead <= FARTHEST)
    rows = height - 0.5 - other[::-1].argmax(axis=0)
    rows[~other.any(axis=0)] = np.nan
    ends = _ranges(rows, lens, view)
    return ends, _ranges(rows - 2.0, lens, view) - ends


@cache
def _shapes(name: str) -> Renderer:
    """Return what draws the shapes of a world, which nothing changes here."""
    return Renderer(World(_layout(name, has_pattern=False), ideal=True))


def _ranges(rows: Floats, lens: Camera, view: Matrix) -> Floats:
    """Return how far away the floor is in a row of each column; NaN where there is none."""
    columns = np.arange(len(rows))
    points = lens.project_to_ground(np.column_stack((columns, np.nan_to_num(rows, nan=1e4))), view)
    return np.where(np.isnan(rows), np.nan, np.hypot(*points.T))


def _true_view(stance: Stance) -> tuple[Matrix, Camera]:
    """Return where the camera truly is in ``base_footprint``, and its true lens."""
    view, base = stance.view(), stance.pose.then(Pose2D(-1e3 * ORIGIN_X))
    eye = np.eye(4)
    eye[:3, :3], eye[:3, 3] = view.axes, view.place / 1e3
    there = pose(base.x / 1e3, base.y / 1e3, 0.0, base.angle)
    lens = view.lens
    return inverse(there) @ eye, Camera(lens.fx, lens.fy, lens.cx, lens.cy)
