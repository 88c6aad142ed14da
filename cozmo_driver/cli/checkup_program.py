"""A program in place of the person beside the robot: one JSON object a line, both ways.

It is told ``steps``, ``told``, ``begins``, ``asks``, ``outcome``, ``stopped``, ``report`` and
``error``, and says ``{"answer": NUMBER, "value": ...}`` to what ``asks``, and at any time
``{"watched": false}`` and true, ``{"stop": true}`` and ``{"end": true}``. When its end of the pipe
closes, the checkup ends as by Ctrl-C.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..checkup import Choice, Outcome, Step
from ..robot import Robot, RobotError

_MOST = 1 << 16
"""Bytes that are read at once, and of a line."""


class Program:
    """Implements ``Person``."""

    def __init__(self) -> None:
        self.tell: Callable[[str], object] = lambda text: self.say("told", text)
        self.robot: Robot | None = None
        """Which a stop is for, once it is connected."""
        self.watch: Callable[[bool], object] = lambda is_watched: None
        """Takes whether anybody watches the robot."""
        self._steps: list[str] = []
        self._number = 0
        self._answer: asyncio.Future[Any] | None = None
        self._rest = b""
        self._stops: set[asyncio.Task[None]] = set()

    def say(self, kind: str, value: Any) -> None:
        try:
            print(json.dumps({kind: value}), flush=True)
        except OSError:
            # Nobody listens any more, which ends the checkup by its own pipe.
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115

    def begin(self, steps: Sequence[Step]) -> None:
        self._steps = [step.name for step in steps]
        self.say("steps", self._steps)

    def learn(self, outcome: Outcome) -> None:
        """Say what came of a step."""
        result = outcome.result
        self.say(
            "outcome",
            {
                "step": outcome.step.name,
                "verdict": result.verdict.value,
                "sentence": result.sentence,
                "advice": result.advice,
                "unusual": [one.name.replace("_", " ") for one in outcome.deviations],
            },
        )

    # -- the person

    async def choose(self, step: Step, *, can_repeat: bool) -> Choice:
        value = await self._ask("choose", step.does, step=step.name, can_repeat=can_repeat)
        try:
            choice = Choice(value)
        except ValueError:
            choice = Choice.SKIP
        if choice in (Choice.GO, Choice.REPEAT):
            at = self._steps.index(step.name) - (choice is Choice.REPEAT)
            self.say("begins", self._steps[max(0, at)])
        return choice

    async def agrees(self, request: str) -> bool:
        return await self._ask("agrees", request) is True

    async def notices(self, question: str) -> bool | None:
        value = await self._ask("notices", question)
        return value if isinstance(value, bool) else None

    async def again(self, step: Step) -> bool:
        is_wanted = await self.notices("Repeat the step?") is True
        if is_wanted:
            self.say("begins", step.name)
        return is_wanted

    async def _ask(self, kind: str, text: str, **values: Any) -> Any:
        self._number += 1
        self._answer = asyncio.get_running_loop().create_future()
        self.say("asks", {"number": self._number, "kind": kind, "text": text, **values})
        return await self._answer

    # -- what comes

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take in what the program says during a ``with`` block."""
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._on_readable)
        try:
            yield
        finally:
            loop.remove_reader(sys.stdin.fileno())

    def _on_readable(self) -> None:
        data = os.read(sys.stdin.fileno(), _MOST)
        if not data or len(self._rest) > _MOST:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            _end()
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._on_line(line)

    def _on_line(self, line: bytes) -> None:
        try:
            said = json.loads(line)
            if "stop" in said:
                task = asyncio.ensure_future(self._stop())
                self._stops.add(task)
                task.add_done_callback(self._stops.discard)
            elif "watched" in said:
                self.watch(said["watched"] is True)
            elif "end" in said:
                _end()
            elif int(said["answer"]) == self._number and self._answer and not self._answer.done():
                self._answer.set_result(said["value"])
        except (ValueError, TypeError, KeyError) as error:
            self.say("error", f"not understood: {line[:80]!r}: {error!r}")

    async def _stop(self) -> None:
        """Stop the robot, say whether it has confirmed that, and end."""
        why = ""
        if self.robot is not None:
            self.robot.motion.emergency_stop()
            try:
                await self.robot.session.safety.confirmed()
            except RobotError as error:
                why = str(error)
        self.say("stopped", {"success": not why, "message": why})
        _end()


def _end() -> None:
    """End in order, as by a signal: the robot is left at rest, the report is written."""
    signal.raise_signal(signal.SIGTERM)
