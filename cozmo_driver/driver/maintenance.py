"""What changes the robot itself: its storage, its firmware, its power; each with permission."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from std_srvs.srv import Trigger

from cozmo_interfaces.action import UpdateFirmware
from cozmo_interfaces.srv import NvErase, NvRead, NvWrite

from ..robot import (
    Reason,
    StorageChange,
    StorageError,
    StorageOptions,
    UpdateFailed,
    UpdatePhase,
    UpdateProgress,
    cache_directory,
    entry_name,
)
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.context import Context
from ..ros.geometry import constants, filled
from ..ros.parameter_set import ParameterSet

_PHASES = constants(UpdatePhase, UpdateFirmware.Feedback)


def storage_options(parameters: ParameterSet) -> StorageOptions:
    options = StorageOptions(allow_write=parameters["allow_nv_write"])
    folder = parameters["backup_directory"]
    return replace(options, backup_directory=Path(folder).expanduser()) if folder else options


def cache_folder(parameters: ParameterSet) -> Path:
    folder = parameters["cache_directory"]
    return Path(folder).expanduser() if folder else cache_directory()


class StoragePart:
    """``nv_read``, ``nv_write`` and ``nv_erase`` of the robot's storage (spec 09 §2-3)."""

    def __init__(self, context: Context) -> None:
        self._storage = context.robot.storage
        context.on_parameter("allow_nv_write", self._allow_write)
        context.jobs.serve(NvRead, "nv_read", self._read)
        context.jobs.serve(NvWrite, "nv_write", self._write)
        context.jobs.serve(NvErase, "nv_erase", self._erase)

    def _allow_write(self, on: bool) -> None:
        self._storage.options = replace(self._storage.options, allow_write=on)

    async def _read(self, request: NvRead.Request, response: NvRead.Response) -> str:
        tag = int(request.tag)
        data = await _with_result(response, self._storage.read(tag))
        response.data = array("B", data or b"")
        what = "is empty" if data is None else f"holds {len(data)} bytes"
        return f"{entry_name(tag)} {what}"

    async def _write(self, request: NvWrite.Request, response: NvWrite.Response) -> str:
        data = bytes(request.data)
        work = self._storage.write(int(request.tag), data, request.confirmation)
        return await self._change(work, response, f"holds {len(data)} bytes now, read back")

    async def _erase(self, request: NvErase.Request, response: NvErase.Response) -> str:
        work = self._storage.erase(int(request.tag), request.confirmation)
        return await self._change(work, response, "is empty now, read back")

    async def _change(
        self, work: Coroutine[Any, Any, StorageChange], response: Any, done: str
    ) -> str:
        change = await _with_result(response, work)
        name = entry_name(change.tag)
        if not change.changed:
            return f"{name} was so already: nothing was written"
        if change.backup_file is None:
            return f"{name} {done}"
        response.backup_file = str(change.backup_file)
        return f"{name} {done}; its old content is in {change.backup_file}"


async def _with_result(response: Any, work: Coroutine[Any, Any, Any]) -> Any:
    """Return what ``work`` returns; the response gets the robot's own code of a failure."""
    try:
        return await work
    except StorageError as error:
        response.result_raw = int(error.result)
        if error.backup_file is not None:
            response.backup_file = str(error.backup_file)
        raise


class FirmwarePart:
    """``update_firmware``; a second goal meanwhile is aborted with ``BUSY``.

    Once the flash memory is being written a goal cannot be cancelled. A node that ends breaks it
    off, and nothing of it is ever resumed (spec 09 §7).
    """

    def __init__(self, context: Context) -> None:
        self._robot = context.robot
        self._firmware = context.robot.firmware
        context.on_parameter("allow_firmware_update", self._allow)
        ActionBridge(
            context,
            UpdateFirmware,
            "update_firmware",
            self._update,
            uncancellable=self._why_not_cancelled,
        )

    def _allow(self, on: bool) -> None:
        self._firmware.options = replace(self._firmware.options, allow_update=on)

    def _why_not_cancelled(self) -> str:
        if not self._firmware.is_writing:
            return ""
        return "the robot's flash memory is being written, and half a firmware does not start"

    async def _update(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        path = Path(request.file).expanduser()
        result.old_version = int(self._robot.identity.firmware_version)
        latest: UpdatePhase | None = None

        def on_progress(progress: UpdateProgress) -> None:
            nonlocal latest
            latest, result.bytes_sent = progress.phase, int(progress.bytes_sent)
            phase = _PHASES[progress.phase]
            goal.publish(filled(UpdateFirmware.Feedback, progress, phase=phase))

        disconnect = self._firmware.on_progress.connect(on_progress)
        try:
            done = await self._firmware.update(
                path, request.confirmation, dry_run=request.is_dry_run
            )
        except asyncio.CancelledError:
            if latest is UpdatePhase.CHECKING:
                raise
            raise UpdateFailed(
                Reason.SHUTDOWN,
                "the driver was shut down in the middle of the update",
                result.bytes_sent,
                self._firmware.advice,
            ) from None
        finally:
            disconnect()
            # A goal that is refused as BUSY has not come to its file.
            if latest is not None:
                result.file_version = int(self._firmware.file_version)
        result.old_version, result.new_version = int(done.old_version), int(done.new_version)
        return done.text


def serve_power_off(context: Context) -> None:
    """Offer ``power_off``, which switches the robot off (spec 09 §7)."""
    power = context.robot.power

    async def switch_off(_: Trigger.Request, __: Trigger.Response) -> str:
        await power.off()
        return "the robot is off; the driver stays disconnected until connect is called"

    def allow(on: bool) -> None:
        power.is_off_allowed = on

    context.on_parameter("allow_power_off", allow)
    context.jobs.serve(Trigger, "power_off", switch_off)
