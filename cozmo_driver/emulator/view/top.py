"""The world from above: floors, walls, boxes, cubes, the charger, and robots with their trails."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Sequence
from copy import copy

from PIL import Image, ImageDraw, ImageFont

from ..body import Pose2D
from ..world.layout import TINT_COLORS, Layout, Tint, charger_plate, charger_wall, robot_shape
from ..world.polygons import Point
from ..world.world import World

Color = tuple[int, int, int]
_LONGEST = 760
"""Pixels of the longer side, margins aside."""
_FINER = 2
"""Everything is drawn so many times as large, for smooth edges."""
_MARGIN = 24
_NOTHING, _OUTLINE, _TEXT = (25, 25, 30), (15, 15, 15), (240, 240, 240)
_EDGE = (238, 238, 238)
"""Of walls and boxes, so that a wall at the end of a floor differs from a cliff."""
_ROBOT, _CUBE, _CHARGER = (240, 240, 240), (205, 205, 205), (225, 225, 225)
_HUES = ((40, 110, 220), (225, 90, 40), (40, 150, 80), (160, 70, 190))
_TRAIL = 2000
"""Points of a robot's trail that are kept."""
_STEP, _LEAP = 8.0, 80.0
"""mm between points of a trail; more than the latter, and the robot was carried."""
_AROUND = 500.0
"""mm; an endless floor is shown in pieces of this size, and this far around the robots."""
_SQUARE = 100.0
"""mm between the lines on it."""
_BARS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Lengths of the scale bar in m."""


class TopView:
    """Draws one world again and again, and remembers where its robots went."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._trails: list[deque[Pose2D]] = []
        self._paper: _Paper | None = None
        self._drawn: Hashable = None

    def update(self) -> Image.Image | None:
        """Return a picture in colours, x to the right and y up; None if nothing has changed."""
        world = self._world
        robots = [occupant.where() for occupant in world.occupants]
        self._follow(robots)
        cubes = tuple((cube.number, cube.pose) for cube in world.cubes.values())
        shown = (tuple(robots), cubes)
        if shown == self._drawn:
            return None
        self._drawn = shown
        return self._draw(robots)

    def _follow(self, robots: Sequence[Pose2D]) -> None:
        if len(self._trails) != len(robots):
            self._trails = [deque(maxlen=_TRAIL) for _ in robots]
        for trail, pose in zip(self._trails, robots, strict=True):
            if not trail or math.hypot(pose.x - trail[-1].x, pose.y - trail[-1].y) >= _STEP:
                trail.append(pose)

    def _draw(self, robots: Sequence[Pose2D]) -> Image.Image:
        world = self._world
        low, high = _extent(world.layout, [pose for trail in self._trails for pose in trail])
        if self._paper is None or (self._paper.low, self._paper.high) != (low, high):
            ground = _colored(world.layout.ground.gray, Tint.WHITE)
            self._paper = _Paper(low, high, _NOTHING if world.layout.floors else ground)
            _draw_fixed(self._paper, world)
        paper = self._paper.copy()
        for cube in world.cubes.values():
            paper.fill(cube.shape.corners, _CUBE, _OUTLINE)
            paper.write(cube.pose, str(cube.number), _OUTLINE)
        for number, (trail, pose) in enumerate(zip(self._trails, robots, strict=True)):
            hue = _HUES[number % len(_HUES)]
            for piece in _pieces([*trail, pose]):
                paper.line(piece, hue)
        for number, pose in enumerate(robots):
            paper.fill(robot_shape(pose).corners, _ROBOT, _OUTLINE)
            nose = [pose.then(Pose2D(x, y)) for x, y in ((32.0, 0.0), (2.0, 22.0), (2.0, -22.0))]
            paper.fill([(p.x, p.y) for p in nose], _HUES[number % len(_HUES)])
            if len(robots) > 1:
                paper.write(pose.then(Pose2D(-22.0)), str(number + 1), _OUTLINE)
        return paper.finished()


def _extent(layout: Layout, robots: Sequence[Pose2D]) -> tuple[Point, Point]:
    """Return the lower left and upper right corner of what is shown, mm."""
    points = [corner for floor in layout.floors for corner in floor.corners]
    if points:
        xs, ys = zip(*points, strict=True)
        return (min(xs), min(ys)), (max(xs), max(ys))
    xs, ys = zip(*((pose.x, pose.y) for pose in robots), strict=True)
    low = [_AROUND * (math.floor(min(v) / _AROUND) - 1) for v in (xs, ys)]
    high = [_AROUND * (math.ceil(max(v) / _AROUND) + 1) for v in (xs, ys)]
    return (low[0], low[1]), (high[0], high[1])


