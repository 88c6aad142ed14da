"""What a robot's camera sees of a world: lines of sight, surfaces, what hides what (spec 13, 19).

The floor is looked up where the lines of sight meet it. Every other surface is a parallelogram:
the inverse of its three vectors turns a line of sight into the place on it and into the inverse
of the distance, all linear in the pixel, so that a surface costs a few operations on the pixels
around it. With a rolling shutter each row has a view of its own. mm and rad.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ...media.mini_jpeg import HEIGHT, WIDTH
from .floor_map import NOTHING, TINTS, FloorMap
from .layout import charger_wall
from .light import Light
from .optics import Floats, Gray, Lens, Stance, View
from .shading import Shading
from .surfaces import (
    Surface,
    of_lift,
    of_moving,
    of_robot,
    of_solid,
)
from .world import Lamp, Occupant, World

_NEAR = 5.0
"""mm; what is nearer is not seen."""
_SLACK = 1.004
"""How much farther away a print may be than what it is on, whose pixels are larger."""
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
_FINER = 2
"""Samples along a pixel's side where a surface has fine detail."""
_Window = tuple[slice, slice]


@dataclass(slots=True)
class Frame:
    """A picture being drawn, 240x320: gray, the inverse of the depth in 1/mm, and tints."""

    gray: Floats
    nearness: Floats
    tints: Gray | None
    """Indices in ``TINTS``; None for a picture without colours."""
    lamps: tuple[tuple[Lamp, float, float, float], ...] = ()
    """What shines: lamp, row, column, and pixels per mm there."""


@dataclass(frozen=True, slots=True)
class _Grid:
    """Lines of sight: x/z of each column, y/z of each row, and the view of all rows or of each."""

    across: Floats
    down: Floats
    places: Floats
    """(1 or rows, 3)."""
    axes: Floats
    """(1 or rows, 3, 3)."""
    lens: Lens

    @classmethod
    def of(cls, views: Sequence[View]) -> _Grid:
        """Return the grid of a picture, from one view or from those of the first and last row."""
        first, last, lens = views[0], views[-1], views[0].lens
        across = ((np.arange(WIDTH) - lens.cx) / lens.fx).astype(np.float32)
        down = ((np.arange(HEIGHT) - lens.cy) / lens.fy).astype(np.float32)
        if len(views) == 1:
            return cls(across, down, first.place[None], first.axes[None], lens)
        share = np.linspace(0.0, 1.0, HEIGHT)
        places = first.place + share[:, None] * (last.place - first.place)
        axes = first.axes + share[:, None, None] * (last.axes - first.axes)
        return cls(across, down, places, axes, lens)

    def finer(self, window: _Window) -> _Grid:
        """Return the grid of a part, ``_FINER`` lines of sight to a pixel's side."""
        rows, columns = window
        sub = (np.arange(_FINER, dtype=np.float32) + np.float32(0.5)) / _FINER - np.float32(0.5)
        across = self.across[columns, None] + sub * (self.across[1] - self.across[0])
        down = self.down[rows, None] + sub * (self.down[1] - self.down[0])
        if len(self.places) == 1:
            return _Grid(across.ravel(), down.ravel(), self.places, self.axes, self.lens)
        places, axes = (np.repeat(v[rows], _FINER, axis=0) for v in (self.places, self.axes))
        return _Grid(across.ravel(), down.ravel(), places, axes, self.lens)

    def basis(self, surface: Surface) -> Floats:
        """Return right, down and corner of a surface in the camera's axes, (1 or rows, 3, 3)."""
        edges = np.empty((len(self.places), 3, 3))
        edges[:, :, 0], edges[:, :, 1] = surface.right, surface.down
        edges[:, :, 2] = surface.corner - self.places
        basis: Floats = self.axes.transpose(0, 2, 1) @ edges
        return basis


