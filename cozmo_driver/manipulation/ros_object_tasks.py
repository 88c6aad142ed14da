"""What is done with objects by an action each of one type, ``HandleObject``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from .cube_pyramid import build_pyramid
from .cube_tricks import align, knock_over, pop_a_wheelie
from .manipulator import Manipulator, OnPhase
from .object_search import find_object, follow_object

Handled = tuple[Sequence[str], int]
"""Names of what was handled, and the attempts."""
ObjectTask = Callable[[Manipulator, Any, OnPhase], Awaitable[Handled]]
"""Gets the robot and the goal's request."""
_MOST_OTHERS = 2


async def _one(task: Awaitable[tuple[str, int]]) -> Handled:
    name, attempts = await task
    return [name], attempts


async def _knock_over(robot: Manipulator, request: Any, on_phase: OnPhase) -> Handled:
    return await knock_over(robot, request.object, on_phase), 1


async def _pyramid(robot: Manipulator, request: Any, on_phase: OnPhase) -> Handled:
    if len(request.others) > _MOST_OTHERS:
        raise ValueError(f"a pyramid has {_MOST_OTHERS} other cubes, not {len(request.others)}")
    beside, top = [*request.others, "", ""][:_MOST_OTHERS]
    return await build_pyramid(robot, request.object, beside, top, on_phase), 1


OBJECT_TASKS: Mapping[str, ObjectTask] = {
    "align": lambda robot, request, on_phase: _one(align(robot, request.object, on_phase)),
    "pop_a_wheelie": lambda robot, request, on_phase: _one(
        pop_a_wheelie(robot, request.object, on_phase)
    ),
    "knock_over": _knock_over,
    "build_pyramid": _pyramid,
    "find_object": lambda robot, request, on_phase: _one(
        find_object(robot, request.object, on_phase)
    ),
    "follow_object": lambda robot, request, on_phase: _one(
        follow_object(robot, request.object, request.duration, on_phase)
    ),
}
"""By the names of the actions."""
