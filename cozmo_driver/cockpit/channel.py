"""The page's WebSocket: feeds to the page, velocities from it. Nothing else may delay those."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ..link import end
from .hub import Hub, Page
from .outbox import Outbox
from .robot_port import Velocity
from .security import Refusals

UNKNOWN_PAGE = 4404
"""Close code: the page has to be loaded again."""
NONSENSE = "a message that makes no sense"
_SENSELESS = (TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError)
_POSITIONS = {"head": "cmd_head", "lift": "cmd_lift"}


class BadMessage(ValueError):
    """A page has sent what makes no sense."""


class Channel:
    """Reads what one page sends. ``read_only`` pages show and never command."""

    def __init__(self, hub: Hub, page: Page, outbox: Outbox, *, read_only: bool) -> None:
        self._hub, self._page, self._outbox = hub, page, outbox
        self._read_only = read_only
        self._handlers: Mapping[str, Callable[[Any], object]] = {
            "ack": self._on_ack,
            "show": self._on_show,
            "drive": self._on_drive,
            "move": self._on_move,
            "wheel": self._on_wheel,
        }

    def on_message(self, text: str) -> None:
        """Handle one message, an object with one key. Raises ``BadMessage``."""
        try:
            [(kind, value)] = json.loads(text).items()
            handle = self._handlers[kind]
        except _SENSELESS:
            raise BadMessage(f"no message: {text[:80]!r}") from None
        try:
            handle(value)
        except (
            TypeError,
            ValueError,
            KeyError,
            AttributeError,
            OverflowError,
            RecursionError,
        ) as error:
            raise BadMessage(f"{kind}: {error}") from error

    def _on_ack(self, stream: Any) -> None:
        self._outbox.acknowledge(str(stream))

    def _on_show(self, feeds: Any) -> None:
        self._hub.show(self._page, [str(feed) for feed in feeds])

    def _on_drive(self, values: Any) -> None:
        velocity = Velocity(*(_finite(value) for value in values))
        if not self._read_only:
            self._hub.wheel.drive(self._page.id, velocity)

    def _on_move(self, positions: Any) -> None:
        targets = {_POSITIONS[name]: _finite(value) for name, value in positions.items()}
        if not self._read_only and self._hub.wheel.claim(self._page.id):
            for topic, value in targets.items():
                self._hub.robot.publish(topic, data=value)

    def _on_wheel(self, request: Any) -> None:
        if request == "leave":
            self._hub.wheel.leave(self._page.id)
        elif request == "take" and not self._read_only:
            self._hub.wheel.take_over(self._page.id)


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} is not finite")
    return number


async def serve_channel(
    websocket: WebSocket, hub: Hub, page: Page, refusals: Refusals, *, read_only: bool = False
) -> None:
    """Serve a page until it is gone; then the robot stops if the page drove it."""
    await websocket.accept()
    outbox = hub.open_channel(page)
    channel = Channel(hub, page, outbox, read_only=read_only)
    await websocket.send_text(
        json.dumps(
            {"hello": {"page": page.id, "read_only": read_only, "limits": dict(hub.robot.limits)}}
        )
    )
    sender = asyncio.ensure_future(_send(websocket, outbox))
    try:
        while True:
            channel.on_message(await websocket.receive_text())
    except (BadMessage, KeyError) as error:  # KeyError: a binary message, which no page sends
        refusals.add(NONSENSE, f"the channel of {page.name}: {error}")
        await websocket.close(1008)
    except WebSocketDisconnect:
        pass
    finally:
        hub.close_channel(page, outbox)
        await end(sender)


async def _send(websocket: WebSocket, outbox: Outbox) -> None:
    try:
        while True:
            message = await outbox.next()
            if isinstance(message, str):
                await websocket.send_text(message)
            else:
                await websocket.send_bytes(message)
    except (WebSocketDisconnect, RuntimeError):
        pass  # whoever receives notices, too
