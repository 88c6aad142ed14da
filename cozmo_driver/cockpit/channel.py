"""The page's WebSocket: feeds to the page, velocities from it. Nothing else may delay those."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ..link import end
from .outbox import Outbox
from .requests import answer_to
from .robot_port import Answer, Velocity
from .security import Refusals
from .view import View, finite

_log = logging.getLogger(__name__)
_MOST_REQUESTS = 50
"""Of one page at the same time."""
_MOST_ANSWERS = 200
"""That wait until the page has acknowledged what came before."""
NONSENSE = "a message that makes no sense"
_SENSELESS = (TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError)
_POSITIONS = {"head": "cmd_head", "lift": "cmd_lift"}


class BadMessage(ValueError):
    """A page has sent what makes no sense."""


class Channel:
    """Reads what one page sends. ``read_only`` pages show and never command."""

    def __init__(self, view: View, outbox: Outbox) -> None:
        self._view, self._hub, self._page = view, view.hub, view.page
        self._outbox, self._read_only = outbox, view.read_only
        self._handlers: Mapping[str, Callable[[Any], object]] = {
            "ack": self._on_ack,
            "show": self._on_show,
            "drive": self._on_drive,
            "move": self._on_move,
            "wheel": self._on_wheel,
            "stop": self._on_stop,
            "ask": self._on_ask,
        }

    def on_message(self, text: str) -> None:
        """Handle one message, an object with one key. Raises ``BadMessage``."""
        if self._page.outbox is not self._outbox:
            return  # the page has a newer channel, or none: this one was held up
        self._page.heard_at = asyncio.get_running_loop().time()
        try:
            [(kind, value)] = json.loads(text).items()
            handle = self._handlers[kind]
        except _SENSELESS:
            raise BadMessage(f"no message: {text[:80]!r}") from None
        try:
            handle(value)
        except _SENSELESS as error:
            raise BadMessage(f"{kind}: {error}") from error

    def _on_ack(self, stream: Any) -> None:
        self._outbox.acknowledge(str(stream))

    def _on_show(self, feeds: Any) -> None:
        self._hub.show(self._page, [str(feed) for feed in feeds])

    def _on_drive(self, values: Any) -> None:
        velocity = Velocity(*(finite(value) for value in values))
        if not self._read_only:
            self._hub.wheel.drive(self._page.id, velocity)

    def _on_move(self, positions: Any) -> None:
        targets = {_POSITIONS[name]: finite(value) for name, value in positions.items()}
        if not self._read_only and self._hub.wheel.claim(self._page.id):
            for topic, value in targets.items():
                self._hub.robot.publish(topic, data=value)

    def _on_wheel(self, request: Any) -> None:
        if request == "leave":
            self._hub.wheel.leave(self._page.id)
        elif request == "take" and not self._read_only:
            self._hub.wheel.take_over(self._page.id)

    def _on_stop(self, number: Any) -> None:
        """Stop, for watchers too, and tell how that went under the page's number of it."""
        self._run(self._stop(int(number)))

    async def _stop(self, number: int) -> None:
        answer = await self._hub.stop()
        told = {"number": number, "success": answer.success, "message": answer.message}
        self._outbox.put_text("stopped", json.dumps(told))

    def _on_ask(self, request: Any) -> None:
        """Answer a request, one of ``requests.REQUESTS``, under the page's number of it."""
        number, name, values = request
        if not isinstance(name, str) or not isinstance(values, dict):
            raise TypeError("a request has a name and values")
        if self._outbox.answers >= _MOST_ANSWERS:
            raise BadMessage("answers are not read")
        if len(self._view.tasks) >= _MOST_REQUESTS:
            answer = Answer(False, "too much at once: wait for what is under way")
            self._tell(int(number), _encoded(answer))
        else:
            self._view.asked.add(int(number))
            self._run(self._answer(int(number), name, values))

    async def _answer(self, number: int, name: str, values: dict[str, Any]) -> None:
        try:
            told = _encoded(await answer_to(self._view, name, values))
        except Exception:
            _log.exception("a page's request %s failed", name)
            told = _encoded(Answer(False, "the cockpit has failed: its log says how"))
        self._view.asked.discard(number)
        self._tell(number, told)

    def _tell(self, number: int, told: str) -> None:
        # The page may have a newer channel by now.
        (self._page.outbox or self._outbox).put_answer(number, told)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._view.tasks.add(task)
        task.add_done_callback(self._view.tasks.discard)


def _encoded(answer: Answer) -> str:
    told = {"success": answer.success, "message": answer.message, **answer.fields}
    return json.dumps(told, allow_nan=False)


async def serve_channel(
    websocket: WebSocket, view: View, refusals: Refusals, hello: Mapping[str, Any]
) -> None:
    """Serve a page until it is gone; then the robot stops if the page drove it."""
    hub, page = view.hub, view.page
    outbox = hub.open_channel(page)
    channel = Channel(view, outbox)
    greeting = {**hello, "asked": sorted(view.asked)}
    tasks = [
        asyncio.ensure_future(_read(websocket, channel)),
        asyncio.ensure_future(_send(websocket, outbox, json.dumps({"hello": greeting}))),
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.close_channel(page, outbox)
        ends = [await end(task) for task in tasks]
    for error in ends:
        if isinstance(error, BadMessage):
            refusals.add(NONSENSE, f"the channel of {page.name}: {error}")
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it may be gone by now
                await websocket.close(1008)
        elif error is not None:
            raise error


async def _read(websocket: WebSocket, channel: Channel) -> None:
    # Not ``receive_text``: where sending has just failed, that raises instead of saying so.
    while (message := await websocket.receive())["type"] != "websocket.disconnect":
        text = message.get("text")
        if text is None:
            raise BadMessage("bytes, which no page sends")
        channel.on_message(text)


async def _send(websocket: WebSocket, outbox: Outbox, hello: str) -> None:
    try:
        await websocket.send_text(hello)
        while (message := await outbox.next()) is not None:
            if isinstance(message, str):
                await websocket.send_text(message)
            else:
                await websocket.send_bytes(message)
    except (WebSocketDisconnect, RuntimeError):
        pass  # whoever receives notices, too
