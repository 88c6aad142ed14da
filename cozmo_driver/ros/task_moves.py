"""Movements of a task through the driver's actions, which give way to who else drives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from cozmo_interfaces.msg import RobotStatus

from ..robot import Reason, RobotError
from .clients import MOVING_ACTIONS, GoalClient, OwnGoals
from .context import NodeContext

_WHEELS = frozenset({"follow_path", "drive_distance", "turn_in_place", "dock"})
_RELEASE_TIME, _POLL = 1.5, 0.02
"""s in which ``status`` tells that a movement of ours has given the wheels back."""


class TaskMoves:
    """The first movement of a task may take the wheels from others, later ones may not."""

    def __init__(
        self, context: NodeContext, names: Iterable[str], wheels_owner: Callable[[], int | None]
    ) -> None:
        """``wheels_owner`` is that of the latest ``status``, None before there is one."""
        own, self._wheels_owner = OwnGoals(), wheels_owner
        self._goals = {name: GoalClient(context, MOVING_ACTIONS[name], name, own) for name in names}
        self._has_wheels = False
        """Whether it drives, or would if it did not plan or look: who else does has taken over."""

    def begin(self) -> None:
        """Begin a task."""
        self._has_wheels = self._wheels_owner() == RobotStatus.OWNER_NONE

    async def do(self, name: str, **fields: Any) -> Any:
        """Do a goal and return its result. Raises ``RobotError``."""
        if name in _WHEELS:
            await self._wait_for_wheels(name)
        return await self._goals[name].do(**fields)

    async def settle(self) -> None:
        """Wait a moment until all that was cancelled has ended."""
        await asyncio.gather(*(goals.settle() for goals in self._goals.values()))

    async def _wait_for_wheels(self, name: str) -> None:
        """Raise ``RobotError`` where others have taken them meanwhile."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _RELEASE_TIME
        while self._has_wheels and (owner := self._wheels_owner()) is not None:
            if owner == RobotStatus.OWNER_NONE:
                break
            is_ours = any(one.is_busy for key, one in self._goals.items() if key in _WHEELS)
            if loop.time() >= end and not is_ours:
                text = f"something else took the wheels before {name}"
                raise RobotError(Reason.SUPERSEDED, text)
            await asyncio.sleep(_POLL)
        self._has_wheels = True
