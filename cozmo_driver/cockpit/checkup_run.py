"""The checkup of one robot: a program of its own, which has the robot instead of the driver."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..link import with_timeout
from .reports import Reports
from .robot_port import Answer, RobotPort

_log = logging.getLogger(__name__)

IDLE: Final = "idle"
_STARTING, _RUNNING, _ENDING = "starting", "running", "ending"
_COMMAND = (sys.executable, "-m", "cozmo_driver.cli.main", "checkup", "--json")
_DRIVER = "cozmo_driver"
_PLACE = {
    "--robot": "robot_address",
    "--port": "robot_port",
    "--network-interface": "network_interface",
}
"""Options that say where the robot is, and the driver's parameters that know."""
_GRACE, _AWAY = 5.0, 300.0
"""s for which the page that answers may be gone: while it is loaded again, the robot drives on;
while a telephone is locked, the robot stands and waits for it."""
_STOP_TIMEOUT = 0.9
"""s in which a stop is confirmed: pages tell their users after 1.5 s that nothing is."""
_END_TIMEOUT = 15.0
"""s in which the program leaves the robot at rest and writes its report."""
_ANSWERS: Mapping[str, tuple[Any, ...]] = {
    "choose": ("go", "skip", "repeat", "stop"),
    "agrees": (True, False),
    "notices": (True, False, None),
}
"""To each kind of question."""


