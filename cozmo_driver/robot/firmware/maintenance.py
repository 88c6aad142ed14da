"""A connection for maintenance: identity, no clock, no states, only pings (spec 09 §7)."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType

from ...link import Backoff, UdpLink
from ...protocol import EngineConfig, Event, messages
from ..session import Session
from .image import RECOVERY_BUILD, FirmwareDescription, parse_description

_CONNECT_TIMEOUT = 10.0
"""A robot whose goodbye was lost on the air ignores other engines for 5 s (spec 01 §1, §5)."""


class Maintenance:
    """An asynchronous context: connects once on entering, disconnects on leaving."""

    def __init__(
        self, link: UdpLink, silence: float, connect_timeout: float = _CONNECT_TIMEOUT
    ) -> None:
        """Prepare a connection to where ``link`` leads; ``link`` itself must stay disconnected.

        The robot counts as lost after ``silence`` s without a frame.
        """
        self.session = Session(
            UdpLink(
                link.address,
                link.port,
                self._handle,
                network_interface=link.network_interface,
                config=EngineConfig(timeout=silence, connect_timeout=connect_timeout),
            ),
            Backoff(),
        )

    def _handle(self, event: Event, now: float) -> None:
        self.session.handle_event(event, now)

    def break_off(self) -> None:
        """Disconnect now; who waits for the robot gets ``ConnectionLost``."""
        self.session.link.close()

    async def __aenter__(self) -> Session:
        """Connect. Raises ``LinkError``, and ``ConnectionLost`` when no robot answers."""
        try:
            await self.session.connect_once()
        except BaseException:
            self.break_off()
            raise
        return self.session

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disconnect."""
        self.break_off()


@dataclass(frozen=True, slots=True)
class RobotFirmware:
    """Who answered and what runs there; ``head_serial`` is None where it was not said."""

    head_serial: int | None
    description: FirmwareDescription


async def ask_firmware(session: Session, timeout: float) -> RobotFirmware:
    """Return what the robot volunteers about itself; the recovery image says less.

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
