"""The recording of one robot, made in the executor's thread and asked for in the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..installation import pip_install
from ..ros.context import NodeContext
from .robot_port import Answer, RecordingState

_SHARED = frozenset({"/tf", "/tf_static", "/diagnostics", "/rosout", "/parameter_events"})


class RobotRecorder:
    """At most one recording at a time."""

    def __init__(self, context: NodeContext, namespace: str) -> None:
        """``namespace`` is that of the robot: with a slash before it, or empty."""
        self._context, self._inside = context, f"{namespace}/"
        self._recorder: Any = None

    @property
    def state(self) -> RecordingState | None:
        recorder = self._recorder
        if recorder is None:
            return None
        now = recorder.recording
        return RecordingState(now.size, len(now.topics), now.dropped, now.error)

    async def start(self, path: Path, most_bytes: int) -> Answer:
        return await self._in_executor(lambda: self._start(path, most_bytes))

    async def stop(self) -> Answer:
        return await self._in_executor(self.close)

    def close(self) -> Answer:
        """End the file; in the executor's thread, or when there is none any more."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.close()
        return Answer(True, "")

    def _start(self, path: Path, most_bytes: int) -> Answer:
        try:
            from ..ros.recorder import Recorder, is_recorded
        except ModuleNotFoundError:
            return Answer(False, f"recording needs the package mcap: {pip_install('mcap')}")

        def is_wanted(topic: str) -> bool:
            is_own = topic.startswith(self._inside) or topic in _SHARED
            return is_own and is_recorded(topic)

        self.close()
        try:
            self._recorder = Recorder(self._context.node, path, is_wanted, most_bytes)
        except OSError as error:
            return Answer(False, f"{path}: {error.strerror}")
        return Answer(True, f"recording to {path}")

    async def _in_executor(self, work: Callable[[], Answer]) -> Answer:
        loop, executor = asyncio.get_running_loop(), self._context.node.executor
        if executor is None:
            return Answer(False, "the cockpit ends")
        done: asyncio.Future[Answer] = loop.create_future()

        def run() -> None:
            try:
                answer = work()
            except Exception as error:  # whatever it is belongs to whoever asked
                answer = Answer(False, repr(error))
            self._context.thread.post(_settle, done, answer)

        executor.create_task(run)
        return await done


def _settle(done: asyncio.Future[Answer], answer: Answer) -> None:
    if not done.done():
        done.set_result(answer)