class Renderer:
    def __init__(self, world: World, strength: float = 0.0) -> None:
        """Paint floors and cubes; the world must have floors.

        ``strength`` is that of uneven light and of errors of prints.
        """
        self._world = world
        self.light = light = Light(world.layout, world.seed, strength)
        self._shading = Shading(light, world.seed)
        self._floor = FloorMap(world.layout, world.seed, light)
        fixed = [
            s for number, solid in enumerate(world.layout.solids) for s in of_solid(solid, number)
        ]
        if world.charger is not None:
            fixed += self._shading.charger(charger_wall(world.charger))
        self._fixed = fixed = [self._shading.fixed(one) for one in fixed]
        for cube in world.cubes.values():
            self._shading.cube(cube)
        self._corners = np.array([_corners(s.corner, s.right, s.down) for s in fixed])
        self._normals = np.array([np.cross(s.down, s.right) for s in fixed])

    def draw(
        self,
        stances: Sequence[Stance],
        robot: Occupant,
        time: float = 0.0,
        with_tints: bool = False,
    ) -> Frame:
        """Draw what a robot sees in a stance, or in those of the first and the last row."""
        stance = stances[0]
        still = all(other == stance for other in stances)
        grid = _Grid.of([one.view() for one in stances[: 1 if still else None]])
        frame = self._draw_ground(grid, with_tints)
        fixed = self._facing(grid)
        coarse = [s for s in fixed if not s.is_fine]
        others = [one for one in self._world.occupants if one is not robot and one.is_solid()]
        for other in others:
            pose = other.where()
            coarse += self._shading.moving(of_robot(pose), np.array([pose.x, pose.y]))
        cubes = [cube for cube in self._world.cubes.values() if not cube.is_down]
        own = () if stance.is_held else (stance.pose,)
        coarse += self._shading.shadows(cubes, (*own, *(other.where() for other in others)))
        _draw(coarse, grid, frame, self.light)
        for surface in fixed:
            if surface.is_fine:
                _draw_fine([surface], grid, frame, self.light)
        for cube in cubes:
            _draw_fine(self._shading.cube(cube), grid, frame, self.light)
        for thing in self._world.layout.moving:
            one = of_moving(thing, time, grid.places[0])
            _draw_fine(self._shading.moving([one], thing.place(time)), grid, frame, self.light)
        place, axes = stance.body()
        lift = self._shading.moving(of_lift(place, axes, stance.lift), place)
        _draw(lift, grid, frame, self.light)
        frame.lamps = tuple(_shining(self._world.lamps(), grid, frame))
        return frame

    def _facing(self, grid: _Grid) -> list[Surface]:
        if not self._fixed:
            return []
        is_seen = np.zeros(len(self._fixed), bool)
        for number in {0, len(grid.places) - 1}:
            seen = self._corners - grid.places[number]
            is_facing = np.einsum("ij,ij->i", seen[:, 0], self._normals) < 0.0
            x, y, z = np.moveaxis(seen @ grid.axes[number], 2, 0)
            left, right, top, bottom = *grid.across[[0, -1]], *grid.down[[0, -1]]
            is_out = (z < _NEAR).all(1) | (x < left * z).all(1) | (x > right * z).all(1)
            is_out |= (y < top * z).all(1) | (y > bottom * z).all(1)
            is_seen |= is_facing & ~is_out
        return [self._fixed[i] for i in np.flatnonzero(is_seen)]

    def _draw_ground(self, grid: _Grid, with_tints: bool) -> Frame:
        """Draw the floor, the ground around it and what is far away."""
        axes, places = grid.axes.astype(np.float32), grid.places.astype(np.float32)
        across, down = grid.across[None, :], grid.down[:, None]
        x, y, z = (
            axes[:, i, 0, None] * across + (axes[:, i, 1, None] * down + axes[:, i, 2, None])
            for i in range(3)
        )
        height = np.maximum(places[:, 2, None], np.float32(1.0))
        sinks = z < 0.0
        nearness = np.where(sinks, -z / height, 0.0).astype(np.float32)
        picture = _sky(x, y, z)
        tints = np.zeros((HEIGHT, WIDTH), np.uint8) if with_tints else None
        frame = Frame(picture, nearness, tints)
        rows = np.flatnonzero(sinks.any(axis=1))
        if not len(rows):
            return frame
        # Below the highest row with ground in sight nearly everything is ground.
        part = slice(int(rows[0]), int(rows[-1]) + 1)
        sinks, x, y = sinks[part], x[part], y[part]
        if len(places) > 1:
            places, height = places[part], height[part]
        depth = 1.0 / np.maximum(nearness[part], np.float32(1e-6))
        at_x = places[:, 0, None] + x * depth
        at_y = places[:, 1, None] + y * depth
        # A pixel's floor is longer than it is wide: the mean of both.
        pixel = depth * np.sqrt(depth / height) / np.float32(grid.lens.fx)
        tones = self._floor.sample(at_x, at_y, pixel)
        is_floor = sinks & (tones > NOTHING)
        picture[part][is_floor] = tones[is_floor]
        is_below = sinks & ~is_floor
        if is_below.any():
            drop = np.broadcast_to((height + _BELOW) / height, depth.shape)[is_below]
            depth = depth[is_below] * drop
            place = grid.places[0]
            picture[part][is_below] = _below(place, x[is_below] * depth, y[is_below] * depth)
            nearness[part][is_below] /= drop
        if tints is not None:
            tints[part][is_floor] = self._floor.tints(at_x[is_floor], at_y[is_floor])
        return frame


