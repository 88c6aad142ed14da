"""Update of the robot's firmware: checked first, sent once, never resumed (spec 09 §7)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ...link import LinkError, with_timeout
from ...protocol import ConnectionLost, NotConnected
from ..data import Cause, Phase, RobotState
from ..errors import Reason, Refused, RobotError
from ..session import Session
from ..signal import Signal
from ..storage.storage import Storage
from .image import FirmwareImage, load_image
from .maintenance import (
    RobotFirmware,
    Transfer,
    UpdatePhase,
    UpdateTimes,
    ask_firmware,
    connected_once,
    maintenance_session,
)

_log = logging.getLogger(__name__)

OLDEST_OFFERED = 2214
"""Older firmware speaks another dialect; the driver could not talk to the robot afterwards."""
_CONNECT_TIMEOUT = 5.0
_ATTEMPT_TIMEOUT = 10.0
"""s: an attempt to connect that ends at a recovery image takes no longer."""
_POLL_PERIOD = 0.1
_ADVICE = (
    "the robot keeps its old firmware or starts its recovery image; switch it off and on, then "
    "begin anew: an update is never resumed"
)
_ADVICE_UNSEEN = (
    "the robot has confirmed the whole file and probably runs it: let this computer join its Wi-Fi "
    "again, and look which firmware it has (cozmo info) before you begin anew"
)
"""Where it was not seen since."""
_SENDING_SHARE = UpdatePhase.VERIFYING.value - UpdatePhase.SENDING.value


class UpdateFailed(RobotError):
    """An update whose end was not seen; it is not resumed."""

    def __init__(self, reason: Reason, text: str, bytes_sent: int, advice: str) -> None:
        super().__init__(reason, f"{text}; {advice}")
        self.bytes_sent = bytes_sent


@dataclass(frozen=True, slots=True)
class UpdateProgress:
    """Where an update stands; ``progress`` is 0 to 1 over all phases."""

    phase: UpdatePhase
    bytes_sent: int
    bytes_total: int
    progress: float


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """How an update, or a dry run, ended well; versions are 0 where not seen."""

    text: str
    old_version: int
    new_version: int


@dataclass(frozen=True, slots=True)
class FirmwareOptions:
    allow_update: bool = False
    """A real update needs this and its version typed again; a dry run does not."""
    times: UpdateTimes = field(default_factory=UpdateTimes)


class FirmwareUpdate:
    """Runs one update at a time; session and storage are suspended while it writes."""

    def __init__(
        self,
        session: Session,
        options: FirmwareOptions,
        state: Callable[[], RobotState | None],
        storage: Storage,
    ) -> None:
        self.options = options
        self.on_progress: Signal[UpdateProgress] = Signal()
        self.file_version = 0
        """Of the latest update's file; 0 for one that cannot be used."""
        self._session, self._state, self._storage = session, state, storage
        self.is_running = False
        """An update or a dry run."""
        self.is_writing = False
        """The flash memory is being written: an update is not cancelled then."""
        self.advice = _ADVICE
        """What to do where the latest update is broken off as it stands."""
        self._aborted = asyncio.Event()
        self._maintenance: Session | None = None
        self._bytes_sent = self._bytes_total = 0

    def abort(self) -> None:
        """End an update whatever it does, because the program ends."""
        self._aborted.set()
        if self._maintenance is not None:
            self._maintenance.link.close()

    async def update(self, path: Path, confirmation: str, *, dry_run: bool = True) -> UpdateReport:
        """Update to the firmware in a file, or with ``dry_run`` only check file and robot.

        ``confirmation`` is the version of the file, e.g. ``2381``. Progress goes to
        ``on_progress``. Raises ``Refused`` and ``UpdateFailed``.
        """
        if self.is_running:
            raise Refused(Reason.BUSY, "an update is running already")
        self.is_running = True
        self._aborted.clear()
        try:
            return await self._update(path, confirmation, dry_run)
        except asyncio.CancelledError:
            if self.is_writing:
                _log.error(
                    "the update was broken off after %d bytes; %s", self._bytes_sent, self.advice
                )
            raise
        finally:
            self.is_running = self.is_writing = False

    async def _update(self, path: Path, confirmation: str, dry_run: bool) -> UpdateReport:
        self._bytes_total, self.file_version, self.advice = 0, 0, _ADVICE
        self._report(UpdatePhase.CHECKING, 0)
        image = await asyncio.to_thread(load_image, path)
        self._check_aborted()
        version = self.file_version = image.description.version
        self._bytes_total = len(image.data)
        check_version(image)
        if not dry_run:
            self._check_permission(version, confirmation)
        await self._attempt_ended()
        self._check_robot()
        old = self._session.identity.firmware_version
        if dry_run:
            text = (
                f"firmware {version} can be installed over {old or 'the recovery image'}; nothing "
                "was sent. Save the robot's storage to a file before the update"
            )
            return UpdateReport(text, old, 0)
        # An entry that is being changed must not be left half-way.
        async with self._storage.paused():
            self._check_aborted()
            _log.warning("updating the firmware from %d to %d: leave the robot alone", old, version)
            async with self._session.suspended(f"the firmware is being updated to {version}"):
                before = await self._transfer(image)
                after = await self._confirm(image, before)
        return UpdateReport(_success(image, after), before.description.version, version)

    # -- checks: nothing is sent

    def _check_permission(self, version: int, confirmation: str) -> None:
        if not self.options.allow_update:
            raise Refused(
                Reason.NOT_ALLOWED,
                "updating the firmware is switched off; set the option allow_firmware_update",
            )
        if confirmation.strip() != str(version):
            raise Refused(
                Reason.NOT_ALLOWED, f"confirm with the version of the file as text, '{version}'"
            )

    async def _attempt_ended(self) -> None:
        """Wait for an attempt to connect: only its end tells of a recovery image."""
        clock, session = asyncio.get_running_loop().time, self._session
        deadline = clock() + _ATTEMPT_TIMEOUT
        while session.state.phase in (Phase.CONNECTING, Phase.INITIALIZING) and clock() < deadline:
            await self._pause(_POLL_PERIOD)

    def _check_robot(self) -> None:
        session = self._session.state
        if session.cause is Cause.FIRMWARE:
            # The recovery image reports neither charger nor battery; an update is the way out.
            _log.warning("the robot does not report its charge; it must stand on its charger")
            return
        state = self._state()
        if not self._session.is_ready or state is None:
            why = session.text if state else "it has not reported its state yet"
            raise Refused(Reason.NOT_CONNECTED, f"no robot is ready: {why}")
        # What is in the battery nobody can tell there: the robot reports the charger's voltage.
        if not state.is_on_charger:
            raise Refused(Reason.OFF_CHARGER, "set the robot on its charger first")

    def _check_aborted(self) -> None:
        if not self._aborted.is_set():
            return
        if self.is_writing:
            raise self._failed(Reason.CANCELED, "the update was broken off")
        raise Refused(Reason.CANCELED, "cancelled before anything was sent")

    # -- the update itself: nothing else is sent meanwhile

    async def _transfer(self, image: FirmwareImage) -> RobotFirmware:
        self._check_aborted()
        times = self.options.times
        # While it erases the robot may be deaf.
        self._maintenance = maintenance_session(self._session.link, times.erase + _CONNECT_TIMEOUT)
        try:
            async with connected_once(self._maintenance) as session:
                robot = await ask_firmware(session, times.identify)
                self._check_same(robot)
                self._check_aborted()
                self.is_writing = True
                await Transfer(session, image, times, self._report).run()
                self.advice = _ADVICE_UNSEEN
                self._report(UpdatePhase.RESTARTING, len(image.data))
                await self._pause(times.restart)
                return robot
        except (Refused, UpdateFailed):
            raise
        except RobotError as error:
            raise self._failed(error.reason, str(error)) from error
        except (LinkError, ConnectionLost, NotConnected, TimeoutError, ValueError) as error:
            self._check_aborted()
            if self.is_writing:
                raise self._failed(Reason.LINK_LOST, f"the connection broke: {error}") from error
            raise Refused(
                Reason.NOT_CONNECTED,
                f"nothing was sent, the robot did not say a second time who it is: {error}",
            ) from error
        finally:
            self._maintenance = None

    def _check_same(self, robot: RobotFirmware) -> None:
        expected = self._session.identity.head_serial
        if expected and robot.head_serial not in (None, expected):
            raise Refused(
                Reason.NOT_CONNECTED,
                f"another robot answered: {robot.head_serial:#x} instead of {expected:#x}",
            )

    async def _confirm(self, image: FirmwareImage, before: RobotFirmware) -> RobotFirmware:
        """Connect again and again until the robot runs the new firmware."""
        self._report(UpdatePhase.CONFIRMING, len(image.data))
        times, clock = self.options.times, asyncio.get_running_loop().time
        deadline = clock() + times.confirm
        seen = ""
        while (left := deadline - clock()) > 0:
            found = await self._find(min(left, _CONNECT_TIMEOUT), before.head_serial)
            self._check_aborted()
            if found is not None:
                self.advice = _ADVICE
                version = found.description.version
                if found.description.is_recovery:
                    raise self._failed(
                        Reason.ROBOT_ERROR, f"the robot started its recovery image {version}"
                    )
                if version == image.description.version:
                    return found
                seen = f": it still runs firmware {version}"
            await self._pause(times.retry)
        raise self._failed(
            Reason.TIMEOUT, f"the robot did not come back within {times.confirm:g} s{seen}"
        )

    async def _find(self, timeout: float, head_serial: int | None) -> RobotFirmware | None:
        """Return what runs in the robot; None while it is away or another one answers."""
        self._maintenance = maintenance_session(self._session.link, _CONNECT_TIMEOUT, timeout)
        try:
            async with connected_once(self._maintenance) as session:
                found = await ask_firmware(session, self.options.times.identify)
        except (LinkError, ConnectionLost, NotConnected, TimeoutError, ValueError) as error:
            _log.debug("the robot is not back yet: %s", error)
            return None
        finally:
            self._maintenance = None
        return None if head_serial not in (None, found.head_serial) else found

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await with_timeout(seconds, self._aborted.wait())
        self._check_aborted()

    def _failed(self, reason: Reason, text: str) -> UpdateFailed:
        return UpdateFailed(reason, text, self._bytes_sent, self.advice)

    def _report(self, phase: UpdatePhase, bytes_sent: int) -> None:
        self._bytes_sent = bytes_sent
        progress: float = phase.value
        if phase is UpdatePhase.SENDING:
            progress += _SENDING_SHARE * bytes_sent / self._bytes_total
        self.on_progress.emit(UpdateProgress(phase, bytes_sent, self._bytes_total, progress))


def check_version(image: FirmwareImage) -> None:
    """Refuse firmware that the driver could not talk to (spec 09 §7). Raises ``Refused``."""
    description = image.description
    if description.is_recovery or description.version < OLDEST_OFFERED:
        raise Refused(
            Reason.UNSUPPORTED,
            f"firmware {description.version} {description.build} is not installed: the robot could "
            f"not be driven afterwards; {OLDEST_OFFERED} is the oldest version that can",
        )


def _success(image: FirmwareImage, after: RobotFirmware) -> str:
    text = f"the robot runs firmware {after.description.version} now"
    names = after.description.signatures
    if any(names) and names != image.description.signatures:
        return f"{text}, but names other signatures than the file"
    return text
