"""Switching off at the engine's request (spec 09 §7)."""

from __future__ import annotations

from ..protocol.messages import ShutdownRobot
from .core import Core

_DELAY = 0.1
"""Seconds in which the request is still acknowledged."""


class Power:
    """Off is silence: no goodbye, no answer, until somebody switches the robot on."""

    def __init__(self, core: Core) -> None:
        """Take part in the connection."""
        self._core = core
        self.is_off = False
        self.ignores_requests = False
        """Fault: what the message carries does not please the robot."""
        core.handle(ShutdownRobot, self._shut_down)

    def _shut_down(self, _: ShutdownRobot) -> None:
        if not self.ignores_requests:
            self._core.after(_DELAY, self._off)

    def _off(self) -> None:
        core = self._core
        self.is_off = True
        core.connection.disconnect(core.now)
        core.connection.datagrams_to_send(core.now)
        core.take_events()
