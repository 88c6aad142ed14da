"""Draws surfaces into a picture: which pixels see them, where, and what hides what.

A surface is a parallelogram: the inverse of its three vectors turns a line of sight into the place
on it and into the inverse of the distance, all linear in the pixel, so that it costs a few
operations on the pixels around it. With a rolling shutter each row has a view of its own. mm, rad.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ...media import IMAGE_HEIGHT, IMAGE_WIDTH
from .floor_map import NOTHING, TINTS
from .light import Light
from .optics import Floats, Gray, Lens, View
from .surfaces import Surface
from .world import Lamp

NEAR = 5.0
"""mm; what is nearer is not seen."""
_SLACK = 1.004
"""How much farther away a print may be than what it is on, whose pixels are larger."""
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

    @classmethod
    def empty(cls) -> Frame:
        gray, nearness = np.zeros((2, IMAGE_HEIGHT, IMAGE_WIDTH), np.float32)
        return cls(gray, nearness, None)


@dataclass(frozen=True, slots=True)
class Grid:
    """Lines of sight: x/z of each column, y/z of each row, and the view of all rows or of each."""

    across: Floats
    down: Floats
    places: Floats
    """(1 or rows, 3)."""
    axes: Floats
    """(1 or rows, 3, 3)."""
    lens: Lens

    @classmethod
    def of(cls, views: Sequence[View]) -> Grid:
        """Return the grid of a picture, from one view or from those of the first and last row."""
        first, last, lens = views[0], views[-1], views[0].lens
        across = ((np.arange(IMAGE_WIDTH) - lens.cx) / lens.fx).astype(np.float32)
        down = ((np.arange(IMAGE_HEIGHT) - lens.cy) / lens.fy).astype(np.float32)
        if len(views) == 1:
            return cls(across, down, first.place[None], first.axes[None], lens)
        share = np.linspace(0.0, 1.0, IMAGE_HEIGHT)
        places = first.place + share[:, None] * (last.place - first.place)
        axes = first.axes + share[:, None, None] * (last.axes - first.axes)
        return cls(across, down, places, axes, lens)

    def finer(self, window: _Window) -> Grid:
        """Return the grid of a part, ``_FINER`` lines of sight to a pixel's side."""
        rows, columns = window
        sub = (np.arange(_FINER, dtype=np.float32) + np.float32(0.5)) / _FINER - np.float32(0.5)
        across = self.across[columns, None] + sub * (self.across[1] - self.across[0])
        down = self.down[rows, None] + sub * (self.down[1] - self.down[0])
        if len(self.places) == 1:
            return Grid(across.ravel(), down.ravel(), self.places, self.axes, self.lens)
        places, axes = (np.repeat(v[rows], _FINER, axis=0) for v in (self.places, self.axes))
        return Grid(across.ravel(), down.ravel(), places, axes, self.lens)

    def basis(self, surface: Surface, rows: slice) -> Floats:
        """Return right, down and corner of a surface in the camera's axes, (1 or rows, 3, 3)."""
        part = rows if len(self.places) > 1 else slice(1)
        places = self.places[part]
        edges = np.empty((len(places), 3, 3))
        edges[:, :, 0], edges[:, :, 1] = surface.right, surface.down
        edges[:, :, 2] = surface.corner - places
        basis: Floats = self.axes[part].transpose(0, 2, 1) @ edges
        return basis


def draw_fine(surfaces: Sequence[Surface], grid: Grid, frame: Frame, light: Light) -> None:
    """Draw the surfaces of a thing with several samples to a pixel, for edges true to its place."""
    window = _around([w for s in surfaces if (w := _window(s, grid)) is not None])
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
    draw(surfaces, grid.finer(window), fine, light)
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


def draw(surfaces: Iterable[Surface], grid: Grid, frame: Frame, light: Light) -> None:
    for surface in surfaces:
        window = _window(surface, grid)
        if window is not None:
            _draw_surface(surface, window, grid, frame, light)


def _window(surface: Surface, grid: Grid) -> _Window | None:
    """Return the rows and columns that a surface may be in, None when it is out of sight."""
    corners = []
    first_and_last = slice(None, None, max(len(grid.places) - 1, 1))
    for basis in grid.basis(surface, first_and_last):
        right, down, corner = basis.T
        corners += _in_front(corners_of(corner, right, down).tolist())
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
    surface: Surface, window: _Window, grid: Grid, frame: Frame, light: Light
) -> None:
    rows, columns = window
    basis = grid.basis(surface, rows)
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
    is_seen = (near * slack > frame.nearness[window]) & (near < 1.0 / NEAR)
    is_seen &= (s >= 0.0) & (s < near) & (t >= 0.0) & (t < near)
    found = near[is_seen]
    if not len(found):
        return
    picture = surface.pictures[_size(surface, basis[len(basis) // 2], grid)]
    height, width = picture.shape
    s, t = s[is_seen] / found, t[is_seen] / found
    column = np.minimum((s * width).astype(np.int32), width - 1)
    row = np.minimum((t * height).astype(np.int32), height - 1)
    tones = picture.ravel()[row * width + column]
    if surface.is_cutout:
        is_there = tones > NOTHING
        is_seen[is_seen] = is_there
        found, tones = found[is_there], tones[is_there]
    if surface.is_shadow:
        frame.gray[window][is_seen] *= tones * np.float32(1 / 255)
        return
    gray = tones * np.float32(surface.shade)
    if surface.is_glossy:
        gray += light.glare(*surface.edges, grid.places[0], s, t)
    frame.gray[window][is_seen] = gray
    frame.nearness[window][is_seen] = found
    if frame.tints is not None:
        frame.tints[window][is_seen] = TINTS.index(surface.tint)


def _size(surface: Surface, basis: Floats, grid: Grid) -> int:
    """Return which size of a surface's picture has about one pixel for each line of sight."""
    if len(surface.pictures) == 1:
        return 0
    depth = max(float(basis[2] @ (0.5, 0.5, 1.0)), NEAR)
    angle = abs(float(np.linalg.det(basis))) / depth**3
    seen = angle / float((grid.across[1] - grid.across[0]) * (grid.down[1] - grid.down[0]))
    level = math.floor(0.5 * math.log2(surface.pictures[0].size / max(seen, 1.0)) + 0.3)
    return min(max(level, 0), len(surface.pictures) - 1)


def corners_of(corner: Floats, right: Floats, down: Floats) -> Floats:
    return np.array([corner, corner + right, corner + right + down, corner + down])


def _in_front(corners: list[list[float]]) -> list[list[float]]:
    """Return the part of a polygon before the camera; cut where it is as near as can be seen."""
    kept = []
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        if start[2] >= NEAR:
            kept.append(start)
        if (start[2] >= NEAR) != (end[2] >= NEAR):
            share = (NEAR - start[2]) / (end[2] - start[2])
            kept.append([a + share * (b - a) for a, b in zip(start, end, strict=True)])
    return kept
