"""What a tab is given: the robot, through the rules of the cockpit, the page's feedback, cards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from nicegui import Client, ui

from .hub import Hub, Page
from .pointing import Pose
from .pursuit import Goal
from .recordings import Recordings
from .robot_port import Answer

_READ_ONLY = "this cockpit only shows (read_only)"
_NO_WHEEL = "another page has the wheel: take it over first"
_NO_CHANNEL = "this page is not connected: load it again"


class View:
    """One open page, for the handlers of its tabs."""

    def __init__(
        self, hub: Hub, page: Page, client: Client, recordings: Recordings, *, read_only: bool
    ) -> None:
        self.hub, self.robot, self._page, self._client = hub, hub.robot, page, client
        self.recordings, self.read_only = recordings, read_only

    @property
    def page_id(self) -> str:
        return self._page.id

    def watch(self, feed: str, callback: Callable[[Any], object]) -> None:
        """Call back with every new value of a feed, in the page's context."""

        def on_value(value: Any) -> None:
            with self._client:
                callback(value)

        self.hub.watch(self._page, feed, on_value)

    async def call(self, service: str, *, moves: bool = False, **fields: Any) -> Answer:
        """Call a service and tell the user when it fails.

        ``moves`` is refused while another page drives.
        """
        return self.notify(self._refusal(moves) or await self.robot.call(service, **fields))

    async def do(self, action: str, *, moves: bool = False, **fields: Any) -> Answer:
        """Pursue a goal, the same way; one that ``moves`` has the wheel until its end."""
        answer = self._refusal(moves)
        if answer is None:
            goal = self.robot.do(action, **fields)
            answer = await (self.hub.wheel.pursue(self.page_id, goal) if moves else goal)
        return self.notify(answer)

    async def pursue(self, goal: Goal, pose: Pose) -> Answer:
        """Drive to a place or look at it from ``pose``, the same way, with the wheel."""
        refusal = self._refusal(moves=True)
        return self.notify(refusal or await self.hub.pursuit.start(self.page_id, goal, pose))

    async def pursue_action(self, action: str, **fields: Any) -> Answer:
        """Pursue a goal of an action that drives, the same way."""
        refusal = self._refusal(moves=True)
        return self.notify(refusal or await self.hub.pursuit.do(self.page_id, action, **fields))

    async def set_parameter(
        self, node: str, name: str, value: Any, *, moves: bool = False
    ) -> Answer:
        """Set a parameter of a node, the same way."""
        refusal = self._refusal(moves)
        return self.notify(refusal or await self.robot.set_parameter(node, name, value))

    async def run(self, work: Callable[[], Awaitable[Answer]]) -> Answer:
        """Do something that is not of the robot, the same way."""
        return self.notify(self._refusal(moves=False) or await work())

    def publish(self, topic: str, *, moves: bool = False, **fields: Any) -> Answer:
        """Publish a command, the same way."""
        answer = self._refusal(moves)
        if answer is None:
            try:
                self.robot.publish(topic, **fields)
                answer = Answer(True, "")
            except ValueError as error:
                answer = Answer(False, str(error))
        return self.notify(answer)

    def _refusal(self, moves: bool) -> Answer | None:
        if self.read_only:
            return Answer(False, _READ_ONLY)
        if moves and self._page.outbox is None:  # nobody would notice that it is gone
            return Answer(False, _NO_CHANNEL)
        if moves and not self.hub.wheel.is_free_for(self.page_id):
            return Answer(False, _NO_WHEEL)
        return None

    def notify(self, answer: Answer) -> Answer:
        """Tell the user why something failed."""
        if not answer.success:
            with self._client:
                ui.notify(answer.message, type="negative", position="top", multi_line=True)
        return answer


class Running:
    """One goal at a time; a newer one ends it, and so does ``cancel``."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Answer] | None = None

    async def run(self, goal: Coroutine[Any, Any, Answer]) -> None:
        self.cancel()
        task = self._task = asyncio.ensure_future(goal)
        await asyncio.wait([task])

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


@contextmanager
def card(title: str) -> Iterator[None]:
    """A titled part of a tab; what is added within is in it."""
    with ui.element("section").classes("cz-card").props(f'aria-label="{title}"'):
        ui.label(title).classes("cz-card-title").props("role=heading aria-level=2")
        yield
