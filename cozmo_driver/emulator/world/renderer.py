"""What a robot's camera sees of a world: lens, lines of sight, light, lamp and noise (spec 03, 13).

The floor is looked up where the lines of sight meet it. Every other surface is a parallelogram:
the inverse of its three vectors turns a line of sight into the place on it and into the inverse
of the distance, all linear in the pixel, so that a surface costs a few operations on the pixels
around it. mm and rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ...media.mini_jpeg import HEIGHT, WIDTH
from ..body import Pose2D
from .floor_map import NOTHING, TINTS, Floats, FloorMap, Gray
from .layout import Tint, charger_wall
from .surfaces import Surface, of_charger, of_cube, of_lift, of_robot, of_solid
from .world import Occupant, World

_NECK = np.array([-13.0, 0.0, 49.0])
_CAMERA = np.array([17.5, 0.0, -8.0])
_TILT = math.radians(4.0)
"""The camera looks down by this at head angle 0."""
_IN_HAND = 120.0
"""mm above the floor at which a robot is held."""
# Camera axes (right, down, ahead) in the head's frame (ahead, left, up).
_OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
_NEAR = 5.0
"""mm; what is nearer is not seen."""
_BELOW = 700.0
"""mm from the world's floors down to the ground around them."""
_TILE = 250.0
_TILE_TONES = (58.0, 72.0)
_FAR = 6000.0
"""mm; ground beyond is one tone."""
_HAZE = 65.0
_SKY = (150.0, 90.0)
"""Gray at the horizon, and of one unit of slope less above it."""
_STRIPES = 24
_NOISE = 1.6
"""Gray levels of the sensor's noise at the usual gain. An estimate."""
_NOISE_FRAMES = 8
_LAMP_REACH = 180.0
"""mm up to which the lamp beside the camera lights as much as daylight. An estimate."""
_COLORS = {
    Tint.WHITE: (1.0, 1.0, 1.0),
    Tint.WOOD: (1.14, 0.98, 0.76),
    Tint.RED: (1.5, 0.66, 0.6),
    Tint.GREEN: (0.66, 1.25, 0.7),
    Tint.BLUE: (0.62, 0.92, 1.6),
    Tint.YELLOW: (1.25, 1.1, 0.45),
}
_PALETTE = np.array([_COLORS[tint] for tint in TINTS], np.float32)


@dataclass(frozen=True, slots=True)
class Lens:
    """A pinhole; pixels. The defaults were read from a real robot."""

    fx: float = 294.716
    fy: float = 294.899
    cx: float = 143.163
    cy: float = 117.454


_LENS = Lens()


@dataclass(frozen=True, slots=True)
class View:
    """A camera in the world: its place, and its axes right, down, ahead as columns."""

    place: Floats
    axes: Floats


@dataclass(frozen=True, slots=True)
class Stance:
    """How a robot stands and holds its head and lift; angles in rad."""

    pose: Pose2D
    head: float = 0.0
    lift: float = 0.0
    """Angle of the lift's arm."""
    pitch: float = 0.0
    """Nose up."""
    roll: float = 0.0
    """Right side down."""
    is_held: bool = False

    def body(self) -> tuple[Floats, Floats]:
        """Return place and axes of the body in the world."""
        rotation = _about_z(self.pose.angle) @ _nose_up(self.pitch) @ _about_x(self.roll)
        height = _IN_HAND if self.is_held else 0.0
        return np.array([self.pose.x, self.pose.y, height]), rotation

    def view(self) -> View:
        place, rotation = self.body()
        head = _nose_up(self.head)
        eye = place + rotation @ (_NECK + head @ _CAMERA)
        return View(eye, rotation @ _nose_up(self.head - _TILT) @ _OPTICAL)


