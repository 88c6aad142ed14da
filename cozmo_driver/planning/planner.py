"""The path to one of several goals: straight where that is free, else through the lattice."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..robot import PATH_SPEED, Arc, Line, Pose2D, Segment, Turn
from .configuration_space import ConfigurationSpace
from .lattice import Kind, drive_cost, spin_cost
from .lattice_search import (
    HASTY_HEURISTIC_WEIGHT,
    HEURISTIC_WEIGHT,
    SOFT_COST,
    Found,
    Limit,
    Node,
    NoPath,
    OutOfTime,
    Search,
)
from .obstacles import (
    HARD,
    ROBOT,
    SOFT,
    Box,
    Floats,
    Footprint,
    along,
    box_distances,
    clearance,
    columns,
    first_hit,
    track,
)

MARGIN = 0.300
"""Around start and goals that is searched for a path, m."""
LONGEST = 1.0
"""Computing, s, that a plan may take: the hardest of 300 tables of ten cubes took 0.3 to 0.5 s, and
small computers are several times slower."""
_UNHURRIED = 0.25
"""The share of it after which a path may be longer, and is found in a third of the time."""
_FARTHEST = 3.0
"""Goals farther away than this are left out, m: the lattice grows with the square of it."""
_SHORT_DISTANCE_BACK = 0.100
_LONGEST_ESCAPE = 0.150
_ESCAPE_STEP = 0.005
_AT = 0.0005
_SAME_ANGLE = 0.002
_ROUNDING = 1e-6
_REVERSE_SPEED = -0.080


@dataclass(frozen=True, slots=True)
class Plan:
    """The path from where the robot is to the goal with this number; none where it is there."""

    segments: tuple[Segment, ...]
    goal: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the path: a turn, a line and a turn."""

    segments: tuple[Segment, ...]
    cost: float
    is_clear: bool = False
    """It goes nowhere near an obstacle."""


def plan(
    start: Pose2D,
    goals: Sequence[Pose2D],
    boxes: Sequence[Box] = (),
    footprint: Footprint = ROBOT,
    *,
    longest: float = LONGEST,
    is_wanted: Callable[[], bool] = lambda: True,
) -> Plan:
    """Return the path from ``start`` to the goal that is reached soonest.

    It begins straight ahead or back where the start is inside an obstacle. Ends after ``longest``,
    s, and soon after nobody wants it any more. Raises ``NoPath``, and ``ValueError`` for goals that
    are none.
    """
    near = _near(start, goals)
    limit = Limit(longest, is_wanted)
    scene = _Scene(boxes, footprint, limit)
    escape, begin = scene.escape(start)
    possible = [near[number] for number in scene.open([goals[number] for number in near])]
    direct = [
        (piece, number)
        for number in possible
        if (piece := scene.straight(begin, goals[number])) is not None and piece.is_clear
    ]
    if direct:
        piece, number = min(direct, key=lambda one: one[0].cost)
        return Plan((*escape, *piece.segments), number)
    wanted = {number: goals[number] for number in possible}
    why_not = ""
    for size in (footprint, footprint.grown(HARD)):
        try:
            segments, number = _through_lattice(scene, begin, wanted, size)
        except NoPath as error:
            found = f"{error}{scene.first_before(begin, goals[possible[0]])}"
            raise NoPath(why_not or found) from None
        if not scene.is_hit(segments, begin):
            return Plan((*escape, *segments), number)
        # Between its samples a move may come nearer to an obstacle than the lattice knows.
        why_not = "the only path is too narrow: make room between the obstacles"
    raise NoPath(why_not)


