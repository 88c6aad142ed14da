"""The world of an emulated robot, through the control socket that only its user opens."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Mapping
from typing import Any, Final

from .robot_port import Answer

_log = logging.getLogger(__name__)
_PERIOD = 0.2
_RETRY = 1.0
_LONGEST = 1 << 20
_SHOWN = ("pose", "posture", "is_off_treads", "cubes", "charger")
"""What pages show of the truth; a robot that stands still is no news."""
FEEDS: Final = frozenset({"world", "layout"})
HANDS: Final = frozenset(
    {
        "pickup",
        "putdown",
        "push",
        "shake",
        "poke",
        "button",
        "turn-over",
        "charger",
        "tap",
        "move-cube",
        "flip-cube",
    }
)
"""What pages may do of the emulator's commands, which check their values."""


class EmulatedWorld:
    """Feeds ``world`` (where everything is) and ``layout`` (what does not move); in the loop."""

    def __init__(self, host: str, port: int) -> None:
        """``port`` is the emulator's UDP port."""
        self._host, self._port = host, port
        self._news: dict[str, Any] = {}
        self._wanted: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def start(self, feed: str) -> None:
        self._wanted.add(feed)
        if self._task is None:
            self._task = asyncio.ensure_future(self._poll())

    def stop(self, feed: str) -> None:
        self._wanted.discard(feed)
        self._news.pop(feed, None)
        if not self._wanted and self._task is not None:
            self._task.cancel()
            self._task = None

    def poll(self, feed: str) -> Any:
        return self._news.pop(feed, None)

    async def command(self, command: str, values: Mapping[str, Any]) -> Answer:
        """Do something to the robot or a cube, in m and degrees."""
        if command not in HANDS:
            return Answer(False, f"pages cannot do {command} to the emulator")
        try:
            async with self._connection() as ask:
                answer = await ask({**values, "do": command})
        except (OSError, ValueError) as error:
            return Answer(False, f"the emulator does not answer: {error}")
        return Answer(answer["ok"], answer.get("error", ""))

    async def _poll(self) -> None:
        while True:
            try:
                async with self._connection() as ask:
                    self._news["layout"] = await ask({"do": "layout"})
                    while True:
                        truth = await ask({"do": "truth"})
                        self._news["world"] = {name: truth[name] for name in _SHOWN}
                        await asyncio.sleep(_PERIOD)
            except (OSError, ValueError) as error:
                _log.debug("the emulator's world is not there: %s", error)
            await asyncio.sleep(_RETRY)

    @contextlib.asynccontextmanager
    async def _connection(self) -> Any:
        """Give a function that asks. Raises ``OSError``, ``ValueError``."""
        from ..emulator import ControlError, socket_path  # half a second

        path = socket_path(self._host, self._port)
        reader, writer = await asyncio.open_unix_connection(path, limit=_LONGEST)

        async def ask(request: dict[str, Any]) -> dict[str, Any]:
            writer.write(json.dumps(request).encode() + b"\n")
            line = await reader.readline()
            if not line:
                raise ControlError("the emulator has ended")
            answer: dict[str, Any] = json.loads(line)
            return answer

        try:
            yield ask
        finally:
            writer.close()
