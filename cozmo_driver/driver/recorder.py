"""The last minute of traffic beside the log, once something went wrong."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO

from rclpy.logging import get_logging_directory

from ..link import FieldRecorder, write_datagrams
from ..robot import Cause, Phase, RobotEvent, RobotEventType, SessionState
from ..ros.context import Context

_log = logging.getLogger(__name__)

_AFTERWARDS = 2.0
"""s of what follows that are recorded, too."""
_PERIOD = 60.0
"""s between two files: the same trouble comes again and again."""
_MOST_FILES = 10
_LOST = {Cause.SILENT: "silent", Cause.CLOSED: "closed", Cause.NETWORK: "network"}
_UNEXPECTED = {
    RobotEventType.UNEXPECTED_MOVEMENT: "unexpected_movement",
    RobotEventType.MOTOR_STALLED: "motor_stalled",
    RobotEventType.ROBOT_ERROR: "robot_error",
}


class RecorderPart:
    """Writes ``cozmo_DATE_TIME_REASON.pcap`` when a session or a movement ends unexpectedly."""

    def __init__(self, context: Context) -> None:
        """Begin to keep traffic, unless the parameter ``recorder`` is false."""
        if not context.parameters["recorder"]:
            return
        robot = context.robot
        self._recorder = FieldRecorder()
        self._robot = robot.options.address, robot.options.port
        self._folder = Path(get_logging_directory())
        self._written_at = -math.inf
        self._pending: tuple[str, asyncio.TimerHandle] | None = None
        self._work: asyncio.Task[None] | None = None
        robot.session.link.tap = self._recorder.tap
        robot.on_session.connect(self._on_session)
        robot.on_event.connect(self._on_event)
        robot.session.on_failure.connect(lambda _: self._write("failure"))

    def _on_session(self, state: SessionState) -> None:
        if state.phase is Phase.CONNECTED:
            self._recorder.on_ready()
        elif state.previous is Phase.CONNECTED:
            if state.cause in _LOST:
                self._write(_LOST[state.cause])
            elif self._pending is not None:
                self._write(self._pending[0])
        if state.phase is Phase.CONNECTING:
            self._recorder.begin()

    def _on_event(self, event: RobotEvent) -> None:
        if event.type in _UNEXPECTED and self._pending is None:
            why = _UNEXPECTED[event.type]
            timer = asyncio.get_running_loop().call_later(_AFTERWARDS, self._write, why)
            self._pending = why, timer

    def _write(self, why: str) -> None:
        if self._pending is not None:
            self._pending[1].cancel()
            self._pending = None
        now = asyncio.get_running_loop().time()
        if now - self._written_at < _PERIOD:
            return
        self._written_at = now
        self._work = asyncio.create_task(self._save(why, time.time() - now))

    async def _save(self, why: str, zero: float) -> None:
        datagrams = self._recorder.datagrams()
        path = self._folder / f"cozmo_{time.strftime('%Y%m%d_%H%M%S')}_{why}.pcap"

        def save() -> Path:
            self._folder.mkdir(parents=True, exist_ok=True)
            with _new_file(path) as file:
                write_datagrams(file, datagrams, self._robot, zero)
            # This one stays, also where the clock was set back and others seem newer.
            others = set(self._folder.glob("cozmo_*_*_*.pcap")) - {Path(file.name)}
            for old in sorted(others)[: 1 - _MOST_FILES]:
                old.unlink(missing_ok=True)
            return Path(file.name)

        try:
            written = await asyncio.to_thread(save)
        except OSError as error:
            _log.warning("the recording of the last minute was not written: %s", error)
        else:
            _log.info("the last minute of traffic is in %s", written)


def _new_file(path: Path) -> BinaryIO:
    """Create a file for this user alone, numbered where another driver's has its name."""
    names = chain([path], (path.with_stem(f"{path.stem}_{number}") for number in count(2)))
    while True:
        try:
            return open(next(names), "xb", opener=lambda name, flags: os.open(name, flags, 0o600))
        except FileExistsError:
            continue