def _through_lattice(
    scene: _Scene, start: Pose2D, goals: dict[int, Pose2D], footprint: Footprint
) -> tuple[list[Segment], int]:
    """Return a path for a robot of a size, and the goal's number. Raises ``NoPath``."""
    frame = start.inverse()
    seen = {number: frame.compose(goal) for number, goal in goals.items()}
    xs, ys = [0.0, *(g.x for g in seen.values())], [0.0, *(g.y for g in seen.values())]
    boxes = [_transformed(frame, box) for box in scene.boxes]
    low, high = (min(xs) - MARGIN, min(ys) - MARGIN), (max(xs) + MARGIN, max(ys) + MARGIN)
    there = _Scene(boxes, footprint, scene.limit)

    def direct_cost(here: Pose2D, goal: Pose2D) -> float | None:
        if _ROUNDING < math.hypot(goal.x - here.x, goal.y - here.y) <= _AT:
            # No line is drawn for so little: the path would end beside the goal.
            return None
        piece = there.straight(here, goal)
        return None if piece is None else piece.cost

    space = ConfigurationSpace(low, high, boxes, footprint, scene.limit.check)

    found: Found | None = None
    for weight, share in ((HEURISTIC_WEIGHT, _UNHURRIED), (HASTY_HEURISTIC_WEIGHT, 1.0)):
        search = Search(space, list(seen.values()), direct_cost, weight)
        try:
            found = search.run(partial(scene.limit.check, share))
            break
        except OutOfTime as error:
            # A path that may not be the best one is better than none.
            found, late = search.best() or found, error
    if found is None:
        raise late
    nodes = [replace(node, pose=start.compose(node.pose)) for node in found.nodes]
    return _merged(scene.shortened(nodes)), list(seen)[found.goal]


