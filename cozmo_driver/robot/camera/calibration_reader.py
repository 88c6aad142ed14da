"""Gets the camera's calibration when a session starts, from cache or robot (spec 09 §2, §4)."""

from __future__ import annotations

import asyncio
import logging

from ...protocol import ConnectionLost
from ...protocol.enums import NVEntryTag
from ..data import Phase, SessionState
from ..session import Session
from ..storage.rules import StorageRefused
from ..storage.storage import Storage, StorageError
from .calibration import (
    DEFAULT_CALIBRATION,
    CalibrationInvalid,
    CameraCalibration,
    parse_calibration,
)
from .calibration_cache import CalibrationCache
from .camera import Camera

_log = logging.getLogger(__name__)


class CameraCalibrationReader:
    """Gives the camera its calibration once the robot is ready; asks a known robot no more."""

    def __init__(
        self, session: Session, storage: Storage, camera: Camera, cache: CalibrationCache | None
    ) -> None:
        """Read through ``storage`` when ``session`` begins; without ``cache`` nothing is kept."""
        self._session, self._storage, self._camera, self._cache = session, storage, camera, cache
        self._known: int | None = None
        """Serial number of the head whose own calibration the camera has."""
        self._task: asyncio.Task[None] | None = None
        session.on_state.connect(self._watch)

    def _watch(self, state: SessionState) -> None:
        if state.phase is not Phase.CONNECTED:
            return
        if self._known == self._session.identity.head_serial:
            return
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._fetch())

    async def _fetch(self) -> None:
        identity = self._session.identity
        serial, self._known = identity.head_serial, None
        kept = self._cache.load(serial) if self._cache is not None else None
        try:
            record = kept or await self._storage.read(NVEntryTag.CAMERA_CALIB)
            if record is None:
                raise CalibrationInvalid("the robot holds none")
            calibration = parse_calibration(record, identity.body_hardware)
        except (ConnectionLost, StorageRefused):
            # The session ended; the next one tries again.
            return
        except (StorageError, CalibrationInvalid) as error:
            _log.warning("the robot's own camera calibration is not used: %s", error)
            self._give(DEFAULT_CALIBRATION)
            return
        self._known = serial
        if kept is None and self._cache is not None:
            self._cache.store(serial, record)
        self._give(calibration)

    def _give(self, calibration: CameraCalibration) -> None:
        self._camera.calibration = calibration
        self._camera.on_calibration.emit(calibration)
