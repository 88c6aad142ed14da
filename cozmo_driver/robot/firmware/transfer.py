"""Sends a firmware file to the robot, chunk by chunk (spec 09 §7, steps 1 to 4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ...protocol import messages
from ..reasons import Reason
from ..session import Session
from .image import CHUNK, FirmwareImage

_OK, _COMPLETE = 0, 10
_END = 0xFFFF


class UpdatePhase(Enum):
    """What is going on; the value is the share of the whole at which it begins."""

    CHECKING = 0.0
    ERASING = 0.01
    SENDING = 0.05
    VERIFYING = 0.80
    RESTARTING = 0.82
    CONFIRMING = 0.95


@dataclass(frozen=True, slots=True)
class UpdateTimes:
    """Longest waits of each step, s (spec 09 §7)."""

    identify: float = 2.0
    erase: float = 30.0
    chunk: float = 5.0
    finish: float = 10.0
    restart: float = 15.0
    """How long the robot is left alone before it is looked for again."""
    confirm: float = 60.0
    retry: float = 2.0
    """Pause between two looks."""


class TransferFailed(RuntimeError):
    """The robot refused or fell silent; ``status`` is what it said, None for nothing."""

    def __init__(self, reason: Reason, text: str, status: int | None = None) -> None:
        """Say what failed."""
        super().__init__(text)
        self.reason, self.status = reason, status


class Transfer:
    """One file's way into the robot; it stops for good at the first thing that goes wrong."""

    def __init__(
        self,
        session: Session,
        image: FirmwareImage,
        times: UpdateTimes,
        tell: Callable[[UpdatePhase, int], None],
    ) -> None:
        """Send through ``session``, which must be one for maintenance; ``tell`` phase and bytes."""
        self._session, self._image, self._times, self._tell = session, image, times, tell
        self._acks: deque[messages.OtaAck] = deque()
        session.on(messages.OtaAck, lambda ack, now: self._acks.append(ack))

    async def run(self) -> None:
        """Send the whole file. Raises ``TransferFailed``, ``ConnectionLost``, ``NotConnected``."""
        chunks = enumerate(self._image.chunks())
        self._tell(UpdatePhase.ERASING, 0)
        self._send(*next(chunks))
        await self._taken(self._times.erase, "erase its flash memory")
        self._tell(UpdatePhase.SENDING, CHUNK)
        sent = CHUNK
        # The robot answers every second chunk; a single one at the end gets no answer.
        for first in chunks:
            self._send(*first)
            second = next(chunks, None)
            if second is None:
                break
            self._send(*second)
            await self._taken(self._times.chunk, f"take chunk {second[0]}")
            sent += 2 * CHUNK
            self._tell(UpdatePhase.SENDING, min(sent, len(self._image.data)))
        self._tell(UpdatePhase.VERIFYING, len(self._image.data))
        self._send(_END, bytes(CHUNK))
        await self._completed()

    def _send(self, number: int, chunk: bytes) -> None:
        self._session.send(messages.OtaWrite(number, chunk))

    async def _taken(self, timeout: float, what: str) -> None:
        """Wait for an answer; every one that came must be good."""
        await self._answered(timeout, what)
        while self._acks:
            ack = self._acks.popleft()
            if ack.result != _OK:
                raise _refused(ack, what)

    async def _completed(self) -> None:
        while True:
            await self._answered(self._times.finish, "verify the firmware")
            ack = self._acks.popleft()
            if ack.result == _COMPLETE:
                return
            if ack.result != _OK:
                raise _refused(ack, "verify the firmware")

    async def _answered(self, timeout: float, what: str) -> None:
        try:
            await self._session.until(lambda: bool(self._acks), timeout)
        except TimeoutError:
            raise TransferFailed(
                Reason.TIMEOUT, f"the robot did not {what} within {timeout:g} s"
            ) from None


def _refused(ack: messages.OtaAck, what: str) -> TransferFailed:
    return TransferFailed(
        Reason.ROBOT_ERROR,
        f"the robot did not {what}: it answered status {ack.result} to chunk {ack.packet_number}",
        ack.result,
    )
