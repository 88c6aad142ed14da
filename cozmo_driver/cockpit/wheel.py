"""One driver at a time: who has the wheel, and a robot that stops when the driver falls silent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .robot_port import STANDING, RobotPort, Velocity

TIMEOUT = 0.3
"""s without a command after which a moving robot stops; pages send every 0.05 s."""


class Wheel:
    """The wheel of one robot; in the server's loop."""

    def __init__(
        self,
        robot: RobotPort,
        on_change: Callable[[], object] = lambda: None,
        timeout: float = TIMEOUT,
    ) -> None:
        self._robot, self._on_change, self._timeout = robot, on_change, timeout
        self._watchdog: asyncio.TimerHandle | None = None
        self.holder = ""
        """The page that has it, empty for none."""

    def claim(self, page: str) -> bool:
        """Give a free wheel to ``page``; tell whether it has the wheel now."""
        if not self.holder:
            self._pass_to(page)
        return self.holder == page

    def take_over(self, page: str) -> None:
        """Give the wheel to ``page``; what another one drives stops."""
        if self.holder != page:
            self.stop()
            self._pass_to(page)

    def leave(self, page: str) -> None:
        """The page is gone or gives the wheel back: the robot stops, the wheel is free."""
        if self.holder == page:
            self.stop()
            self._pass_to("")

    def drive(self, page: str, velocity: Velocity) -> bool:
        """Drive until the next command or the timeout; False where another page has the wheel."""
        if self.holder != page and (velocity == STANDING or not self.claim(page)):
            return False
        self._robot.drive(velocity)
        self._cancel_watchdog()
        if velocity != STANDING:
            loop = asyncio.get_running_loop()
            self._watchdog = loop.call_later(self._timeout, self.stop)
        return True

    def stop(self) -> None:
        """Stop what a page drives; goals and others' commands go on."""
        if self._watchdog is not None:
            self._robot.drive(STANDING)
            self._cancel_watchdog()

    def _cancel_watchdog(self) -> None:
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None

    def _pass_to(self, page: str) -> None:
        self.holder = page
        self._on_change()
