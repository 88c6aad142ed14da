"""What a page may do with the robot by the rules of the cockpit: wheel, read-only, connection."""

from __future__ import annotations

import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from ..robot import Pose2D
from .hub import Hub, Page, Running
from .pursuit import Goal
from .recordings import Recordings
from .robot_port import Answer

Values = Mapping[str, Any]
"""What a page sends with a request."""
_MOST_TEXT = 1000
_READ_ONLY = "this cockpit only shows (read_only)"
_NO_WHEEL = "another page has the wheel: take it over first"
_CHECKUP = "a checkup has the robot: end it first"
_NO_CHANNEL = "this page is not connected: load it again"


def text_of(value: Any) -> str:
    """Return a text that a page has sent. Raises ``ValueError``."""
    if not isinstance(value, str) or len(value) > _MOST_TEXT:
        raise ValueError(f"a text of at most {_MOST_TEXT} characters is needed")
    return value


def finite(value: Any) -> float:
    """Return a number that a page has sent, a text too. Raises ``ValueError``, ``TypeError``."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} is not finite")
    return number


class View:
    """One open page, for what it asks."""

    def __init__(
        self,
        hub: Hub,
        page: Page,
        recordings: Recordings,
        *,
        read_only: bool,
        link: Callable[[], Answer] = lambda: Answer(True, ""),
    ) -> None:
        """``link`` answers with the ``url`` that a telephone opens."""
        self.hub, self.robot, self.page = hub, hub.robot, page
        self.recordings, self.read_only, self.link = recordings, read_only, link
        self.running: defaultdict[str, Running] = defaultdict(Running)
        """What goes on until its end or a newer one of the same kind: clip, behavior, game."""

        self.face_turn = asyncio.Lock()
        """Held while a drawing takes the display from the face node, or gives it back."""
        self.tasks: set[asyncio.Task[None]] = set()
        """What is done for the page; it goes on while the page has no connection."""
        self.asked: set[int] = set()
        """The page's numbers of requests that are under way."""

    def tell(self, feed: str, value: Any) -> None:
        """Send the page something that it has not asked to be shown."""
        if self.page.outbox is not None:
            self.page.outbox.put_text(feed, json.dumps(value, allow_nan=False))

    async def call(self, service: str, *, moves: bool = False, **fields: Any) -> Answer:
        """Call a service. ``moves`` is refused while another page drives."""
        return self.refusal(moves=moves) or await self.robot.call(service, **fields)

    async def do(self, action: str, *, moves: bool = False, **fields: Any) -> Answer:
        """Pursue a goal, the same way; one that ``moves`` has the wheel until its end."""
        if refusal := self.refusal(moves=moves):
            return refusal
        goal = self.robot.do(action, **fields)
        return await (self.hub.wheel.pursue(self.page.id, goal) if moves else goal)

    async def pursue(self, goal: Goal, pose: Pose2D) -> Answer:
        """Drive to a place or look at it from ``pose``, the same way, with the wheel."""
        refusal = self.refusal(moves=True)
        return refusal or await self.hub.pursuit.start(self.page.id, goal, pose)

    async def pursue_action(
        self, action: str, looks_for: Callable[[], bool] | None = None, **fields: Any
    ) -> Answer:
        """Pursue a goal of an action that drives, the same way.

        Before that the robot looks around until ``looks_for`` holds.
        """
        if refusal := self.refusal(moves=True):
            return refusal
        return await self.hub.pursuit.do(self.page.id, action, looks_for, **fields)

    async def set_parameter(
        self, node: str, name: str, value: Any, *, moves: bool = False
    ) -> Answer:
        """Set a parameter of a node, the same way."""
        return self.refusal(moves=moves) or await self.robot.set_parameter(node, name, value)

    def publish(self, topic: str, *, moves: bool = False, **fields: Any) -> Answer:
        """Publish a command, the same way."""
        if refusal := self.refusal(moves=moves):
            return refusal
        try:
            self.robot.publish(topic, **fields)
        except ValueError as error:
            return Answer(False, str(error))
        return Answer(True, "")

    def refusal(self, *, moves: bool = False) -> Answer | None:
        """Return why this page may not command anything, or what ``moves``; None: it may."""
        if self.read_only:
            return Answer(False, _READ_ONLY)
        if moves and self.page.outbox is None:  # nobody would notice that it is gone
            return Answer(False, _NO_CHANNEL)
        if moves and not self.hub.wheel.is_free_for(self.page.id):
            return Answer(False, _NO_WHEEL)
        if moves and self.hub.checkup.has_robot:
            return Answer(False, _CHECKUP)
        return None
