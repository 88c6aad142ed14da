"""Draws what a robot's camera sees of a world, by its lines of sight; pinhole, gray.

The floor is looked up where the lines of sight meet it. Every other surface is a parallelogram:
the inverse of its three vectors turns a line of sight into the place on it and into the inverse
of the distance, all linear in the pixel, so that a surface costs a few operations on the pixels
around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...media.mini_jpeg import HEIGHT, WIDTH
from .floor_map import NOTHING, TINTS, FloorMap
from .layout import charger_wall
from .lens import Floats, Lens, Stance, View
from .surfaces import Surface, of_charger, of_cube, of_lift, of_robot, of_solid
from .world import Occupant, World

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


@dataclass(slots=True)
class Frame:
    """A picture being drawn, 240x320: gray, the inverse of the depth in 1/mm, and tints."""

    gray: Floats
    nearness: Floats
    tints: npt.NDArray[np.uint8] | None
    """Indices in ``TINTS``; None for a picture without colours."""


class Renderer:
    """Draws one world for any of its robots."""

    def __init__(self, world: World, seed: int = 0, lens: Lens | None = None) -> None:
        """Paint the floors; the world must have some."""
        self._world = world
        self._lens = lens or Lens()
        self._floor = FloorMap(world.layout, seed)
        fixed = [
            s for number, solid in enumerate(world.layout.solids) for s in of_solid(solid, number)
        ]
        if world.charger is not None:
            fixed += of_charger(charger_wall(world.charger))
        self._fixed = fixed
        self._corners = np.array([_corners(s.corner, s.right, s.down) for s in fixed])
        self._normals = np.array([np.cross(s.down, s.right) for s in fixed])
        self._across, self._down = self._lens.across(), self._lens.down()

    def draw(self, stance: Stance, robot: Occupant, with_tints: bool = False) -> Frame:
        """Draw what a robot sees that stands as ``stance`` says."""
        view = stance.view()
        frame = self._draw_ground(view, with_tints)
        surfaces: list[Surface] = [*self._facing(view), *of_lift(stance)]
        for number, cube in self._world.cubes.items():
            if not cube.is_down:
                surfaces += of_cube(number, cube.pose)
        for other in self._world.occupants:
            if other is not robot and other.is_solid():
                surfaces += of_robot(other.where())
        self._draw_surfaces(surfaces, view, frame)
        return frame

    def _facing(self, view: View) -> Iterable[Surface]:
        """Return the fixed surfaces that may be in sight."""
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
        pixel = depth * np.sqrt(depth / height) / np.float32(self._lens.fx)
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
        lens = self._lens
        columns = [x / z * lens.fx + lens.cx for x, _, z in corners]
        rows = [y / z * lens.fy + lens.cy for _, y, z in corners]
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
