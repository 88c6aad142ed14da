"""Update of the firmware over the air: chunks, answers, restart (spec 09 §7, §10)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from ..protocol.messages import OtaAck, OtaWrite
from .core import Core
from .session import Session

CHUNK = 1024
END = 0xFFFF
OK, FAILED, COMPLETE = 0, 1, 10


@dataclass(slots=True)
class UpdateTimes:
    """How long the robot takes, in seconds."""

    erase: float = 0.3
    verify: float = 0.2
    until_restart: float = 0.5
    """From the last answer to the restart."""
    restart: float = 1.0
    """Silence of a restart."""


@dataclass(slots=True)
class UpdateFaults:
    """What goes wrong, by the number of the chunk."""

    status: dict[int, int] = field(default_factory=dict)
    """Answered with this status instead."""
    silent_from: int | None = None
    """No answer to this chunk and any later one."""
    vanishes_at: int | None = None
    """The robot restarts at this chunk, without an answer."""
    keeps_old: bool = False
    """The new image does not start; the old one does."""
    starts: str | None = None
    """Description of what starts instead of the new image."""
    never_returns: bool = False


class FirmwareUpdates:
    """Receives a firmware file; the new firmware runs after the restart that follows."""

    def __init__(self, core: Core, session: Session) -> None:
        self._core = core
        self._session = session
        self.times = UpdateTimes()
        self.faults = UpdateFaults()
        self.received = bytearray()
        """The file as far as it came."""
        self.began_with_states: bool | None = None
        """Whether states were requested before the update; None without one."""
        self.restarts = 0
        self._next = 0
        self._restart_at: float | None = None
        self._deaf_until = float("-inf")
        core.handle(OtaWrite, self._on_write)
        core.when_connected(self._reschedule)
        core.when_disconnected(self._reschedule)

    @property
    def is_unresponsive(self) -> bool:
        return self._core.now < self._deaf_until

    def _on_write(self, m: OtaWrite) -> None:
        number = m.packet_number
        if number == self.faults.vanishes_at:
            self._restart()
        elif number == END:
            status = FAILED if self._description() is None else COMPLETE
            self._answer(number, status, self.times.verify)
        elif number == 0:
            self.began_with_states = self._session.synced
            self.received[:] = m.data
            self._next = 1
            self._answer(number, OK, self.times.erase)
        elif number != self._next:
            self._answer(number, FAILED, 0.0)
        else:
            self.received += m.data
            self._next += 1
            if number % 2 == 0 or number in self.faults.status:
                self._answer(number, OK, 0.0)

    def _answer(self, number: int, status: int, delay: float) -> None:
        silent = self.faults.silent_from
        if silent is not None and number >= silent:
            return
        status = self.faults.status.get(number, status)
        self._core.after(delay, lambda: self._acknowledge(number, status))

    def _acknowledge(self, number: int, status: int) -> None:
        self._core.send(OtaAck(len(self.received), number, status))
        if status == COMPLETE:
            self._restart_at = self._core.now + self.times.until_restart
            self._reschedule()

    def _description(self) -> str | None:
        """Return the description at the start of the file; None where there is none."""
        try:
            text = bytes(self.received[:CHUNK]).rstrip(b"\0").decode()
            fields = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return text if isinstance(fields, dict) and "version" in fields else None

    def _reschedule(self) -> None:
        """A restart comes whether or not somebody is connected."""
        if self._restart_at is not None:
            self._core.schedule.at(self._restart_at, self._restart_if_due)

    def _restart_if_due(self) -> None:
        if self._restart_at is None or self._core.now < self._restart_at:
            return
        description = self._description()
        if self.faults.starts is not None:
            self._session.description = self.faults.starts
        elif description is not None and not self.faults.keeps_old:
            self._session.description = description
        self._restart()

    def _restart(self) -> None:
        core = self._core
        self._restart_at = None
        self.restarts += 1
        silence = float("inf") if self.faults.never_returns else self.times.restart
        self._deaf_until = core.now + silence
        core.connection.disconnect(core.now)
        core.handle_events()