def _about_z(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _nose_up(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def _about_x(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


@dataclass(slots=True)
class Frame:
    """A picture being drawn, 240x320: gray, the inverse of the depth in 1/mm, and tints."""

    gray: Floats
    nearness: Floats
    tints: Gray | None
    """Indices in ``TINTS``; None for a picture without colours."""


class Renderer:
    """Draws one world for any of its robots."""

    def __init__(self, world: World) -> None:
        """Paint the floors; the world must have some."""
        self._world = world
        self._floor = FloorMap(world.layout, world.seed)
        fixed = [
            s for number, solid in enumerate(world.layout.solids) for s in of_solid(solid, number)
        ]
        if world.charger is not None:
            fixed += of_charger(charger_wall(world.charger))
        self._fixed = fixed
        self._corners = np.array([_corners(s.corner, s.right, s.down) for s in fixed])
        self._normals = np.array([np.cross(s.down, s.right) for s in fixed])
        # x/z of each column of the picture, y/z of each row.
        self._across = ((np.arange(WIDTH) - _LENS.cx) / _LENS.fx).astype(np.float32)
        self._down = ((np.arange(HEIGHT) - _LENS.cy) / _LENS.fy).astype(np.float32)

    def draw(self, stance: Stance, robot: Occupant, with_tints: bool = False) -> Frame:
        """Draw what a robot sees in a stance."""
        view = stance.view()
        frame = self._draw_ground(view, with_tints)
        surfaces: list[Surface] = [*self._facing(view), *of_lift(*stance.body(), stance.lift)]
        for number, cube in self._world.cubes.items():
            if not cube.is_down:
                surfaces += of_cube(number, cube.pose)
        for other in self._world.occupants:
            if other is not robot and other.is_solid():
                surfaces += of_robot(other.where())
        self._draw_surfaces(surfaces, view, frame)
        return frame

    def _facing(self, view: View) -> Iterable[Surface]:
        if not self._fixed:
            return ()
        seen = self._corners - view.place
        is_facing = np.einsum("ij,ij->i", seen[:, 0], self._normals) < 0.0
        x, y, z = np.moveaxis(seen @ view.axes, 2, 0)
        left, right = self._across[0], self._across[-1]
        top, bottom = self._down[0], self._down[-1]
        is_out = (z < _NEAR).all(1) | (x < left * z).all(1) | (x > right * z).all(1)
        is_out |= (y < top * z).all(1) | (y > bottom * z).all(1)
        return [self._fixed[i] for i in np.flatnonzero(is_facing & ~is_out)]

    def _draw_ground(self, view: View, with_tints: bool) -> Frame:
        """Draw the floor, the ground around it and what is far away."""
        axes = view.axes.astype(np.float32)
        across, down = self._across[None, :], self._down[:, None]
        x, y, z = (axes[i, 0] * across + axes[i, 1] * down + axes[i, 2] for i in range(3))
        height = np.float32(max(view.place[2], 1.0))
        sinks = z < 0.0
        nearness = np.where(sinks, -z / height, 0.0).astype(np.float32)
        picture = self._sky(x, y, z)
        tints = np.zeros((HEIGHT, WIDTH), np.uint8) if with_tints else None
        frame = Frame(picture, nearness, tints)
        rows = np.flatnonzero(sinks.any(axis=1))
        if not len(rows):
            return frame
        # Below the highest row with ground in sight nearly everything is ground.
        part = slice(int(rows[0]), int(rows[-1]) + 1)
        sinks, x, y = sinks[part], x[part], y[part]
        depth = 1.0 / np.maximum(nearness[part], np.float32(1e-6))
        at_x = np.float32(view.place[0]) + x * depth
        at_y = np.float32(view.place[1]) + y * depth
        # A pixel's floor is longer than it is wide: the mean of both.
        pixel = depth * np.sqrt(depth / height) / np.float32(_LENS.fx)
        tones = self._floor.look_up(at_x, at_y, pixel)
        is_floor = sinks & (tones > NOTHING)
        picture[part][is_floor] = tones[is_floor]
        is_below = sinks & ~is_floor
        if is_below.any():
            drop = np.float32((height + _BELOW) / height)
            depth = depth[is_below] * drop
            picture[part][is_below] = _below(view, x[is_below] * depth, y[is_below] * depth)
            nearness[part][is_below] /= drop
        if tints is not None:
            tints[part][is_floor] = self._floor.tints(at_x[is_floor], at_y[is_floor])
        return frame

    def _sky(self, x: Floats, y: Floats, z: Floats) -> Floats:
        """Return the gray of a far wall with broad stripes, darker towards the ceiling."""
        away = np.maximum(np.abs(x) + np.abs(y), np.float32(1e-3))
        bearing = np.arctan2(y[0], x[0])
        stripes = 10.0 * np.cos(bearing * _STRIPES) + 12.0 * np.cos(bearing * 5.0)
        horizon, slope = _SKY
        sky: Floats = (horizon - slope * np.clip(z / away, 0.0, 1.0) + stripes[None, :]).astype(
            np.float32
        )
        return sky

    def _draw_surfaces(self, surfaces: Iterable[Surface], view: View, frame: Frame) -> None:
        axes = view.axes.T
        for surface in surfaces:
            basis = np.column_stack(
                (
                    axes @ surface.right,
                    axes @ surface.down,
                    axes @ (surface.corner - view.place),
                )
            )
            window = self._window(basis)
            if window is not None:
                self._draw_surface(surface, basis, window, frame)

    def _window(self, basis: Floats) -> tuple[slice, slice] | None:
        """Return the rows and columns that a surface may be in, None when it is out of sight."""
        right, down, corner = basis.T
        corners = _in_front(_corners(corner, right, down).tolist())
        if not corners:
            return None
        columns = [x / z * _LENS.fx + _LENS.cx for x, _, z in corners]
        rows = [y / z * _LENS.fy + _LENS.cy for _, y, z in corners]
        left, low = max(int(min(columns)), 0), max(int(min(rows)), 0)
        stop, end = min(int(max(columns)) + 2, WIDTH), min(int(max(rows)) + 2, HEIGHT)
        return (slice(low, end), slice(left, stop)) if left < stop and low < end else None

    def _draw_surface(
        self, surface: Surface, basis: Floats, window: tuple[slice, slice], frame: Frame
    ) -> None:
        determinant = np.linalg.det(basis)
        # Edge-on, or seen from the back of something solid.
        if abs(determinant) < 1e-3 or (determinant < 0.0 and not surface.is_double):
            return
        inverse = np.linalg.inv(basis).astype(np.float32)
        rows, columns = window
        across, down = self._across[None, columns], self._down[rows, None]
        s, t, near = (row[0] * across + (row[1] * down + row[2]) for row in inverse)
        is_seen = (near > frame.nearness[window]) & (near < 1.0 / _NEAR)
        is_seen &= (s >= 0.0) & (s < near) & (t >= 0.0) & (t < near)
        at = np.nonzero(is_seen)
        found = near[at]
        height, width = surface.picture.shape
        column = np.minimum((s[at] / found * width).astype(np.int32), width - 1)
        row = np.minimum((t[at] / found * height).astype(np.int32), height - 1)
        frame.gray[window][at] = surface.picture[row, column] * np.float32(surface.shade)
        frame.nearness[window][at] = found
        if frame.tints is not None:
            frame.tints[window][at] = TINTS.index(surface.tint)


def _below(view: View, x: Floats, y: Floats) -> Floats:
    """Return the gray of the ground around the world's floors, mm from the camera."""
    column = np.floor((x + np.float32(view.place[0])) / np.float32(_TILE))
    row = np.floor((y + np.float32(view.place[1])) / np.float32(_TILE))
    tones = np.where((column + row) % 2 == 0, *_TILE_TONES)
    haze: Floats = np.where(np.abs(x) + np.abs(y) < _FAR, tones, _HAZE)
    return haze


def _corners(corner: Floats, right: Floats, down: Floats) -> Floats:
    return np.array([corner, corner + right, corner + right + down, corner + down])


def _in_front(corners: list[list[float]]) -> list[list[float]]:
    """Return the part of a polygon before the camera; cut where it is as near as can be seen."""
    kept = []
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        if start[2] >= _NEAR:
            kept.append(start)
        if (start[2] >= _NEAR) != (end[2] >= _NEAR):
            share = (_NEAR - start[2]) / (end[2] - start[2])
            kept.append([a + share * (b - a) for a, b in zip(start, end, strict=True)])
    return kept


class Sensor:
    """Makes noisy pictures; the same random numbers give the same noise."""

    def __init__(self, random: np.random.Generator, spread: float) -> None:
        """``spread`` is the noise's standard deviation in gray levels at the usual gain."""
        shape = (_NOISE_FRAMES, HEIGHT, WIDTH)
        self._noise = random.normal(0.0, spread, shape).astype(np.float32)
        self._column = random.uniform(0, 255, (_NOISE_FRAMES, HEIGHT)).astype(np.float32)
        self._taken = 0

    def expose(self, picture: Floats, noise: float = 1.0) -> Gray:
        """Return a picture, gray or in colours of half the width, with ``noise`` times its noise.

        None of it if that is 0.
        """
        if noise:
            number = self._taken % _NOISE_FRAMES
            grain: Floats = self._noise[number] * np.float32(noise)
            column: Floats = self._column[number]
            if picture.ndim == 3:
                grain, column = grain[:, ::2, None], column[:, None]
            picture = picture + grain
            # The sensor's leftmost column is noise (spec 03 §2).
            picture[:, 0] = column
            self._taken += 1
        exposed: Gray = np.clip(picture, 0, 255).astype(np.uint8)
        return exposed


@dataclass(frozen=True, slots=True)
class Shutter:
    """How a picture is taken; all 1 as usual."""

    brightness: float = 1.0
    """By exposure and gain."""
    light: float = 1.0
    """Around the robot."""
    has_lamp: bool = False
    """Whether the lamp beside the camera is on."""
    noise: float = 1.0
    """By the gain."""


class Eye:
    """Takes pictures from where the robot is; the same seed gives the same ones."""

    def __init__(
        self, world: World, robot: Occupant, stance: Callable[[], Stance], seed: int = 0
    ) -> None:
        """Look at a world that has floors."""
        self._world, self._robot, self._stance = world, robot, stance
        self._renderer: Renderer | None = None
        self._sensor = Sensor(np.random.default_rng(seed), _NOISE)

    def prepare(self) -> None:
        """Paint the floors now, which takes a moment, rather than with the first picture."""
        if self._renderer is None:
            self._renderer = Renderer(self._world)

    def gray(self, shutter: Shutter) -> Gray:
        frame = self._draw(with_tints=False)
        return self._sensor.expose(frame.gray * _light(frame, shutter), shutter.noise)

    def color(self, shutter: Shutter) -> Gray:
        """Take a picture in colours, RGB, 240x160x3: as wide as the sensor's."""
        frame = self._draw(with_tints=True)
        assert frame.tints is not None
        gray = (frame.gray * _light(frame, shutter))[:, ::2, None]
        return self._sensor.expose(gray * _PALETTE[frame.tints[:, ::2]], shutter.noise)

    def _draw(self, with_tints: bool) -> Frame:
        self.prepare()
        assert self._renderer is not None
        return self._renderer.draw(self._stance(), self._robot, with_tints)


def _light(frame: Frame, shutter: Shutter) -> Floats | np.float32:
    """Return the factor of each pixel's gray, or that of all."""
    daylight = np.float32(shutter.light * shutter.brightness)
    if not shutter.has_lamp:
        return daylight
    lamp = np.minimum(frame.nearness * np.float32(_LAMP_REACH), np.float32(1.0))
    lit: Floats = daylight + lamp * lamp * np.float32(shutter.brightness)
    return lit
