"""What a page has yet to be sent: of each feed the newest value only, one message on its way."""

from __future__ import annotations

import asyncio
import struct
from typing import Final

from .robot_port import Picture

TEXT: Final = "text"
"""The stream of all feeds that are JSON."""
_ANSWER = "answer "
_HEADER = struct.Struct("<Bf")
"""Of a picture: length of the feed's name, age in s; then the name, then the picture."""


def encode_picture(feed: str, picture: Picture) -> bytes:
    name = feed.encode()
    return _HEADER.pack(len(name), picture.age) + name + picture.data


class Outbox:
    """Of each stream the next message leaves when the page has acknowledged the one before.

    So a slow page gets fewer and always new ones, and nothing queues up for it.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._pictures: dict[str, bytes] = {}
        self._unacknowledged: set[str] = set()
        self._changed = asyncio.Event()
        self._is_closed = False

    def close(self) -> None:
        """Let nothing leave any more."""
        self._is_closed = True
        self._changed.set()

    def put_text(self, feed: str, json: str) -> None:
        self._texts[feed] = json
        self._changed.set()

    def put_answer(self, number: int, json: str) -> None:
        """Put what a request of the page has led to; unlike feeds, each one is delivered."""
        self.put_text(f"{_ANSWER}{number}", json)

    @property
    def answers(self) -> int:
        """How many have not left yet."""
        return sum(feed.startswith(_ANSWER) for feed in self._texts)

    def put_picture(self, feed: str, message: bytes) -> None:
        self._pictures[feed] = message
        self._changed.set()

    def forget(self, feed: str) -> None:
        """The page shows it no more."""
        self._texts.pop(feed, None)
        self._pictures.pop(feed, None)

    def is_ready(self, feed: str) -> bool:
        """Tell whether a picture of this feed would leave at once."""
        return feed not in self._unacknowledged

    def acknowledge(self, stream: str) -> None:
        self._unacknowledged.discard(stream)
        self._changed.set()

    async def next(self) -> str | bytes | None:
        """Return the next message once there is one that may leave, None after ``close``."""
        while not self._is_closed:
            if (message := self._pop()) is not None:
                return message
            self._changed.clear()
            await self._changed.wait()
        return None

    def _pop(self) -> str | bytes | None:
        if self._texts and TEXT not in self._unacknowledged:
            self._unacknowledged.add(TEXT)
            text = ",".join(f'"{feed}":{json}' for feed, json in self._texts.items())
            self._texts.clear()
            return f"{{{text}}}"
        for feed in self._pictures:
            if feed not in self._unacknowledged:
                self._unacknowledged.add(feed)
                return self._pictures.pop(feed)
        return None