class _Scene:
    """A robot of some size among obstacles."""

    def __init__(self, boxes: Sequence[Box], footprint: Footprint, limit: Limit) -> None:
        self.boxes, self.footprint, self.limit = boxes, footprint, limit
        self._named = [box for box in boxes if not box.is_soft]
        self._hard = columns(self._named)
        self._soft = columns([box for box in boxes if box.is_soft])

    def open(self, goals: Sequence[Pose2D]) -> list[int]:
        """Return the numbers of the goals where nothing stands. Raises ``NoPath``."""
        distances = clearance(_rows(*goals), self._hard, self.footprint)
        numbers = [int(number) for number in np.flatnonzero(distances >= HARD)]
        if not numbers:
            raise NoPath(
                f"{self._name_at(goals[int(distances.argmax())])} is in the way at the goal"
            )
        return numbers

    def escape(self, start: Pose2D) -> tuple[list[Segment], Pose2D]:
        """Return the shortest straight path out of what it stands in, and its end.

        Raises ``NoPath``.
        """
        if clearance(_rows(start), self._hard, self.footprint)[0] >= HARD:
            return [], start
        ends = []
        for speed in (_REVERSE_SPEED, PATH_SPEED):
            steps = math.copysign(1.0, speed) * np.arange(0.0, _LONGEST_ESCAPE, _ESCAPE_STEP)
            poses = [start.compose(Pose2D(float(step))) for step in steps]
            distances = clearance(_rows(*poses), self._hard, self.footprint)
            out = int((distances >= HARD).argmax())
            if distances[out] >= HARD and (np.diff(distances[: out + 1]) > -1e-9).all():
                ends.append((out, speed, poses[out]))
        if not ends:
            name = self._name_at(start)
            raise NoPath(f"the robot stands against {name} and has no room to leave it straight")
        _, speed, end = min(ends, key=lambda one: one[0])
        return [Line((start.x, start.y), (end.x, end.y), speed)], end

    def straight(self, here: Pose2D, there: Pose2D, dearest: float = math.inf) -> _Piece | None:
        """Return the cheapest turn, line and turn that is free and costs no more."""
        is_short = _AT < math.hypot(there.x - here.x, there.y - here.y) <= _SHORT_DISTANCE_BACK
        paths = [
            (*_straight(here, there, is_back), is_back) for is_back in (False, True)[: 1 + is_short]
        ]
        for cost, segments, is_back in sorted(paths, key=lambda path: path[0]):
            if cost > dearest:
                return None
            nearest = self._line_clearance(here, there, is_back)
            if nearest < HARD - _ROUNDING:
                continue
            piece = self._judged(segments, cost, here, nearest)
            if piece is not None and piece.cost <= dearest:
                return piece
        return None

    def _line_clearance(self, here: Pose2D, there: Pose2D, is_back: bool) -> float:
        """Return the distance to the nearest obstacle while driving straight, in one rectangle."""
        if not self._hard.size:
            return math.inf
        length = math.hypot(there.x - here.x, there.y - here.y)
        if length <= _AT:
            return float(clearance(_rows(there), self._hard, self.footprint)[0])
        yaw = math.atan2(there.y - here.y, there.x - here.x) + is_back * math.pi
        size = self.footprint
        driven = replace(
            size, front=size.front + (not is_back) * length, rear=size.rear + is_back * length
        )
        return float(box_distances(here.x, here.y, yaw, self._hard, driven).min())

    def _judged(
        self, segments: list[Segment], cost: float, start: Pose2D, nearest: float
    ) -> _Piece | None:
        """Return a path with what obstacles near it cost; None where it meets one."""
        turns = [segment for segment in segments if isinstance(segment, Turn)]
        if turns and self._hard.size:
            turned = _turned(segments, start)
            nearest = min(nearest, float(clearance(turned, self._hard, self.footprint).min()))
        if nearest < HARD - _ROUNDING:
            return None
        if nearest >= SOFT and not self._soft.size:
            return _Piece(tuple(segments), cost, True)
        poses = track(segments, start)
        depth = np.clip((SOFT - clearance(poses, self._hard, self.footprint)) / (SOFT - HARD), 0, 1)
        depth[clearance(poses, self._soft, self.footprint) < 0.0] = 1.0
        length = sum(segment.length for segment in segments)
        cost += SOFT_COST * length * float(depth.mean())
        return _Piece(tuple(segments), cost, not depth.any())

    def shortened(self, nodes: Sequence[Node]) -> list[Segment]:
        """Return the path in few segments: straight wherever that is free and takes no longer.

        What is left when the time is over stays as it was found.
        """
        segments: list[Segment] = []
        index, last = 0, len(nodes) - 1
        while index < last:
            here, found = nodes[index], None
            for farther in range(index + 1 if self.limit.is_over() else last, index, -1):
                there = nodes[farther]
                # The last leg was found straight, in another frame, where it may cost less.
                is_straight = farther == index + 1 and there.move is None
                dearest = math.inf if is_straight else there.cost - here.cost + _ROUNDING
                found = self.straight(here.pose, there.pose, dearest)
                if found is not None:
                    break
            segments += found.segments if found is not None else _move(here.pose, there)
            index = farther
        return segments

    def is_hit(self, segments: Sequence[Segment], start: Pose2D) -> bool:
        distances = clearance(track(segments, start), self._hard, self.footprint)
        return bool(distances.min() < HARD / 3)

    def first_before(self, here: Pose2D, there: Pose2D) -> str:
        """Return what is in the way straight from one pose to another, for a text."""
        _, segments = _straight(here, there)
        box = first_hit(segments, here, self._named, self.footprint)
        return f"; {box.name or 'an obstacle'} is in the way straight there" if box else ""

    def _name_at(self, pose: Pose2D) -> str:
        distances = box_distances(pose.x, pose.y, pose.yaw, self._hard, self.footprint)
        return self._named[int(np.argmin(distances))].name or "an obstacle"


def _turned(segments: Sequence[Segment], start: Pose2D) -> Floats:
    """Return the poses of the turns, (n, 3)."""
    rows, yaw = [], start.yaw
    for segment in segments:
        if isinstance(segment, Turn):
            rows.append(along(segment, yaw))
        yaw = segment.end_heading
    return np.concatenate(rows)


