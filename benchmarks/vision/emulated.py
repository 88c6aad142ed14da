"""Cubes and chargers as an emulated robot sees them: turning, in light from dim to bright."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cozmo_driver.emulator import EmulatorOptions, Firmware
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout import CHARGER_WALL
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.emulator.world.optics import Lens
from cozmo_driver.emulator.world.textures import CHARGER_MARKER_UP
from cozmo_driver.media import mini_jpeg
from cozmo_driver.media.printed_markers import CHARGER_MARKER_SIZE, CUBE_MARKER_SIZE, SIDE_AXES
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.markers import CHARGER, Marker, MarkerDetector
from cozmo_driver.perception.detection.poses import marker_poses

from .scenes import HEIGHT, WIDTH

Floats = npt.NDArray[np.float64]

DIM = 0.4
"""Of the usual light; below it a room is dim."""
_DISTANCES, _LIGHT = (0.17, 0.45), (0.15, DIM, 1.3)
_MOST_ASKEW, _STEEPEST = math.radians(40.0), math.radians(50.0)
_TURN, _BESIDE = 0.35, 0.3
"""rad/s in half of the pictures, and rad to either side."""
_READOUT = 0.045
_LENS = Lens()


@dataclass(frozen=True, slots=True)
class Seen:
    """A marker before the camera, and what was found of it."""

    name: str
    distance: float
    """m."""
    light: float
    found: str | None
    """Its name, empty for a ring without one; None where nothing was found."""
    corner_error: float
    """Pixels, of the worst corner."""
    distance_error: float
    """A share."""


@dataclass(slots=True)
class Sightings:
    markers: list[Seen]
    false: int
    """Markers found where there is none."""


def sightings(count: int, seed: int) -> Sightings:
    """Return what is seen of chargers and cubes from so many places, each in its own light."""
    result, detector = Sightings([], 0), MarkerDetector()
    for number in range(count):
        random = np.random.default_rng([seed, number])
        robot = _robot(random, number)
        picture = mini_jpeg.picture(mini_jpeg.to_jpeg(robot.camera.take_picture()))
        left = detector.detect(picture)
        for name, points, size in _markers(robot):
            facing = _angle(robot, points)
            if facing > math.pi / 2:
                continue
            corners = _pixels(robot, points)
            is_inside = (corners > 3.0).all() and (corners < (WIDTH - 4.0, HEIGHT - 4.0)).all()
            marker = _at(corners, left)
            if marker is not None:
                left.remove(marker)
            if is_inside and facing < _STEEPEST:
                eye = robot.stance().view().place
                distance = float(np.linalg.norm(points.mean(axis=0) - eye)) / 1000.0
                light = robot.camera.light
                result.markers.append(_judged(name, distance, light, corners, size, marker))
        result.false += len(left)
    return result


def _robot(random: np.random.Generator, number: int) -> Firmware:
    """Return a robot before a cube in any attitude or a charger, in turn."""
    distance, bearing = random.uniform(*_DISTANCES), random.uniform(-_BESIDE, _BESIDE)
    x, y = distance * math.cos(bearing), distance * math.sin(bearing)
    world: dict[str, object] = {
        "name": "scene",
        "floor": [
            {
                "rectangle": [-0.3, -0.5, 0.8, 0.5],
                "pattern": str(random.choice(("plain", "checker", "wood"))),
                "gray": int(random.integers(80, 200)),
            }
        ],
    }
    if number % 2:
        yaw, roll = random.uniform(-180, 180), random.choice((-90, 0, 90, 180))
        pitch = 0 if roll else random.choice((0, 90, -90))
        cube = {"number": int(random.integers(1, 4)), "x": x, "y": y, "yaw": yaw}
        world["cubes"] = [cube | {"roll": int(roll), "pitch": int(pitch)}]
    else:
        turn = bearing + random.uniform(-_MOST_ASKEW, _MOST_ASKEW)
        back = CHARGER_WALL / 1000.0
        x, y = x - back * math.cos(turn), y - back * math.sin(turn)
        world["charger"] = {"x": x, "y": y, "yaw": math.degrees(turn)}
    robot = Firmware(EmulatorOptions(seed=number), 0.0, World(layout_of(world, ""), seed=number))
    robot.joints.head.angle = 0.0
    robot.camera.light = random.uniform(*(_LIGHT[:2] if random.random() < 0.5 else _LIGHT[1:]))
    robot.body.yaw_rate = random.uniform(-_TURN, _TURN) if random.random() < 0.5 else 0.0
    return robot


def _markers(robot: Firmware) -> Iterator[tuple[str, Floats, tuple[float, float]]]:
    """Yield name, corners from the marker's upper left in the world, mm, and size, m."""
    world = robot.place.world
    for cube in world.cubes.values():
        for normal, up in SIDE_AXES.values():
            out, top = (cube.place.rotation @ np.array(v) for v in (normal, up))
            middle = cube.place.center + 22.0 * out
            yield (
                f"cube_{cube.number}",
                *_corners(middle, out, top, *[CUBE_MARKER_SIZE] * 2),
            )
    if world.charger is not None:
        x, y, angle = world.charger.x, world.charger.y, world.charger.angle
        ahead = np.array([math.cos(angle), math.sin(angle), 0.0])
        middle = np.array([x, y, CHARGER_MARKER_UP]) + CHARGER_WALL * ahead
        yield CHARGER, *_corners(middle, -ahead, np.array([0.0, 0.0, 1.0]), *CHARGER_MARKER_SIZE)