def _pieces(trail: Sequence[Pose2D]) -> list[list[Point]]:
    """Return the stretches that the robot drove, cut where it was carried."""
    pieces: list[list[Point]] = []
    last: Pose2D | None = None
    for pose in trail:
        if last is None or math.hypot(pose.x - last.x, pose.y - last.y) > _LEAP:
            pieces.append([])
        pieces[-1].append((pose.x, pose.y))
        last = pose
    return [piece for piece in pieces if len(piece) > 1]


def _draw_fixed(paper: _Paper, world: World) -> None:
    if not world.layout.floors:
        paper.draw_lines(_colored(round(world.layout.ground.gray * 0.93), Tint.WHITE))
    for floor in world.layout.floors:
        paper.fill(floor.corners, _colored(floor.gray, floor.tint))
    for hole in world.layout.holes:
        paper.fill(hole, _NOTHING)
    if world.charger is not None:
        paper.fill(charger_plate(world.charger).corners, _CHARGER, _OUTLINE)
        paper.fill(charger_wall(world.charger).shape.corners, _OUTLINE)
    for solid in world.layout.solids:
        paper.fill(solid.shape.corners, _colored(round(solid.gray * 0.7), solid.tint), _EDGE)
    paper.draw_scale()


class _Paper:
    """A picture that takes millimetres of the world."""

    def __init__(self, low: Point, high: Point, color: Color) -> None:
        """Show what is between two corners."""
        self.low, self.high = low, high
        width, height = high[0] - low[0], high[1] - low[1]
        self._scale = _LONGEST * _FINER / max(width, height)
        margins = 2 * _MARGIN * _FINER
        size = [-(-round(v * self._scale + margins) // _FINER) * _FINER for v in (width, height)]
        self._set_picture(Image.new("RGB", (size[0], size[1]), color))

    def _set_picture(self, picture: Image.Image) -> None:
        self._picture, self._draw = picture, ImageDraw.Draw(picture)

    def copy(self) -> _Paper:
        paper = copy(self)
        paper._set_picture(self._picture.copy())
        return paper

    def finished(self) -> Image.Image:
        return self._picture.reduce(_FINER)

    def _at(self, x: float, y: float) -> Point:
        margin = _MARGIN * _FINER
        return (
            (x - self.low[0]) * self._scale + margin,
            (self.high[1] - y) * self._scale + margin,
        )

    def fill(self, corners: Sequence[Point], color: Color, outline: Color | None = None) -> None:
        self._draw.polygon([self._at(x, y) for x, y in corners], color, outline, _FINER)

    def line(self, points: Sequence[Point], color: Color) -> None:
        self._draw.line([self._at(x, y) for x, y in points], color, 2 * _FINER, "curve")

    def write(self, pose: Pose2D, text: str, color: Color = _TEXT) -> None:
        size = min(max(26.0 * self._scale, 8.0 * _FINER), 24.0 * _FINER)
        place = self._at(pose.x, pose.y)
        self._draw.text(place, text, color, ImageFont.load_default(size), anchor="mm")

    def draw_lines(self, color: Color) -> None:
        """Draw lines across the ground, which make moving visible on an endless floor."""
        for axis in (0, 1):
            for number in range(round((self.high[axis] - self.low[axis]) / _SQUARE) + 1):
                low, high = list(self.low), list(self.high)
                low[axis] = high[axis] = self.low[axis] + number * _SQUARE
                self._draw.line([self._at(*low), self._at(*high)], color, _FINER)

    def draw_scale(self) -> None:
        """Draw a bar of a round length into the lower left corner of the margin."""
        room = self._picture.width / 4
        fitting = [bar for bar in _BARS if bar * 1000.0 * self._scale <= room]
        length = fitting[-1] if fitting else _BARS[0]
        left, y = _MARGIN * _FINER, self._picture.height - _MARGIN * _FINER // 2
        right = left + length * 1000.0 * self._scale
        is_dark = sum(self._picture.getpixel((0, 0))) < 384  # type: ignore[arg-type]
        color = _TEXT if is_dark else _OUTLINE
        self._draw.line([(left, y), (right, y)], color, 2 * _FINER)
        for x in (left, right):
            self._draw.line([(x, y - 4 * _FINER), (x, y + 4 * _FINER)], color, _FINER)
        font = ImageFont.load_default(11 * _FINER)
        self._draw.text((right + 6 * _FINER, y), f"{length:g} m", color, font, anchor="lm")


def _colored(gray: int, tint: Tint) -> Color:
    red, green, blue = (min(round(gray * part), 255) for part in TINT_COLORS[tint])
    return red, green, blue
