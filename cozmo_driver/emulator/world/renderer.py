"""What a robot's camera sees of a world: floor, walls, things and its own lift (spec 13, 19).

The floor is looked up where the lines of sight meet it; the rest are surfaces (``raster.py``). mm
and rad.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ...media import IMAGE_HEIGHT, IMAGE_WIDTH
from ..body import Pose2D
from ..variation import Optics
from .floor_map import NOTHING, FloorMap
from .layout import charger_wall
from .light import Light
from .optics import Floats, Stance
from .raster import NEAR, Frame, Grid, corners_of, draw, draw_fine
from .shading import Shading
from .surfaces import (
    Surface,
    of_lift,
    of_moving,
    of_robot,
    of_solid,
)
from .world import Lamp, Occupant, World, WorldCube

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
        self._corners = np.array([corners_of(s.corner, s.right, s.down) for s in fixed])
        self._normals = np.array([np.cross(s.down, s.right) for s in fixed])
        self._posture: tuple[float, float, Optics] | None = None
        """Head, lift and lens with which the lift was drawn last."""
        self._scene: tuple[object, ...] = ()
        """What was drawn last."""

    def draw(
        self,
        stances: Sequence[Stance],
        robot: Occupant,
        time: float = 0.0,
        with_tints: bool = False,
    ) -> Frame:
        """Draw what a robot sees in a stance, or in those of the first and the last row.

        Do not change the frame: it is returned again while nothing moves.
        """
        others = [
            one.where() for one in self._world.occupants if one is not robot and one.is_solid()
        ]
        cubes = [cube for cube in self._world.cubes.values() if not cube.is_down]
        clock = time if self._world.layout.moving else 0.0
        scene = (*stances, *others, *(cube.place for cube in cubes), clock, with_tints)
        if scene != self._scene:
            self._scene = scene
            self._grid, self._frame = self._draw(stances, others, cubes, time, with_tints)
        self._frame.lamps = tuple(_shining(self._world.lamps(), self._grid, self._frame))
        return self._frame

    def _draw(
        self,
        stances: Sequence[Stance],
        others: Sequence[Pose2D],
        cubes: Sequence[WorldCube],
        time: float,
        with_tints: bool,
    ) -> tuple[Grid, Frame]:
        stance = stances[0]
        still = all(other == stance for other in stances)
        grid = Grid.of([one.view() for one in stances[: 1 if still else None]])
        frame = self._draw_ground(grid, with_tints)
        fixed = self._facing(grid)
        coarse = [s for s in fixed if not s.is_fine]
        for pose in others:
            coarse += self._shading.moving(of_robot(pose), np.array([pose.x, pose.y]))
        own = () if stance.is_held else (stance.pose,)
        coarse += self._shading.shadows(cubes, (*own, *others))
        draw(coarse, grid, frame, self.light)
        for surface in fixed:
            if surface.is_fine:
                draw_fine([surface], grid, frame, self.light)
        for cube in cubes:
            draw_fine(self._shading.cube(cube), grid, frame, self.light)
        for thing in self._world.layout.moving:
            one = of_moving(thing, time, grid.places[0])
            draw_fine(self._shading.moving([one], thing.place(time)), grid, frame, self.light)
        self._draw_lift(stance, frame)
        return grid, frame

    def _draw_lift(self, stance: Stance, frame: Frame) -> None:
        """Draw the robot's own lift, which looks the same until it or the head moves."""
        posture = stance.head, stance.lift, stance.optics
        if posture != self._posture:
            self._posture, self._lift = posture, Frame.empty()
            level = Stance(Pose2D(), *posture[:2], optics=posture[2])
            lift = of_lift(*level.body(), level.lift)
            draw(lift, Grid.of([level.view()]), self._lift, self.light)
        if not (rows := np.flatnonzero(self._lift.nearness.any(axis=1))).size:
            return
        part = slice(rows[0], rows[-1] + 1)
        place, axes = stance.body()
        light = np.float32(self._shading.upright(place, -axes[:, 0]))
        nearness = self._lift.nearness[part]
        is_seen = nearness > frame.nearness[part]
        np.copyto(frame.gray[part], self._lift.gray[part] * light, where=is_seen)
        np.copyto(frame.nearness[part], nearness, where=is_seen)
        if frame.tints is not None:
            np.copyto(frame.tints[part], 0, where=is_seen)

    def _facing(self, grid: Grid) -> list[Surface]:
        if not self._fixed:
            return []
        is_seen = np.zeros(len(self._fixed), bool)
        for number in {0, len(grid.places) - 1}:
            seen = self._corners - grid.places[number]
            is_facing = np.einsum("ij,ij->i", seen[:, 0], self._normals) < 0.0
            x, y, z = np.moveaxis(seen @ grid.axes[number], 2, 0)
            left, right, top, bottom = *grid.across[[0, -1]], *grid.down[[0, -1]]
            is_out = (z < NEAR).all(1) | (x < left * z).all(1) | (x > right * z).all(1)
            is_out |= (y < top * z).all(1) | (y > bottom * z).all(1)
            is_seen |= is_facing & ~is_out
        return [self._fixed[i] for i in np.flatnonzero(is_seen)]

    def _draw_ground(self, grid: Grid, with_tints: bool) -> Frame:
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
        picture = np.empty((IMAGE_HEIGHT, IMAGE_WIDTH), np.float32)
        above = np.flatnonzero(~sinks.all(axis=1))
        if len(above):
            sky = slice(int(above[0]), int(above[-1]) + 1)
            picture[sky] = _sky(x[sky], y[sky], z[sky])
        tints = np.zeros((IMAGE_HEIGHT, IMAGE_WIDTH), np.uint8) if with_tints else None
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
        # A pixel's floor is longer than it is wide: the mean of both, in the middle of a row.
        middle = depth[:, IMAGE_WIDTH // 2, None]
        pixel = middle * np.sqrt(middle / height) / np.float32(grid.lens.fx)
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


def _shining(
    lamps: Iterable[Lamp], grid: Grid, frame: Frame
) -> Iterator[tuple[Lamp, float, float, float]]:
    """Return the lamps in sight, their row and column, and the pixels of a mm there."""
    lens = grid.lens
    for lamp in lamps:
        x, y, z = grid.axes[0].T @ (lamp.place - grid.places[0])
        if z < NEAR:
            continue
        column, row = x / z * lens.fx + lens.cx, y / z * lens.fy + lens.cy
        at = round(float(row)), round(float(column))
        is_inside = 0 <= at[0] < IMAGE_HEIGHT and 0 <= at[1] < IMAGE_WIDTH
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
