"""What was learnt of how a robot's camera is mounted, over sessions."""

from __future__ import annotations

import asyncio
import logging
import math
from pathlib import Path

from .world.mount_file import load_mount, save_mount
from .world.mounting import Mounting

_log = logging.getLogger(__name__)

_PERIOD = 10.0
"""s between two writings of the file."""


class KeptMount:
    """Fetches what was learnt when it is known which robot it is, and keeps what is added.

    Everything in the loop; files are read and written in another thread.
    """

    def __init__(self, mounting: Mounting, directory: Path) -> None:
        self._mounting, self._directory = mounting, directory
        self._serial = 0
        self._kept = 0
        """Sightings in the file."""
        self._written_at = -math.inf
        self._work: asyncio.Task[None] | None = None

    def on_serial(self, serial: int) -> None:
        """Take which robot it is."""
        if serial and serial != self._serial:
            self._work = asyncio.ensure_future(self._switch(serial, self._work))

    def update(self) -> None:
        """Write, if there is something new and the last time is a while ago."""
        now = asyncio.get_running_loop().time()
        is_busy = self._work is not None and not self._work.done()
        is_news = self._mounting.sightings != self._kept
        if is_news and not is_busy and now - self._written_at >= _PERIOD:
            self._written_at = now
            self._work = asyncio.ensure_future(self._save())

    async def end(self) -> None:
        """Write what is new."""
        if self._work is not None:
            await asyncio.wait([self._work])
        await self._save()

    async def _switch(self, serial: int, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        await self._save()
        learnt = await asyncio.to_thread(load_mount, self._directory, serial)
        # What was seen of the first robot before it told its number is its own.
        if learnt is not None or self._serial:
            self._mounting.restore(learnt)
        self._serial, self._kept = serial, learnt.sightings if learnt else 0

    async def _save(self) -> None:
        learnt = self._mounting.learnt
        if not self._serial or learnt.sightings == self._kept:
            return
        self._kept = learnt.sightings
        try:
            await asyncio.to_thread(save_mount, self._directory, self._serial, learnt)
        except OSError as error:
            _log.warning("what was learnt of the camera is not kept: %s", error)
