"""Clips beside what a behaviour does: while it drives, and while it does nothing (spec 12 §8)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from ..link import end
from .body import ActionFailed, Body
from .config import NO_CLIPS, ActivityClips

SETTLED = 1.0
"""s without an action before the idle clip plays."""
_PAUSE = 2.0
"""s between two idle clips."""
_BREATH = 0.05


class Accompaniment:
    """Plays the present activity's clips; the treads stay out of them, and their failure too."""

    def __init__(self, body: Body) -> None:
        """Play on ``body``, without any clip at first."""
        self.clips = NO_CLIPS
        self.is_silent = False
        self._body = body
        self._busy = 0
        self._free_at = 0.0
        self._idle: asyncio.Task[None] | None = None

    def use(self, clips: ActivityClips) -> None:
        """Play these from now on."""
        if clips != self.clips:
            self.clips = clips
            self._free_at = asyncio.get_running_loop().time()
            self.rest()

    def look(self, now: float) -> None:
        """Play the idle clip where nothing has been done for a moment."""
        if not self.clips.idle or self._busy or now < self._free_at + SETTLED:
            return
        if self._idle is None or self._idle.done():
            self._idle = asyncio.ensure_future(self._repeat(self.clips.idle))

    def rest(self) -> None:
        """End the idle clip."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    async def beside(self, action: Awaitable[None], *, is_driving: bool = False) -> None:
        """Await an action of the behaviour that runs; with its clips where it drives."""
        self._busy += 1
        self.rest()
        driving = None
        if is_driving and (self.clips.drive_start or self.clips.drive_loop):
            driving = asyncio.ensure_future(self._drive())
        try:
            await action
            if driving is not None:
                await end(driving)
            if is_driving and self.clips.drive_stop:
                await self._play(self.clips.drive_stop)
        finally:
            if driving is not None and not driving.done():
                await end(driving)
            self._busy -= 1
            self._free_at = asyncio.get_running_loop().time()

    async def _drive(self) -> None:
        if self.clips.drive_start:
            await self._play(self.clips.drive_start)
        while self.clips.drive_loop:
            await self._play(self.clips.drive_loop)
            await asyncio.sleep(_BREATH)

    async def _repeat(self, trigger: str) -> None:
        while True:
            await self._play(trigger)
            await asyncio.sleep(_PAUSE)

    async def _play(self, trigger: str) -> None:
        if not self._body.knows(trigger):
            await asyncio.sleep(SETTLED)
            return
        try:
            await self._body.play(trigger, is_body_still=True, is_silent=self.is_silent)
        except ActionFailed:
            await asyncio.sleep(SETTLED)
