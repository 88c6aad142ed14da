"""The map of the floor that a program asks for (spec 21 §5)."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

from .nav_memory_map import EvtNewNavMemoryMap, NavMemoryMapGrid, built
from .objects import Charger

if TYPE_CHECKING:
    from .world import World

_LEAST_PERIOD = 0.1
_CLEAR = 60.0
"""mm around where the robot has been that are known to be free."""
_STEP = 15.0
_MOST_PLACES = 2000


class MapMaker:
    """Makes the map, as often as it is wanted."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.latest: NavMemoryMapGrid | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._been: list[tuple[float, float]] = []
        self._origin = -1

    def request(self, period: float) -> None:
        """Make one every ``period`` s; negative for no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if period >= 0:
            self._make(max(period, _LEAST_PERIOD))

    def _make(self, period: float) -> None:
        world = self._world
        side = world._side
        if side is None or side.ended is not None:
            return
        pose = world._robot.pose
        if pose.origin_id != self._origin:
            self._origin, self._been = pose.origin_id, []
        here = pose.position.x, pose.position.y
        if not self._been or math.dist(self._been[-1], here) > _STEP:
            self._been = [*self._been[-_MOST_PLACES:], here]
        self.latest = built(pose.origin_id, self._content(self._things()))
        world.dispatch_event(EvtNewNavMemoryMap(nav_memory_map=self.latest))
        self._timer = world._loop.call_later(period, self._make, period)

    def _things(self) -> list[tuple[float, float, float, str]]:
        """Return what stands there: x, y, radius and content."""
        world, found = self._world, []
        for one in [*world.light_cubes.values(), *world._objects.values()]:
            pose = one.pose
            if pose is None or not pose.is_comparable(world._robot.pose):
                continue
            content = "ObstacleCharger" if isinstance(one, Charger) else "ObstacleCube"
            radius = max(one.x_size_mm, one.y_size_mm) / 2
            found.append((pose.position.x, pose.position.y, radius, content))
        return found

    def _content(self, things: list[tuple[float, float, float, str]]) -> Any:
        regions = [*things, *((x, y, _CLEAR, "ClearOfObstacle") for x, y in self._been)]

        def content(x: float, y: float, size: float) -> str | None:
            half = size / 2
            for cx, cy, radius, name in regions:
                dx, dy = abs(x - cx), abs(y - cy)
                if max(dx, dy) >= radius + half:
                    continue
                is_within = max(dx, dy) + half <= radius
                return name if is_within or size <= 2 * _STEP else None
            return "Unknown"

        return content