def _corners(
    middle: Floats, normal: Floats, up: Floats, width: float, height: float
) -> tuple[Floats, tuple[float, float]]:
    right, up = np.cross(up, normal) * width * 500.0, up * height * 500.0
    corners = np.array([up - right, up + right, right - up, -up - right])
    return middle + corners, (width, height)


def _pixels(robot: Firmware, points: Floats) -> Floats:
    """Return where points are in a picture that is read row by row."""
    pixels = np.zeros((len(points), 2))
    for number, point in enumerate(points):
        for _ in range(4):
            view = robot.stance(_READOUT * pixels[number, 1] / HEIGHT).view()
            x, y, z = view.axes.T @ (point - view.place)
            ahead = max(float(z), 1.0)
            pixels[number] = _LENS.cx + _LENS.fx * x / ahead, _LENS.cy + _LENS.fy * y / ahead
    return pixels


def _angle(robot: Firmware, points: Floats) -> float:
    """Return the angle between a marker's normal and the line of sight."""
    normal = np.cross(points[1] - points[0], points[0] - points[3])
    sight = robot.stance().view().place - points.mean(axis=0)
    return math.acos(float(normal @ sight / np.linalg.norm(normal) / np.linalg.norm(sight)))


def _at(corners: Floats, markers: list[Marker]) -> Marker | None:
    middle, size = corners.mean(axis=0), float(np.ptp(corners, axis=0).max())
    return next(
        (m for m in markers if np.abs(m.corners.mean(axis=0) - middle).max() < 0.2 * size + 1.0),
        None,
    )


def _judged(
    name: str,
    distance: float,
    light: float,
    corners: Floats,
    size: tuple[float, float],
    marker: Marker | None,
) -> Seen:
    if marker is None:
        return Seen(name, distance, light, None, math.nan, math.nan)
    off = min(
        float(np.linalg.norm(np.roll(marker.corners, k, axis=0) - corners, axis=1).max())
        for k in range(4)
    )
    camera = Camera(_LENS.fx, _LENS.fy, _LENS.cx, _LENS.cy)
    poses = marker_poses(marker.own_corners, size, camera)
    error = poses[0].distance / distance - 1.0 if poses else math.nan
    return Seen(name, distance, light, marker.name or "", off, error)
