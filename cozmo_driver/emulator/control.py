"""The control socket of a running emulator: JSON lines on a Unix socket that only its user opens.

Each line is a request of ``commands.py``; the answer is a line too: ``{"ok": true, ...}`` or
``{"ok": false, "error": "..."}``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .commands import CommandRefused

LONGEST = 4096
"""Bytes of a request; a longer one ends the connection."""
_PREFIX = "cozmo-emulator-"
_LONGEST_ANSWER = 1 << 20
_MOST_CLIENTS = 8
_TIMEOUT = 10.0


class ControlError(OSError):
    """Why a control socket cannot be made or reached."""


def socket_path(host: str, port: int) -> Path:
    """Return where the control socket of the emulator on a UDP port is.

    In ``XDG_RUNTIME_DIR``, or else in an own folder of the temporary directory that nobody but
    the user may enter. Raises ``ControlError``.
    """
    named = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = Path(named) if os.path.isabs(named) and os.path.isdir(named) else _own_folder()
    return folder / f"{_PREFIX}{host.replace(':', '_')}-{port}.sock"


def _own_folder() -> Path:
    try:
        folder = Path(tempfile.gettempdir()) / f"{_PREFIX}{os.getuid()}"
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        status = folder.lstat()
    except OSError as error:
        raise ControlError(f"no folder for the control socket: {error.strerror}") from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise ControlError(f"{folder} is not a folder of this user alone: remove it")
    return folder


class ControlServer:
    """Answers requests in the running asyncio loop."""

    def __init__(self, perform: Callable[[object], dict[str, Any]], path: Path) -> None:
        """``perform`` takes a request and returns the answer, or raises ``CommandRefused``."""
        self._perform, self.path = perform, path
        self._server: asyncio.AbstractServer | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Listen. Raises ``ControlError``."""
        try:
            # The emulator owns its UDP port: what is left here is of one that was killed.
            self.path.unlink(missing_ok=True)
            _sweep(self.path.parent)
            self._server = await asyncio.start_unix_server(self._serve, self.path, limit=LONGEST)
        except OSError as error:
            raise ControlError(
                f"cannot make the control socket {self.path}: {error.strerror or error}"
            ) from error
        self.path.chmod(0o600)

    async def stop(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        await self._server.wait_closed()
        self._server = None
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._writers) >= _MOST_CLIENTS:
            writer.close()
            return
        self._writers.add(writer)
        try:
            while line := await reader.readline():
                writer.write(json.dumps(self._answer(line)).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            # ``ValueError``: a line without end. Whoever sends that gets no more answers.
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            return {"ok": True, **self._perform(json.loads(line))}
        except CommandRefused as error:
            return {"ok": False, "error": str(error)}
        except (ValueError, RecursionError):
            return {"ok": False, "error": "a request is one line of JSON"}


def _sweep(folder: Path) -> None:
    """Remove the sockets of emulators that were killed."""
    for path in folder.glob(_PREFIX + "*.sock"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.setblocking(False)
            try:
                probe.connect(os.fspath(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
            except OSError:
                # It is busy, or no socket at all.
                continue


def ask(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Send one request; return the answer. Raises ``ControlError``, ``CommandRefused``."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_TIMEOUT)
            connection.connect(os.fspath(path))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as file:
                answer = json.loads(file.readline(_LONGEST_ANSWER))
    except (FileNotFoundError, ConnectionRefusedError) as error:
        raise ControlError(
            "no emulator listens there: start one with cozmo emulator, or name its --port"
        ) from error
    except (OSError, ValueError) as error:
        raise ControlError(f"the emulator does not answer: {error}") from error
    if not answer.pop("ok"):
        raise CommandRefused(answer["error"])
    return dict(answer)