class CheckupRun:
    """At most one at a time; in the server's loop. Whatever ends it, the driver connects again."""

    def __init__(
        self, robot: RobotPort, reports: Reports, on_change: Callable[[Any], object]
    ) -> None:
        """``on_change`` gets what pages show of it, as JSON."""
        self.reports = reports
        self._robot, self._on_change = robot, on_change
        self._task: asyncio.Task[None] | None = None
        self._process: Process | None = None
        self._page = ""
        """The page that has started it, or has answered last."""
        self._leaving: asyncio.TimerHandle | None = None
        """Until something follows from its absence."""
        self._stopped: asyncio.Future[Answer] | None = None
        """Of the program that runs: whether the robot has confirmed a stop."""
        self._is_ending = False
        self.shown: dict[str, Any] = _nothing()

    @property
    def has_robot(self) -> bool:
        """Whether the robot is the checkup's: the driver must not connect."""
        return self._task is not None and not self._task.done()

    def start(self, page: str, steps: Sequence[str], *, with_images: bool) -> Answer:
        """Begin with these steps."""
        if self.has_robot:
            return Answer(False, "a checkup has the robot already")
        if not steps:
            return Answer(False, "choose a step at least")
        self._page, self._is_ending = page, False
        self.come(page)
        self.shown = _nothing()
        words = ["--only", *steps, *(() if with_images else ("--no-images",))]
        self._task = asyncio.ensure_future(self._run(words))
        return Answer(True, "")

    def answer(self, page: str, number: int, value: Any) -> Answer:
        """Answer the question of this number, from whichever page."""
        question = self.shown["question"]
        if question is None or question["number"] != number:
            return Answer(False, "that is asked no more")
        if not any(value is one or value == one for one in _ANSWERS[question["kind"]]):
            raise ValueError(f"{value!r:.40} is no answer to this question")
        self._page = page
        self.come(page)
        self._show(question=None)
        self._say(answer=number, value=value)
        return Answer(True, "")

    def end(self) -> Answer:
        """End it in order; the report of what was done is written."""
        self._is_ending = True
        self._say(end=True)
        return Answer(True, "")

    async def stop(self) -> Answer | None:
        """Stop the robot and end it; None where the driver, or nobody, has the robot."""
        process = self._process
        if process is None or process.returncode is not None:
            self._is_ending = self.has_robot
            return None
        self._is_ending = True
        stopped = self._stopped
        if stopped is None:
            # A page stops by two ways at once: the program is told once.
            stopped = self._stopped = asyncio.get_running_loop().create_future()
            self._say(stop=True)
        await asyncio.wait([stopped], timeout=_STOP_TIMEOUT)
        if stopped.done():
            return stopped.result()
        if process.returncode is None:
            # The driver, whose stop is latched, begins its session with it.
            process.kill()
        return Answer(False, "the checkup has not answered: the driver takes the robot back")

    def leave(self, page: str) -> None:
        """The page is not heard: nobody watches the robot, unless another one answers."""
        if page == self._page and self.has_robot and self._leaving is None:
            self._leaving = asyncio.get_running_loop().call_later(_GRACE, self._unwatched)

    def come(self, page: str) -> None:
        """The page is heard again."""
        if page == self._page and self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
            self._say(watched=True)

    async def close(self) -> None:
        """End it, and have the robot back with the driver."""
        if self._task is not None and not self._task.done():
            self.end()
            await asyncio.wait([self._task])

    def _unwatched(self) -> None:
        self._say(watched=False)
        self._leaving = asyncio.get_running_loop().call_later(_AWAY, self._abandon)

    def _abandon(self) -> None:
        if self.has_robot:
            _log.warning("the page that led the checkup is gone: it ends")
            self.end()

    # -- the program

    async def _run(self, words: Sequence[str]) -> None:
        folder = Path()
        try:
            self._show(stage=_STARTING)
            place, folder = await self._place(), self.reports.new()
            let_go = await self._robot.call("disconnect")
            if not let_go.success:
                raise OSError(f"the driver does not let the robot go: {let_go.message}")
            if not self._is_ending:
                await self._talk([*_COMMAND, *place, *words, "--output", str(folder)])
        except OSError as error:
            self._show(message=error.strerror or str(error))
        except Exception:
            _log.exception("the checkup has failed")
            self._show(message="the cockpit has failed: its log says how")
        finally:
            self._show(stage=_ENDING, question=None, at="")
            back = await self._robot.call("connect")
            message = self.shown["message"]
            if not back.success:
                message = f"{message}; call connect: {back.message}".lstrip("; ")
            report = folder.name if self.reports.find(folder.name) else ""
            self._show(stage=IDLE, report=report, message=message)

    async def _place(self) -> list[str]:
        """Return the options that say where the robot is. Raises ``OSError``."""
        words: list[str] = []
        for option, name in _PLACE.items():
            value = await self._robot.parameter(_DRIVER, name)
            if value is None:
                raise OSError("the driver is not heard: only it knows where the robot is")
            words += [option, str(value)] if value else []
        return words

    async def _talk(self, command: Sequence[str]) -> None:
        """Run the program to its end."""
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        self._process, self._stopped = process, None
        if self._is_ending:
            self.end()
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                self._on_line(line)
            await with_timeout(_END_TIMEOUT, process.wait())
        except TimeoutError:
            _log.error("the checkup did not end by itself")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            self._process = None
        if (process.returncode or 0) < 0:
            # Nobody has stopped the robot: the driver does so with its first message.
            await self._robot.call("emergency_stop")
            text = "the checkup has ended unexpectedly; release the stop to drive again"
            self._show(message=self.shown["message"] or text)

    def _say(self, **values: Any) -> None:
        process = self._process
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(json.dumps(values).encode() + b"\n")

    def _on_line(self, line: bytes) -> None:
        """Take in what the program says."""
        try:
            [(kind, value)] = json.loads(line).items()
        except ValueError:
            _log.error("the checkup said what makes no sense: %r", line[:80])
            return
        if kind == "steps":
            self._show(stage=_RUNNING, steps=value)
        elif kind == "asks":
            at = value.get("step", self.shown["at"])
            self._show(question=value, at=at, is_busy=False, told="")
        elif kind == "begins":
            self._show(at=value, is_busy=True)
        elif kind == "outcome":
            results = {**self.shown["results"], value["step"]: value}
            # Pages show it in their language, in place of what was told of it.
            self._show(results=results, is_busy=False, told="")
        elif kind == "told":
            self._show(told=value)
        elif kind == "error":
            self._show(message=value)
        elif kind == "stopped" and self._stopped is not None and not self._stopped.done():
            self._stopped.set_result(Answer(value["success"], value["message"]))

    def _show(self, **values: Any) -> None:
        self.shown = {**self.shown, **values}
        self._on_change(self.shown)


def _nothing() -> dict[str, Any]:
    """Return what is shown of no checkup."""
    return {
        "stage": IDLE,
        "steps": [],
        "at": "",
        "is_busy": False,
        "question": None,
        "told": "",
        "results": {},
        "report": "",
        "message": "",
    }
