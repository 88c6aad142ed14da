"""Looking at what its map of the floor does not know yet (spec 17 §1.2)."""

from __future__ import annotations

import math

from ...robot import Pose2D, Reason, RobotError
from ..behavior import Life, behavior
from ..sight import SeenMap, Sense
from .clips import clips
from .looking import HEAD_SPEED, distance_to, look_at, lower_lift, why_blind

_SECTORS = 8
_RADII = (0.12, 0.18, 0.24, 0.30)
_HEAD = math.radians(-12.0)
_EDGE, _CERTAIN = 80, 100
_NEAREST, _FARTHEST = 0.15, 0.80
_VANTAGE = 0.13
"""m before an edge, from where it is looked at."""
_VISITED = "visited_edges"
_SAME = 0.10
_MAP_TIME = 3.0


async def _map(life: Life) -> SeenMap:
    """Return the map, once it has come. Raises ``RobotError``."""
    life.body.watch(Sense.MAP, True)
    life.step("recalls the floor")
    await life.until(lambda: life.sight.map is not None, _MAP_TIME)
    if (known := life.sight.map) is None:
        raise RobotError(Reason.NOT_SEEN, "no map of the floor has come: is the camera on?")
    return known


def _unseen(life: Life, known: SeenMap) -> list[float]:
    """Return the headings in which most of the floor around it was not seen yet."""
    here, found = life.senses.pose, []
    for sector in range(_SECTORS):
        heading = here.yaw + sector * 2 * math.pi / _SECTORS
        cells = [
            known.at(here.x + r * math.cos(heading + off), here.y + r * math.sin(heading + off))
            for r in _RADII
            for off in (-0.25, 0.0, 0.25)
        ]
        if sum(cell < 0 for cell in cells) > len(cells) / 2:
            found.append(heading)
    return found


@behavior("LookInPlaceMemoryMap", why_not=why_blind(Sense.MAP), drives=True)
async def look_in_place(life: Life) -> None:
    """Turns to every direction in which it has not seen the floor yet."""
    await lower_lift(life)
    await life.body.move_head(_HEAD, HEAD_SPEED)
    await _map(life)
    for turn in range(_SECTORS):
        known = life.sight.map
        unseen = _unseen(life, known) if known is not None else []
        if not unseen:
            break
        here = life.senses.pose.yaw
        heading = min(unseen, key=lambda one: abs(math.remainder(one - here, 2 * math.pi)))
        life.step(f"looks where it has not seen the floor, {turn + 1}")
        angle = math.remainder(heading - here, 2 * math.pi)
        if abs(angle) < math.radians(10.0):
            # It looks there already, and sees no floor: that is how it is.
            angle = 2 * math.pi / _SECTORS
        await life.body.turn(angle)
        await life.wait(life.config.number("pause_s", 1.2))
    life.mood.feel("ExploredSomewhere")


@behavior(
    "VisitInterestingEdge", triggers=clips("Curiosity"), why_not=why_blind(Sense.MAP), drives=True
)
async def visit_interesting_edge(life: Life) -> None:
    """Goes to look at an edge on its map that it has not been at lately."""
    known = await _map(life)
    visited: list[tuple[float, float]] = life.situation.places.setdefault(_VISITED, [])
    edges = [
        place
        for place in known.places(_EDGE)
        if _NEAREST < distance_to(life, *place) < _FARTHEST
        and known.at(*place) < _CERTAIN
        and all(math.dist(place, one) > _SAME for one in visited)
    ]
    edge = min(edges, key=lambda one: distance_to(life, *one), default=None)
    if edge is None:
        raise RobotError(Reason.NOT_FOUND, "there is no edge on its map that it has not visited")
    visited.append(edge)
    del visited[:-20]
    here = life.senses.pose
    heading = math.atan2(edge[1] - here.y, edge[0] - here.x)
    x, y = edge[0] - _VANTAGE * math.cos(heading), edge[1] - _VANTAGE * math.sin(heading)
    life.step("goes to look at an edge")
    await life.body.go_to(Pose2D(x, y, heading), avoids=True)
    await look_at(life, (*edge, 0.0))
    await life.play("Curiosity")
    life.mood.feel("ExploredSomewhere")