def _draw_fine(surfaces: Sequence[Surface], grid: _Grid, frame: Frame, light: Light) -> None:
    """Draw the surfaces of a thing with several samples to a pixel, for edges true to its place."""
    window = _around([w for s in surfaces if (w := _window(grid.basis(s), grid)) is not None])
    if window is None:
        return
    gray, near = (
        np.repeat(np.repeat(v[window], _FINER, axis=0), _FINER, axis=1)
        for v in (frame.gray, frame.nearness)
    )
    tints = None
    if frame.tints is not None:
        tints = np.repeat(np.repeat(frame.tints[window], _FINER, axis=0), _FINER, axis=1)
    fine = Frame(gray, near, tints)
    _draw(surfaces, grid.finer(window), fine, light)
    # Much faster than reductions over two axes.
    corners = [
        (slice(r, None, _FINER), slice(c, None, _FINER)) for r, c in np.ndindex(_FINER, _FINER)
    ]
    frame.gray[window] = sum(gray[corner] for corner in corners) * np.float32(1 / len(corners))
    frame.nearness[window] = reduce(np.maximum, [near[corner] for corner in corners])
    if frame.tints is not None and tints is not None:
        frame.tints[window] = tints[::_FINER, ::_FINER]


def _around(windows: Sequence[_Window]) -> _Window | None:
    if not windows:
        return None
    rows, columns = (
        slice(min(w[axis].start for w in windows), max(w[axis].stop for w in windows))
        for axis in (0, 1)
    )
    return rows, columns


def _draw(surfaces: Iterable[Surface], grid: _Grid, frame: Frame, light: Light) -> None:
    for surface in surfaces:
        basis = grid.basis(surface)
        window = _window(basis, grid)
        if window is not None:
            _draw_surface(surface, basis, window, grid, frame, light)


def _window(basis: Floats, grid: _Grid) -> _Window | None:
    """Return the rows and columns that a surface may be in, None when it is out of sight."""
    corners = []
    for number in {0, len(basis) - 1}:
        right, down, corner = basis[number].T
        corners += _in_front(_corners(corner, right, down).tolist())
    if not corners:
        return None
    across, down = grid.across, grid.down
    first, last = across[0], across[1] - across[0]
    columns = [float((x / z - first) / last) for x, _, z in corners]
    first, last = down[0], down[1] - down[0]
    rows = [float((y / z - first) / last) for _, y, z in corners]
    left, low = max(int(min(columns)), 0), max(int(min(rows)), 0)
    stop, end = min(int(max(columns)) + 2, len(across)), min(int(max(rows)) + 2, len(down))
    return (slice(low, end), slice(left, stop)) if left < stop and low < end else None


