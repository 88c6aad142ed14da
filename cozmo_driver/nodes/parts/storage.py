"""The services ``nv_read``, ``nv_write`` and ``nv_erase``."""

from __future__ import annotations

from array import array
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup

from cozmo_interfaces.srv import NvErase, NvRead, NvWrite

from ...robot import Reason, StorageChange, StorageError, StorageOptions
from ...robot.storage.rules import name_of
from ...robot.user_directories import cache_directory
from ..context import Context
from ..jobs import Jobs
from ..parameter_set import ParameterSet
from ..reasons import refuse


def storage_options(parameters: ParameterSet) -> StorageOptions:
    """Return the options of the storage as the parameters have them."""
    options = StorageOptions(allow_write=parameters["allow_nv_write"])
    folder = parameters["backup_directory"]
    return replace(options, backup_directory=Path(folder).expanduser()) if folder else options


def cache_folder(parameters: ParameterSet) -> Path:
    """Return where what was read from a robot is kept."""
    folder = parameters["cache_directory"]
    return Path(folder).expanduser() if folder else cache_directory()


class StoragePart:
    """Reads entries of the robot's storage; changes them only with permission (spec 09 §2-3)."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the services."""
        self._jobs = jobs
        self._storage = context.robot.storage
        context.parameters.on_change(
            "allow_nv_write", lambda on: context.thread.post(self._allow_write, on)
        )
        group = ReentrantCallbackGroup()
        self._services = [
            context.node.create_service(kind, name, serve, callback_group=group)
            for kind, name, serve in (
                (NvRead, "nv_read", self._read),
                (NvWrite, "nv_write", self._write),
                (NvErase, "nv_erase", self._erase),
            )
        ]

    async def _read(self, request: NvRead.Request, response: NvRead.Response) -> NvRead.Response:
        tag = int(request.tag)
        try:
            data = await self._jobs.result_of(self._storage.read(tag))
        except Exception as error:
            return _refuse(response, error)
        response.data = array("B", data or b"")
        what = "is empty" if data is None else f"holds {len(data)} bytes"
        return _accept(response, f"{name_of(tag)} {what}")

    async def _write(
        self, request: NvWrite.Request, response: NvWrite.Response
    ) -> NvWrite.Response:
        data = bytes(request.data)
        work = self._storage.write(int(request.tag), data, request.confirmation)
        return await self._change(work, response, f"holds {len(data)} bytes now, read back")

    async def _erase(
        self, request: NvErase.Request, response: NvErase.Response
    ) -> NvErase.Response:
        work = self._storage.erase(int(request.tag), request.confirmation)
        return await self._change(work, response, "is empty now, read back")

    async def _change(
        self, work: Coroutine[Any, Any, StorageChange], response: Any, done: str
    ) -> Any:
        try:
            change = await self._jobs.result_of(work)
        except Exception as error:
            return _refuse(response, error)
        name = name_of(change.tag)
        if not change.changed:
            return _accept(response, f"{name} was so already: nothing was written")
        saved = ""
        if change.backup_file is not None:
            response.backup_file = str(change.backup_file)
            saved = f"; its old content is in {change.backup_file}"
        return _accept(response, f"{name} {done}{saved}")

    # -- in the robot's thread

    def _allow_write(self, on: bool) -> None:
        self._storage.options = replace(self._storage.options, allow_write=on)


def _accept(response: Any, text: str) -> Any:
    response.success, response.reason, response.message = True, int(Reason.NONE), text
    return response


def _refuse(response: Any, error: Exception) -> Any:
    if isinstance(error, StorageError):
        response.result_raw = int(error.result)
        if error.backup_file is not None:
            response.backup_file = str(error.backup_file)
    return refuse(response, error)
