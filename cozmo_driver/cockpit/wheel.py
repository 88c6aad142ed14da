"""One driver at a time: who has the wheel, and a robot that stops when the driver falls silent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from .robot_port import STANDING, Answer, RobotPort, Velocity

TIMEOUT = 0.3
"""s without a command after which a moving robot stops; pages send every 0.05 s."""
REST = 5.0
"""s for which the wheel stays with whoever drove: pauses between two keys are shorter."""


class Wheel:
    """The wheel of one robot; in the server's loop."""

    def __init__(self, robot: RobotPort, on_change: Callable[[], object] = lambda: None) -> None:
        self._robot, self._on_change = robot, on_change
        self._watchdog: asyncio.TimerHandle | None = None
        self._rest: asyncio.TimerHandle | None = None
        self._goals: set[asyncio.Future[Answer]] = set()
        self._moving: set[str] = set()
        """Pages whose inputs are not at rest, whether they drive or not."""
        self._halted: set[str] = set()
        """Those of them that come to rest before they drive again."""
        self._is_latched = False
        self.holder = ""
        """The page that has it, empty for none."""

    def is_free_for(self, page: str) -> bool:
        return self.holder in ("", page)

    def claim(self, page: str) -> bool:
        """Give a free wheel to ``page``, until it rests; tell whether it has the wheel now."""
        if not self.is_free_for(page):
            return False
        self._pass_to(page)
        self._rest_later()
        return True

    def take_over(self, page: str) -> None:
        """Give the wheel to ``page``; what another one drives stops."""
        self._pass_to(page)
        self._rest_later()

    def leave(self, page: str) -> None:
        """The page is gone or gives the wheel back: the robot stops, the wheel is free."""
        if self.holder == page:
            self._pass_to("")

    def forget(self, page: str) -> None:
        """The page is gone for good."""
        self.leave(page)
        self.let_go(page)

    def let_go(self, page: str) -> None:
        """The inputs of the page have come to rest; a goal that it pursues goes on."""
        self._moving.discard(page)
        self._halted.discard(page)

    def drive(self, page: str, velocity: Velocity) -> bool:
        """Drive until the next command or the timeout; False where it may not."""
        if velocity == STANDING:
            self.let_go(page)
            if self.holder != page:
                return False
        else:
            self._moving.add(page)
            if self._is_latched:
                self._halted.add(page)
            if page in self._halted or not self.claim(page):
                return False
        self._robot.drive(velocity)
        self._cancel_watchdog()
        if velocity != STANDING:
            loop = asyncio.get_running_loop()
            self._watchdog = loop.call_later(TIMEOUT, self.stop)
        return True

    async def pursue(self, page: str, goal: Coroutine[Any, Any, Answer]) -> Answer:
        """Pursue a goal that drives, with the wheel; losing the wheel cancels it."""
        if not self.is_free_for(page):
            goal.close()
            return Answer(False, "another page has the wheel")
        self._pass_to(page)
        task = asyncio.ensure_future(goal)
        self._goals.add(task)
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            self._goals.discard(task)
            if not self._goals and self._rest is None:
                self.leave(page)
        return Answer(True, "") if task.cancelled() else task.result()

    def stop(self) -> None:
        """Stop what a page drives; goals and others' commands go on."""
        if self._watchdog is not None:
            self._robot.drive(STANDING)
            self._cancel_watchdog()

    def halt(self) -> None:
        """Stop, and let nobody drive on whose inputs have not come to rest."""
        self.stop()
        self._halted |= self._moving

    def set_latched(self, is_latched: bool) -> None:
        """Learn whether an emergency stop, of whomever, is latched."""
        if is_latched and not self._is_latched:
            self.halt()
        self._is_latched = is_latched

    def _cancel_watchdog(self) -> None:
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None

    def _rest_later(self) -> None:
        self._cancel_rest()
        self._rest = asyncio.get_running_loop().call_later(REST, self._on_rest)

    def _cancel_rest(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    def _on_rest(self) -> None:
        self._rest = None
        if not self._goals:
            self._pass_to("")

    def _pass_to(self, page: str) -> None:
        if page == self.holder:
            return
        self.stop()
        self._cancel_rest()
        for goal in self._goals:
            goal.cancel()
        # Nobody drives off because another one leaves.
        self._halted |= self._moving - {page}
        self.holder = page
        self._on_change()