def _straight(here: Pose2D, there: Pose2D, is_reverse: bool = False) -> tuple[float, list[Segment]]:
    """Return what a turn, a line and a turn cost, and those of them that are needed."""
    segments: list[Segment] = []
    cost, yaw = 0.0, here.yaw
    length = math.hypot(there.x - here.x, there.y - here.y)

    def turn(x: float, y: float, target: float) -> float:
        angle = math.remainder(target - yaw, 2 * math.pi)
        if abs(angle) < _SAME_ANGLE:
            return 0.0
        segments.append(Turn((x, y), math.remainder(target, 2 * math.pi)))
        return spin_cost(angle)

    if length > _AT:
        heading = math.atan2(there.y - here.y, there.x - here.x) + is_reverse * math.pi
        cost += turn(here.x, here.y, heading)
        speed = _REVERSE_SPEED if is_reverse else PATH_SPEED
        segments.append(Line((here.x, here.y), (there.x, there.y), speed))
        cost += drive_cost(length, is_reverse=is_reverse)
        yaw = heading
    cost += turn(there.x, there.y, there.yaw)
    return cost, segments


def _move(here: Pose2D, node: Node) -> tuple[Segment, ...]:
    """Return the segments of the primitive, or the straight leg, that leads to a node."""
    move, there = node.move, node.pose
    if move is None:
        return tuple(_straight(here, there)[1])
    if move.kind is Kind.SPIN:
        return (Turn((here.x, here.y), math.remainder(there.yaw, 2 * math.pi)),)
    if move.kind is Kind.LINE:
        speed = _REVERSE_SPEED if move.is_reverse else PATH_SPEED
        return (Line((here.x, here.y), (there.x, there.y), speed),)
    begin = here.compose(Pose2D(move.line)) if move.is_line_first else here
    side = math.copysign(math.pi / 2, move.sweep)
    center = begin.compose(Pose2D(0.0, math.copysign(move.radius, move.sweep)))
    arc = Arc((center.x, center.y), move.radius, begin.yaw - side, move.sweep)
    if move.line < _AT:
        return (arc,)
    if move.is_line_first:
        return Line((here.x, here.y), (begin.x, begin.y)), arc
    return arc, Line(arc.end, (there.x, there.y))


def _merged(segments: Sequence[Segment]) -> list[Segment]:
    """Join lines that go on straight, and turns that follow each other."""
    merged: list[Segment] = []
    for segment in segments:
        last = merged[-1] if merged else None
        if isinstance(segment, Turn) and isinstance(last, Turn):
            merged[-1] = segment
        elif isinstance(segment, Line) and isinstance(last, Line) and _goes_on(last, segment):
            merged[-1] = replace(last, end=segment.end)
        else:
            merged.append(segment)
    return merged


def _goes_on(last: Line, line: Line) -> bool:
    is_same_way = last.speed == line.speed
    return (
        is_same_way
        and abs(math.remainder(line.start_heading - last.end_heading, 2 * math.pi)) < _SAME_ANGLE
    )


def _rows(*poses: Pose2D) -> Floats:
    return np.array([(pose.x, pose.y, pose.yaw) for pose in poses])


def _transformed(frame: Pose2D, box: Box) -> Box:
    place = frame.compose(Pose2D(box.x, box.y, box.yaw))
    return replace(box, x=place.x, y=place.y, yaw=place.yaw)


def _near(start: Pose2D, goals: Sequence[Pose2D]) -> list[int]:
    """Return the numbers of the goals that are near enough. Raises ``NoPath``, ``ValueError``."""
    if not goals:
        raise ValueError("there is no goal")
    for pose in (start, *goals):
        if not all(map(math.isfinite, (pose.x, pose.y, pose.yaw))):
            raise ValueError(f"start and goals are finite, not {pose}")
    numbers = [
        number
        for number, goal in enumerate(goals)
        if math.hypot(goal.x - start.x, goal.y - start.y) <= _FARTHEST
    ]
    if not numbers:
        raise NoPath(f"a goal more than {_FARTHEST:g} m away is too far to plan a path to")
    return numbers
