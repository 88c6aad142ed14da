"""The target of what pages of the cockpit send by their channel."""

from __future__ import annotations

import asyncio
import contextlib
import math
from pathlib import Path

from cozmo_driver.virtual_time import run_in_virtual_time

from ..cockpit.paper_robot import PaperRobot

_KINDS = ("show", "drive", "move", "wheel", "ack", "stop", "ask")
_VALUES = (
    b'["camera", "status"]',
    b"[0.1, -0.5, 0.0, 0.0]",
    b'{"head": 0.2, "lift": 0.05}',
    b'"take"',
    b"5",
    b"7",
    b'[1, "point", {"kind": "drive", "x": 0.1, "y": 0}]',
)


def channel(data: bytes) -> None:
    """Messages of one page, and their values under every name: only finite numbers get through."""
    from cozmo_driver.cockpit.channel import BadMessage, Channel
    from cozmo_driver.cockpit.hub import LINGER, Hub, Page
    from cozmo_driver.cockpit.recordings import Recordings
    from cozmo_driver.cockpit.view import View

    async def send() -> None:
        robot = PaperRobot()
        hub, page = Hub(robot), Page("fuzz", "fuzz")
        hub.add(page)
        view = View(hub, page, Recordings(Path("/dev/null/none")), read_only=False)
        reader = Channel(view, hub.open_channel(page))
        for line in data.decode("utf-8", "replace").split("\n")[:8]:
            for text in (line, *(f'{{"{kind}": {line}}}' for kind in _KINDS)):
                with contextlib.suppress(BadMessage):
                    reader.on_message(text)
        hub.remove(page)
        await asyncio.sleep(LINGER + 0.1)
        assert all(math.isfinite(part) for velocity in robot.driven for part in velocity)
        assert all(math.isfinite(fields["data"]) for _, fields in robot.published)
        assert robot.started == []

    run_in_virtual_time(send())


def channel_seeds() -> list[bytes]:
    """Return good values, and good messages."""
    messages = [
        b'{"%b": %b}' % (kind.encode(), value) for kind, value in zip(_KINDS, _VALUES, strict=True)
    ]
    return [*_VALUES, b"\n".join(messages)]
