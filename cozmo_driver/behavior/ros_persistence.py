"""Needs over restarts: in a file for each robot, and in the robot's own storage where wanted."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from pathlib import Path
from typing import Any

from cozmo_interfaces.msg import RobotInfo
from cozmo_interfaces.srv import NvRead, NvWrite

from ..link import with_timeout
from ..robot import Reason, RobotError
from ..ros.clients import call, wait_for_service
from ..ros.context import NodeContext
from ..ros.topics import LATCHED
from .needs import Needs, NeedsSnapshot
from .needs_store import (
    BlobError,
    LoadedNeeds,
    NeedsStore,
    StoreError,
    decode_blob,
    encode_blob,
)
from .ros_personality import Personality

_FILE_PERIOD = 10.0
"""s between two writings of the file."""
_FLASH_PERIOD = 1800.0
"""s between two writings of the robot's storage, which wears out."""
_TIMEOUT = 5.0
_TAG = NvRead.Request.TAG_NURTURE_GAME
_STORED_WITHIN = 20.0
"""s for the driver to read or write the entry, after other entries."""


class RobotStorage:
    """The entry of the robot's storage in which the needs are; the app's own is left alone."""

    def __init__(self, context: NodeContext) -> None:
        self._context = context
        self._read = context.node.create_client(NvRead, "nv_read")
        self._write = context.node.create_client(NvWrite, "nv_write")
        self._is_ours = False

    async def load(self, wall_time: float) -> LoadedNeeds:
        """Return what the robot keeps. Raises ``RobotError``."""
        self._is_ours = False
        answer = await self._call(self._read, NvRead.Request(tag=_TAG))
        found = LoadedNeeds()
        if data := bytes(answer.data):
            try:
                saved, saved_at = decode_blob(data)
            except BlobError as error:
                raise RobotError(Reason.NOT_ALLOWED, f"the robot's storage: {error}") from error
            found = LoadedNeeds(saved, max(0.0, wall_time - saved_at))
        self._is_ours = True
        return found

    async def save(self, snapshot: NeedsSnapshot, wall_time: float) -> None:
        """Write, unless what was there is not ours. Raises ``RobotError``."""
        if self._is_ours:
            data = encode_blob(snapshot, wall_time)
            request = NvWrite.Request(tag=_TAG, data=data, confirmation=hex(_TAG))
            await self._call(self._write, request)

    async def _call(self, client: Any, request: Any) -> Any:
        await wait_for_service(client)
        response = await call(self._context, client, request, timeout=_STORED_WITHIN)
        if not response.success:
            raise RobotError(Reason(response.reason), f"the robot's storage: {response.message}")
        return response


class NeedsPersistence:
    """Fetches the needs of a robot when it is known which it is, and keeps them. In the loop."""

    def __init__(
        self,
        context: NodeContext,
        personality: Personality,
        directory: Path | None,
        robot_storage: RobotStorage | None,
    ) -> None:
        """Wait for ``robot_info``; ``directory`` None keeps no file."""
        self._context, self._personality = context, personality
        self._directory, self._flash = directory, robot_storage
        self._logger = context.node.get_logger()
        self._serial = 0
        self._store: NeedsStore | None = None
        self._kept: NeedsSnapshot | None = None
        self._in_flash: NeedsSnapshot | None = None
        self._written_at = self._flashed_at = -math.inf
        self._warned = ""
        self._work: asyncio.Task[None] | None = None
        context.listen(RobotInfo, "robot_info", self._on_robot_info, LATCHED)

    def _on_robot_info(self, message: RobotInfo) -> None:
        serial = int(message.head_serial)
        if serial and serial != self._serial:
            is_another, self._serial = self._serial != 0, serial
            self._work = asyncio.ensure_future(self._fetch(serial, is_another, self._work))

    async def _fetch(
        self, serial: int, is_another: bool, before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        await self._save_file()
        # Before its own needs have come nothing is kept in their place.
        self._store = self._kept = self._in_flash = None
        store: NeedsStore | None = None
        found = LoadedNeeds()
        if self._directory is not None:
            store = NeedsStore(self._directory, serial)
            try:
                found = await asyncio.to_thread(store.load, time.time())
            except StoreError as error:
                store, found = None, LoadedNeeds(warning=str(error))
            if found.warning:
                self._logger.warning(found.warning)
        if self._flash is not None:
            try:
                kept = await self._flash.load(time.time())
            except RobotError as error:
                self._logger.warning(f"needs on the robot: {error}")
            else:
                is_newer = found.saved is None or kept.away < found.away
                found = kept if kept.saved is not None and is_newer else found
        self._store = store
        if found.saved is None and not is_another:
            return
        personality, now = self._personality, asyncio.get_running_loop().time()
        inner = personality.inner
        inner.needs = Needs(inner.needs.config, now, personality.rng, found.saved, found.away)
        if found.saved is None:
            return
        self._kept = self._snapshot()
        self._logger.info(f"needs of robot {serial:08x}, kept {found.away:.0f} s ago")

    def update(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._work is not None and not self._work.done():
            return
        if now - self._written_at >= _FILE_PERIOD and self._is_changed():
            self._work = asyncio.ensure_future(self._save_file())
        elif self._flash is not None and now - self._flashed_at >= _FLASH_PERIOD:
            # The first time is half an hour after the start.
            if self._flashed_at > -math.inf:
                self._work = asyncio.ensure_future(self._save_flash(self._flash))
            self._flashed_at = now

    async def end(self) -> None:
        if self._work is not None:
            await asyncio.wait([self._work], timeout=_TIMEOUT)
        await self._save_file()
        if self._flash is not None and self._personality.body.ros_senses.is_linked:
            with contextlib.suppress(TimeoutError):
                await with_timeout(_TIMEOUT, self._save_flash(self._flash))

    def _snapshot(self) -> NeedsSnapshot:
        return self._personality.inner.needs.snapshot(asyncio.get_running_loop().time())

    def _is_changed(self) -> bool:
        is_kept = self._kept is not None and self._kept.levels == self._snapshot().levels
        return self._store is not None and not is_kept

    async def _save_file(self) -> None:
        if self._store is None or not self._is_changed():
            return
        snapshot, self._written_at = self._snapshot(), asyncio.get_running_loop().time()
        try:
            # A busy disk may take its time, the robot's life must not wait for it.
            await asyncio.to_thread(self._store.save, snapshot, time.time())
        except StoreError as error:
            # Tried again after the period: a disk may be full for a while only.
            if str(error) != self._warned:
                self._logger.warning(str(error))
            self._warned = str(error)
        else:
            self._kept, self._warned = snapshot, ""

    async def _save_flash(self, flash: RobotStorage) -> None:
        snapshot = self._snapshot()
        if self._in_flash is not None and self._in_flash.levels == snapshot.levels:
            return
        try:
            await flash.save(snapshot, time.time())
        except RobotError as error:
            self._logger.warning(f"needs on the robot: {error}")
        else:
            self._in_flash = snapshot
