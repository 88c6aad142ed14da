"""A page's WebSocket between two ends of it, on a robot on paper."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

from starlette.websockets import WebSocket

from cozmo_driver.cockpit.channel import serve_channel
from cozmo_driver.cockpit.hub import Hub, Page
from cozmo_driver.cockpit.recordings import Recordings
from cozmo_driver.cockpit.security import Refusals
from cozmo_driver.cockpit.view import View
from cozmo_driver.virtual_time import run_in_virtual_time as run

from .paper_robot import PaperRobot


class Connection:
    """What a server does for a WebSocket: the page goes with the message number ``gone_at``."""

    def __init__(self, gone_at: int, incoming: list[dict[str, Any]]) -> None:
        self._gone_at, self._incoming = gone_at, incoming
        self.sent = 0
        self.gone = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        message = self._incoming.pop(0)
        if message["type"] != "websocket.connect":
            await self.gone.wait()
        return message

    async def send(self, message: dict[str, Any]) -> None:
        self.sent += 1
        if self.sent >= self._gone_at:
            self.gone.set()
            raise OSError("gone")


def serve(gone_at: int, *incoming: dict[str, Any]) -> Refusals:
    refusals = Refusals()

    async def main() -> None:
        hub, page = Hub(PaperRobot()), Page("one", "one")
        hub.add(page)
        connection = Connection(gone_at, [{"type": "websocket.connect"}, *incoming])
        websocket = WebSocket({"type": "websocket"}, connection.receive, connection.send)  # type: ignore[arg-type]
        await websocket.accept()
        view = View(hub, page, Recordings(Path()), read_only=False)
        await serve_channel(websocket, view, refusals, {})
        assert page.outbox is None

    run(main())
    return refusals


def text(message: str) -> dict[str, Any]:
    return {"type": "websocket.receive", "text": message}


GONE = {"type": "websocket.disconnect", "code": 1005}


@pytest.mark.parametrize("gone_at", [2, 3])
def test_a_page_that_goes_while_its_message_is_handled_is_no_error(gone_at: int) -> None:
    serve(gone_at, text('{"ack": "text"}'), GONE)


def test_a_page_that_goes_after_nonsense_is_no_error() -> None:
    refusals = serve(3, text("nonsense"), GONE)
    assert refusals.counts.total() == 1
    assert serve(3, {"type": "websocket.receive", "bytes": b"?"}, GONE).counts.total() == 1
