"""Fetches what was measured of the connected robot, and keeps what is learnt of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from .calibration import (
    Measurement,
    RobotCalibration,
    load_robot_calibration,
    save_robot_calibration,
)
from .data import Identity
from .session import Session

_log = logging.getLogger(__name__)


class CalibrationKeeper:
    """Everything in the loop; files are read and written in another thread, one at a time."""

    def __init__(
        self,
        session: Session,
        directory: Path | None,
        on_calibration: Callable[[RobotCalibration], object],
    ) -> None:
        """Call ``on_calibration`` with what is to be used; without a directory nothing is kept."""
        self._directory, self._on_calibration = directory, on_calibration
        self.calibration = RobotCalibration()
        self._serial = 0
        self._work: asyncio.Task[None] | None = None
        session.on_identity.connect(self._on_identity)

    def learn(self, name: str, measurement: Measurement) -> None:
        """Use a value from now on, and keep it. Raises ``ValueError`` for an impossible one."""
        self._use(self.calibration.with_values({name: measurement}))
        _log.info("%s: %s", name, self.calibration.text(name))
        if self._directory is not None and self._serial:
            save = self._save(self._directory, self._serial, name, measurement, self._work)
            self._work = asyncio.ensure_future(save)

    async def end(self) -> None:
        """Let what is read or written come to its end."""
        await _end_of(self._work)

    def _use(self, calibration: RobotCalibration) -> None:
        self.calibration = calibration
        self._on_calibration(calibration)

    def _on_identity(self, identity: Identity) -> None:
        if identity.head_serial != self._serial:
            self._serial = identity.head_serial
            self._use(RobotCalibration())
        if self._directory is not None and self._serial:
            # In each session: somebody may have measured it meanwhile.
            self._work = asyncio.ensure_future(
                self._load(self._directory, self._serial, self._work)
            )

    async def _load(self, directory: Path, serial: int, before: asyncio.Task[None] | None) -> None:
        await _end_of(before)
        calibration = await asyncio.to_thread(load_robot_calibration, directory, serial)
        if serial == self._serial and calibration != self.calibration:
            self._use(calibration)

    async def _save(
        self,
        directory: Path,
        serial: int,
        name: str,
        measurement: Measurement,
        before: asyncio.Task[None] | None,
    ) -> None:
        await _end_of(before)
        try:
            await asyncio.to_thread(_keep, directory, serial, name, measurement)
        except OSError as error:
            _log.warning("what was learnt of the robot is not kept: %s", error)


async def _end_of(work: asyncio.Task[None] | None) -> None:
    if work is not None:
        await asyncio.wait([work])


def _keep(directory: Path, serial: int, name: str, measurement: Measurement) -> None:
    """Replace one value in the file, which another program may have written meanwhile."""
    calibration = load_robot_calibration(directory, serial)
    save_robot_calibration(directory, serial, calibration.with_values({name: measurement}))
