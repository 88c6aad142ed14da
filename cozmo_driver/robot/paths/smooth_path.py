"""From poses to pass to lines, arcs and turns in place (spec 07 §8). Geometry, m and rad.

Poses and segments are those of the drive center, which turns in place leave where it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..data import Pose2D
from ..geometry import wrap_angle
from .segments import (
    DEFAULT_REVERSE_SPEED,
    PATH_SPEED,
    PATH_TURN_SPEED,
    Arc,
    Line,
    Point,
    Segment,
    Turn,
    with_turns,
)

SAME_POINT = 0.002
"""Poses closer together than this are one, m."""
AT_GOAL = 0.005
"""Nearer than this to its goal the robot only turns, m (spec 07 §8)."""
_AT_START = 0.015
"""The robot does not go back for poses this close to where it stands, m."""
SAME_DIRECTION = math.radians(2.0)
"""Smaller changes of direction need no turn (spec 07 §8)."""
_STRAIGHT_WITHIN = 0.003
"""Poses closer than this to a line between others are on it, m."""
_CORNER_CUT = 0.010
"""How far from a corner the robot may pass when it drives around it, m."""
_SHARPEST_CORNER = math.radians(100.0)
_SMALLEST_RADIUS = 0.060
"""Around smaller circles the robot keeps to its track less well, m."""
_ARC_SYMMETRY = math.radians(3.0)
_WIDEST_CHORD = math.radians(80.0)
_LONGEST_SWEEP = math.pi


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A point to pass; ``yaw`` in rad, None where any heading will do."""

    x: float
    y: float
    yaw: float | None = None

    @property
    def point(self) -> Point:
        return self.x, self.y


@dataclass(frozen=True, slots=True)
class PathStyle:
    """How to drive: m/s, rad/s."""

    speed: float = 0.0
    """0 for the default of the direction."""
    turn_speed: float = PATH_TURN_SPEED
    is_reverse: bool = False

    def __post_init__(self) -> None:
        # They raise ``ValueError`` for speeds that no segment can have.
        Line((0.0, 0.0), (0.0, 0.0), self.signed_speed)
        Turn((0.0, 0.0), 0.0, speed=self.turn_speed)

    @property
    def signed_speed(self) -> float:
        if self.is_reverse:
            return -(abs(self.speed) or DEFAULT_REVERSE_SPEED)
        return abs(self.speed) or PATH_SPEED


def smooth_path(
    start: Pose2D, waypoints: Sequence[Waypoint], style: PathStyle, near: float = AT_GOAL
) -> list[Segment]:
    """Return the segments from ``start`` past the waypoints; empty when it is there already.

    For a goal that nothing else comes before and that is nearer than ``near``, m, it only turns.

    Two poses whose headings are tangents of one circle are joined by an arc, all others by lines.
    Small corners are driven around, sharp ones turned at; headings between the ends that do not
    fit the path are ignored, the last one is reached. Raises ``ValueError`` for no or bad poses.
    """
    check_waypoints(waypoints)
    route = _without_repetitions([Waypoint(start.x, start.y, start.yaw), *waypoints])
    if len(route) == 2 and math.dist(route[0].point, route[1].point) < near:
        route.pop()
    goal = waypoints[-1]
    segments = _round_corners(_connect(route, style.signed_speed))
    turned = with_turns(segments, start.yaw, SAME_DIRECTION, style.turn_speed)
    segments = [segment for _, segment in turned]
    heading = segments[-1].end_heading if segments else start.yaw
    is_bent = bool(segments) and isinstance(segments[-1], Arc)
    if goal.yaw is not None and (is_bent or _differs(goal.yaw, heading)):
        end = segments[-1].end if segments else (start.x, start.y)
        segments.append(Turn(end, wrap_angle(goal.yaw), speed=style.turn_speed))
    return segments


def check_waypoints(waypoints: Sequence[Waypoint]) -> None:
    """Raise ``ValueError`` for what ``smooth_path`` would refuse."""
    if not waypoints:
        raise ValueError("the path holds no pose")
    for number, waypoint in enumerate(waypoints):
        values = (waypoint.x, waypoint.y, waypoint.yaw or 0.0)
        if not all(math.isfinite(value) and abs(value) < 1e4 for value in values):
            raise ValueError(f"pose {number} of the path is not finite or absurdly far away")


def _differs(a: float, b: float) -> bool:
    return abs(wrap_angle(a - b)) > SAME_DIRECTION


def _without_repetitions(waypoints: Sequence[Waypoint]) -> list[Waypoint]:
    """Drop poses that stand where the last one does; the later heading counts."""
    start, *others = waypoints
    while len(others) > 1 and math.dist(others[0].point, start.point) < _AT_START:
        others.pop(0)
    route = [start]
    for waypoint in others:
        if math.dist(waypoint.point, route[-1].point) >= SAME_POINT:
            route.append(waypoint)
        elif len(route) > 1 and waypoint.yaw is not None:
            route[-1] = replace(route[-1], yaw=waypoint.yaw)
    return route


