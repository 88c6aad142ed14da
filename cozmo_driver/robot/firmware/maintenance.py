"""A connection for maintenance, and the firmware that is sent over it (spec 09 §7).

On such a connection the robot is identified; its clock is not set and it sends no states.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum

from ...link import Backoff, UdpLink
from ...protocol import EngineConfig, messages
from ..errors import Reason, RobotError
from ..session import Session
from .image import CHUNK, RECOVERY_BUILD, FirmwareDescription, FirmwareImage, parse_description

_OK, _COMPLETE = 0, 10
_END = 0xFFFF
_CONNECT_TIMEOUT = 10.0
"""A robot whose goodbye was lost on the air ignores other engines for 5 s (spec 01 §1, §5)."""


def maintenance_session(
    link: UdpLink, timeout: float, connect_timeout: float = _CONNECT_TIMEOUT
) -> Session:
    """Return a session with the robot of ``link``, which itself must stay disconnected.

    The robot counts as lost after ``timeout`` s without a frame.
    """
    session = Session(
        UdpLink(
            link.address,
            link.port,
            lambda event, now: session.handle_event(event, now),
            network_interface=link.network_interface,
            config=EngineConfig(timeout=timeout, connect_timeout=connect_timeout),
        ),
        Backoff(),
    )
    return session


@asynccontextmanager
async def connected_once(session: Session) -> AsyncIterator[Session]:
    """Connect, and disconnect at the end.

    Raises ``LinkError``, and ``ConnectionLost`` when no robot answers.
    """
    try:
        await session.connect_once()
        yield session
    finally:
        session.link.close()


@dataclass(frozen=True, slots=True)
class RobotFirmware:
    """Who answered and what runs there; ``head_serial`` is None where it was not sent."""

    head_serial: int | None
    description: FirmwareDescription


async def ask_firmware(session: Session, timeout: float) -> RobotFirmware:
    """Return what the robot sends about itself; the recovery image sends less.

    Raises ``TimeoutError`` after ``timeout`` s, ``ValueError`` for a description that makes no
    sense and ``ConnectionLost``.
    """
    received = session.received
    kinds = (messages.FirmwareVersion, messages.FWVersionInfo)
    await session.until(lambda: any(kind in received for kind in kinds), timeout)
    head = received.get(messages.RobotAvailable)
    serial = head.serial_number_head if isinstance(head, messages.RobotAvailable) else None
    version = received.get(messages.FirmwareVersion)
    if isinstance(version, messages.FirmwareVersion):
        return RobotFirmware(serial, parse_description(version.json))
    recovery = received[messages.FWVersionInfo]
    assert isinstance(recovery, messages.FWVersionInfo)
    description = FirmwareDescription(recovery.wifi_version, RECOVERY_BUILD, ("", "", ""))
    return RobotFirmware(serial, description)


# -- transfer


class UpdatePhase(Enum):
    """What is going on; the value is the share of the whole at which it starts."""

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
    """How long the robot is left alone before it is connected again."""
    confirm: float = 60.0
    retry: float = 2.0
    """Pause between two attempts."""


class Transfer:
    """One file's way into the robot; it stops for good at the first thing that goes wrong."""

    def __init__(
        self,
        session: Session,
        image: FirmwareImage,
        times: UpdateTimes,
        on_progress: Callable[[UpdatePhase, int], None],
    ) -> None:
        self._session, self._image, self._times = session, image, times
        self._on_progress = on_progress
        self._acks: deque[messages.OtaAck] = deque()
        session.on(messages.OtaAck, lambda ack, now: self._acks.append(ack))

    async def run(self) -> None:
        """Send the whole file. Raises ``RobotError``, ``ConnectionLost``, ``NotConnected``."""
        chunks = enumerate(self._image.chunks())
        self._on_progress(UpdatePhase.ERASING, 0)
        self._send(*next(chunks))
        await self._acknowledged(self._times.erase, "erase its flash memory")
        self._on_progress(UpdatePhase.SENDING, CHUNK)
        sent = CHUNK
        # The robot answers every second chunk; a single one at the end gets no answer.
        for first in chunks:
            self._send(*first)
            second = next(chunks, None)
            if second is None:
                break
            self._send(*second)
            await self._acknowledged(self._times.chunk, f"take chunk {second[0]}")
            sent += 2 * CHUNK
            self._on_progress(UpdatePhase.SENDING, min(sent, len(self._image.data)))
        self._on_progress(UpdatePhase.VERIFYING, len(self._image.data))
        self._send(_END, bytes(CHUNK))
        result = _OK
        while result != _COMPLETE:
            result = await self._answer(self._times.finish, "verify the firmware", (_OK, _COMPLETE))

    def _send(self, number: int, chunk: bytes) -> None:
        self._session.send(messages.OtaWrite(number, chunk))

    async def _acknowledged(self, timeout: float, what: str) -> None:
        """Wait for an answer; every one that came must be good."""
        await self._answer(timeout, what)
        while self._acks:
            await self._answer(timeout, what)

    async def _answer(self, timeout: float, what: str, good: tuple[int, ...] = (_OK,)) -> int:
        try:
            await self._session.until(lambda: bool(self._acks), timeout)
        except TimeoutError:
            raise RobotError(
                Reason.TIMEOUT, f"the robot did not {what} within {timeout:g} s"
            ) from None
        ack = self._acks.popleft()
        if ack.result not in good:
            answer = f"it answered status {ack.result} to chunk {ack.packet_number}"
            raise RobotError(Reason.ROBOT_ERROR, f"the robot did not {what}: {answer}")
        return ack.result