def _draw_surface(
    surface: Surface, basis: Floats, window: _Window, grid: _Grid, frame: Frame, light: Light
) -> None:
    rows, columns = window
    if len(basis) > 1:
        basis = basis[rows]
    determinant = np.linalg.det(basis)
    # Edge-on, or seen from the back of something solid.
    if np.abs(determinant).min() < 1e-3 or (determinant.max() < 0.0 and not surface.is_double):
        return
    inverse = np.linalg.inv(basis).astype(np.float32)
    across, down = grid.across[None, columns], grid.down[rows, None]
    s, t, near = (
        inverse[:, i, 0, None] * across + (inverse[:, i, 1, None] * down + inverse[:, i, 2, None])
        for i in range(3)
    )
    slack = np.float32(_SLACK if surface.is_fine else 1.0)
    is_seen = (near * slack > frame.nearness[window]) & (near < 1.0 / _NEAR)
    is_seen &= (s >= 0.0) & (s < near) & (t >= 0.0) & (t < near)
    at = np.nonzero(is_seen)
    if not len(at[0]):
        return
    found = near[at]
    picture = surface.pictures[_size(surface, basis[len(basis) // 2], grid)]
    height, width = picture.shape
    s, t = s[at] / found, t[at] / found
    column = np.minimum((s * width).astype(np.int32), width - 1)
    row = np.minimum((t * height).astype(np.int32), height - 1)
    tones = picture[row, column]
    if surface.is_cutout:
        is_there = tones > NOTHING
        at, found, tones = (at[0][is_there], at[1][is_there]), found[is_there], tones[is_there]
    if surface.is_shadow:
        frame.gray[window][at] *= tones * np.float32(1 / 255)
        return
    gray = tones * np.float32(surface.shade)
    if surface.is_glossy:
        gray += light.glare(*surface.edges, grid.places[0], s, t)
    frame.gray[window][at] = gray
    frame.nearness[window][at] = found
    if frame.tints is not None:
        frame.tints[window][at] = TINTS.index(surface.tint)


def _size(surface: Surface, basis: Floats, grid: _Grid) -> int:
    """Return which size of a surface's picture has about one pixel for each line of sight."""
    if len(surface.pictures) == 1:
        return 0
    depth = max(float(basis[2] @ (0.5, 0.5, 1.0)), _NEAR)
    angle = abs(float(np.linalg.det(basis))) / depth**3
    seen = angle / float((grid.across[1] - grid.across[0]) * (grid.down[1] - grid.down[0]))
    level = math.floor(0.5 * math.log2(surface.pictures[0].size / max(seen, 1.0)) + 0.3)
    return min(max(level, 0), len(surface.pictures) - 1)


def _shining(
    lamps: Iterable[Lamp], grid: _Grid, frame: Frame
) -> Iterator[tuple[Lamp, float, float, float]]:
    """Return the lamps in sight, their row and column, and the pixels of a mm there."""
    lens = grid.lens
    for lamp in lamps:
        x, y, z = grid.axes[0].T @ (lamp.place - grid.places[0])
        if z < _NEAR:
            continue
        column, row = x / z * lens.fx + lens.cx, y / z * lens.fy + lens.cy
        at = round(float(row)), round(float(column))
        is_inside = 0 <= at[0] < HEIGHT and 0 <= at[1] < WIDTH
        # A cap reaches out from the cube's corner: what hides it is nearer than that.
        if is_inside and frame.nearness[at] * (z - 2 * lamp.radius) < 1.0:
            yield lamp, float(row), float(column), float(lens.fx / z)


def _sky(x: Floats, y: Floats, z: Floats) -> Floats:
    """Return the gray of a far wall with broad stripes, darker towards the ceiling."""
    away = np.maximum(np.abs(x) + np.abs(y), np.float32(1e-3))
    bearing = np.arctan2(y[0], x[0])
    stripes = 10.0 * np.cos(bearing * _STRIPES) + 12.0 * np.cos(bearing * 5.0)
    horizon, slope = _SKY
    sky: Floats = (horizon - slope * np.clip(z / away, 0.0, 1.0) + stripes[None, :]).astype(
        np.float32
    )
    return sky


def _below(place: Floats, x: Floats, y: Floats) -> Floats:
    """Return the gray of the ground around the world's floors, mm from the camera."""
    column = np.floor((x + np.float32(place[0])) / np.float32(_TILE))
    row = np.floor((y + np.float32(place[1])) / np.float32(_TILE))
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
