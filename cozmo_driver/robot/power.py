"""Switching the robot off (message 0xA9; spec 09 §7)."""

from __future__ import annotations

import asyncio
import logging

from ..link import with_timeout
from ..protocol import ConnectionLost, messages
from .data import Cause
from .errors import Reason, Refused, RobotError
from .motion.motion import Motion
from .session import Session
from .storage.storage import Storage

_log = logging.getLogger(__name__)

_NO_CONTENT = (0,) * 8
"""What the message carries is not known."""
_ACKNOWLEDGED_WITHIN = 2.0
_SILENCE = 2.0
"""Without a state for this long the robot is off, s."""
_OFF_TIMEOUT = 6.0


class Power:
    """Switches the robot off; only a hand can switch it on again."""

    def __init__(
        self, session: Session, motion: Motion, storage: Storage, is_off_allowed: bool
    ) -> None:
        self.is_off_allowed = is_off_allowed
        self._session, self._motion, self._storage = session, motion, storage

    async def off(self) -> None:
        """Stop everything, switch the robot off, and stay disconnected (spec 09 §7).

        An operation of the storage is ended first, in which the robot stands. Raises ``Refused``
        with nothing sent, and ``RobotError`` when it stays on, or is gone without having confirmed.
        """
        self._check()
        with self._motion.standing("the robot is being switched off"):
            await self._off()

    async def _off(self) -> None:
        async with self._storage.paused():
            self._check()
            ordinal = self._session.send(messages.ShutdownRobot(_NO_CONTENT))
            is_confirmed = await self._is_acknowledged(ordinal)
            if not await self._is_silent():
                raise RobotError(
                    Reason.ROBOT_ERROR,
                    f"the robot is still on {_OFF_TIMEOUT:g} s after it was told to switch off; "
                    "does its firmware know how? Leave it on its charger instead",
                )
            await self._session.close(
                Cause.REQUESTED, "the robot was switched off; call connect when it is on again"
            )
        if not is_confirmed:
            raise RobotError(
                Reason.LINK_LOST,
                "the robot fell silent before it confirmed; look whether it is off. The driver "
                "stays disconnected until connect is called",
            )
        _log.info("the robot is switched off")

    def _check(self) -> None:
        if not self.is_off_allowed:
            raise Refused(
                Reason.NOT_ALLOWED,
                "switching the robot off is not allowed; set the option allow_power_off",
            )
        self._session.check_ready()

    async def _is_acknowledged(self, ordinal: int) -> bool:
        try:
            await with_timeout(_ACKNOWLEDGED_WITHIN, self._session.link.acknowledged(ordinal))
        except (ConnectionLost, TimeoutError):
            return False
        return True

    async def _is_silent(self) -> bool:
        """Tell whether the states end: a robot that did not understand goes on sending them."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _OFF_TIMEOUT
        while loop.time() < deadline:
            self._session.received.pop(messages.RobotState, None)
            try:
                await self._session.wait_for(messages.RobotState, _SILENCE)
            except (TimeoutError, ConnectionLost):
                return True
        return False