def _connect(route: Sequence[Waypoint], speed: float) -> list[Segment]:
    """Join poses by arcs where their headings ask for it, the others by as few lines as do."""
    segments: list[Segment] = []
    points = [route[0].point]
    for here, there in pairwise(route):
        arc = _arc_between(here, there, speed)
        if arc is None:
            points.append(there.point)
            continue
        segments += _lines(points, speed)
        points = [there.point]
        if not _extend(segments, arc):
            segments.append(arc)
    return segments + _lines(points, speed)


def _arc_between(here: Waypoint, there: Waypoint, speed: float) -> Arc | None:
    """Return the arc that leaves and arrives with the given headings, if there is one."""
    if here.yaw is None or there.yaw is None:
        return None
    (x0, y0), (x1, y1) = here.point, there.point
    chord = math.atan2(y1 - y0, x1 - x0) + (0.0 if speed > 0 else math.pi)
    leaving, arriving = wrap_angle(chord - here.yaw), wrap_angle(there.yaw - chord)
    half = (leaving + arriving) / 2
    if abs(leaving - arriving) > _ARC_SYMMETRY or not SAME_DIRECTION < abs(half) < _WIDEST_CHORD:
        return None
    if abs(leaving - arriving) > abs(half) / 2:
        return None
    radius = math.dist(here.point, there.point) / 2 / math.sin(abs(half))
    if not _SMALLEST_RADIUS <= radius <= 100.0:
        return None
    # The centre lies on the same side of the path, forward or backwards.
    toward = chord - half + math.copysign(math.pi / 2, half) + (0.0 if speed > 0 else math.pi)
    center = (x0 + radius * math.cos(toward), y0 + radius * math.sin(toward))
    start = math.atan2(y0 - center[1], x0 - center[0])
    end = math.atan2(y1 - center[1], x1 - center[0])
    return Arc(center, radius, start, wrap_angle(end - start), speed=speed)


def _extend(segments: list[Segment], arc: Arc) -> bool:
    """Lengthen the last arc by one that goes on around the same circle."""
    last = segments[-1] if segments else None
    if not isinstance(last, Arc) or last.sweep_angle * arc.sweep_angle <= 0:
        return False
    if math.dist(last.center, arc.center) > 0.02 * last.radius:
        return False
    sweep = last.sweep_angle + arc.sweep_angle
    if abs(sweep) > _LONGEST_SWEEP:
        return False
    segments[-1] = replace(last, sweep_angle=sweep)
    return True


def _lines(points: Sequence[Point], speed: float) -> list[Segment]:
    return [Line(a, b, speed=speed) for a, b in pairwise(_simplified(points))]


def _simplified(points: Sequence[Point]) -> list[Point]:
    """Drop points that lie on the line between others (Douglas-Peucker, without recursion)."""
    if len(points) < 3:
        return list(points)
    keep = {0, len(points) - 1}
    open_ranges = [(0, len(points) - 1)]
    while open_ranges:
        first, last = open_ranges.pop()
        farthest, distance = first, _STRAIGHT_WITHIN
        for index in range(first + 1, last):
            away = _distance_to_line(points[index], points[first], points[last])
            if away > distance:
                farthest, distance = index, away
        if farthest != first:
            keep.add(farthest)
            open_ranges += [(first, farthest), (farthest, last)]
    return [points[index] for index in sorted(keep)]


def _distance_to_line(point: Point, a: Point, b: Point) -> float:
    """Return the distance of a point to the piece of line from ``a`` to ``b``."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    if square == 0.0:
        return math.dist(point, a)
    share = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / square
    share = min(1.0, max(0.0, share))
    return math.dist(point, (a[0] + share * dx, a[1] + share * dy))


def _round_corners(segments: Sequence[Segment]) -> list[Segment]:
    """Put an arc around every corner between two lines that is not too sharp."""
    rounded: list[Segment] = []
    for index, segment in enumerate(segments):
        before = rounded[-1] if rounded else None
        if isinstance(segment, Line) and isinstance(before, Line):
            # Half of each line is left for the corner at its other end.
            whole = segments[index - 1].length
            corner = _corner(before, segment, min(whole, segment.length) / 2)
            if corner is not None:
                rounded[-1] = replace(before, end=corner.start)
                rounded.append(corner)
                segment = replace(segment, start=corner.end)
        rounded.append(segment)
    return [segment for segment in rounded if segment.length >= SAME_POINT / 2]


def _corner(before: Line, after: Line, room: float) -> Arc | None:
    """Return the arc that cuts a corner within the tolerances, if there is one."""
    angle = wrap_angle(after.start_heading - before.end_heading)
    if not SAME_DIRECTION < abs(angle) <= _SHARPEST_CORNER:
        return None
    half = abs(angle) / 2
    radius = min(_CORNER_CUT / (1 / math.cos(half) - 1), room / math.tan(half))
    if not _SMALLEST_RADIUS <= radius <= 100.0:
        return None
    tangent = radius * math.tan(half)
    (x0, y0), (x1, y1) = before.start, before.end
    direction = math.atan2(y1 - y0, x1 - x0)
    start = (x1 - tangent * math.cos(direction), y1 - tangent * math.sin(direction))
    normal = direction + math.copysign(math.pi / 2, angle)
    center = (start[0] + radius * math.cos(normal), start[1] + radius * math.sin(normal))
    return Arc(center, radius, wrap_angle(normal + math.pi), angle, speed=before.speed)
