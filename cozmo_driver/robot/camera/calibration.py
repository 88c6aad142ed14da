"""The camera's intrinsic calibration: the record of it and its cache (spec 09 §4, 13 §5)."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from ...media import IMAGE_HEIGHT, IMAGE_WIDTH
from ...protocol import ConnectionLost, NVEntryTag
from ...whole_files import read_whole, write_whole
from ..calibration import RobotCalibration
from ..data import Phase, SessionState
from ..errors import Refused
from ..session import Session
from ..storage.storage import Storage, StorageError

_log = logging.getLogger(__name__)

RECORD_SIZE = 56

_RECORD = struct.Struct("<5f2H8f")
_FOCAL_LENGTHS = (200.0, 500.0)
_LAST_HARDWARE_WITHOUT_DISTORTION = 6
_COEFFICIENTS = 5
_LENS = ("fx", "fy", "cx", "cy")
_FORMAT = "cozmo_driver camera calibration"
_VERSION = 1
_MAX_FILE = 4096


class CalibrationSource(Enum):
    ROBOT = "the robot's own"
    DEFAULT = "typical values of this camera"
    MEASURED = "measured by cozmo calibrate"


class CalibrationInvalid(ValueError):
    """A record that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class CameraCalibration:
    """Pinhole camera with plumb-bob distortion ``(k1, k2, p1, p2, k3)``; lengths in pixels."""

    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, float, float, float, float]
    width: int
    height: int
    source: CalibrationSource


DEFAULT_CALIBRATION = CameraCalibration(
    292.8,
    292.8,
    158.7,
    113.6,
    (0.0, 0.0, 0.0, 0.0, 0.0),
    IMAGE_WIDTH,
    IMAGE_HEIGHT,
    CalibrationSource.DEFAULT,
)
"""For robots without a usable record: the mean of five cameras (spec 14, 19)."""


def parse_calibration(record: bytes, body_hardware: int) -> CameraCalibration:
    """Return the calibration in a factory record. Raises ``CalibrationInvalid``.

    The distortion of bodies up to version 6 (0 when unknown) is garbage and becomes zero, as it
    does when a coefficient is not finite.
    """
    if len(record) != RECORD_SIZE:
        raise CalibrationInvalid(f"it has {len(record)} bytes instead of {RECORD_SIZE}")
    fx, fy, cx, cy, _skew, rows, columns, *coefficients = _RECORD.unpack(record)
    if (columns, rows) != (IMAGE_WIDTH, IMAGE_HEIGHT):
        raise CalibrationInvalid(
            f"it is for {columns} x {rows} pixels, not {IMAGE_WIDTH} x {IMAGE_HEIGHT}"
        )
    low, high = _FOCAL_LENGTHS
    # Comparisons with NaN are false: what is not a number is refused too.
    if not (low < fx < high and low < fy < high):
        raise CalibrationInvalid(f"focal lengths of {fx:g} and {fy:g} pixels are impossible")
    if not (0.0 <= cx < IMAGE_WIDTH and 0.0 <= cy < IMAGE_HEIGHT):
        raise CalibrationInvalid(f"its centre ({cx:g}, {cy:g}) lies outside the picture")
    usable = body_hardware > _LAST_HARDWARE_WITHOUT_DISTORTION and all(
        math.isfinite(value) for value in coefficients
    )
    k1, k2, p1, p2, k3 = coefficients[:_COEFFICIENTS] if usable else (0.0,) * _COEFFICIENTS
    return CameraCalibration(
        fx, fy, cx, cy, (k1, k2, p1, p2, k3), IMAGE_WIDTH, IMAGE_HEIGHT, CalibrationSource.ROBOT
    )


def with_measured(calibration: CameraCalibration, measured: RobotCalibration) -> CameraCalibration:
    """Return it with the lens that was measured of the robot, where one was."""
    known = measured.measured
    if not all(name in known for name in _LENS):
        return calibration
    fx, fy, cx, cy = (known[name].value for name in _LENS)
    return replace(calibration, fx=fx, fy=fy, cx=cx, cy=cy, source=CalibrationSource.MEASURED)


class CalibrationCache:
    """Records in files, one for each head's serial number, so that they are read only once.

    Reads and writes the disk: not for the event loop's thread.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def path(self, head_serial: int) -> Path:
        return self._directory / f"camera-{head_serial:08x}.json"

    def load(self, head_serial: int) -> bytes | None:
        """Return the record of a robot; None for no file, or one that is not as written."""
        path = self.path(head_serial)
        try:
            raw = read_whole(path, _MAX_FILE)
        except FileNotFoundError:
            return None
        except OSError as error:
            _log.warning("cannot read %s: %s", path, error.strerror)
            return None
        record = _parse_file(raw, head_serial)
        if record is None:
            _log.warning("%s is damaged and will be replaced", path)
        return record

    def store(self, head_serial: int, record: bytes) -> None:
        """Write a record. A full disk or the like is logged: the robot still has it."""
        path = self.path(head_serial)
        document = {
            "format": _FORMAT,
            "version": _VERSION,
            "head_serial": f"{head_serial:#x}",
            "record": record.hex(),
            "sha256": _digest(head_serial, record),
        }
        try:
            # Another driver may read it at this moment.
            write_whole(path, json.dumps(document))
        except OSError as error:
            _log.warning("cannot keep the camera calibration in %s: %s", path, error.strerror)


def _parse_file(raw: bytes, head_serial: int) -> bytes | None:
    try:
        document = json.loads(raw)
        record = bytes.fromhex(document["record"])
        known = (document["format"], document["version"]) == (_FORMAT, _VERSION)
        intact = document["sha256"] == _digest(head_serial, record)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if known and intact and len(record) == RECORD_SIZE else None


def _digest(head_serial: int, record: bytes) -> str:
    return hashlib.sha256(head_serial.to_bytes(4, "little") + record).hexdigest()


class CalibrationReader:
    """Reads the calibration of each robot once it is ready, from the cache or from the robot."""

    def __init__(
        self,
        session: Session,
        storage: Storage,
        cache: CalibrationCache,
        on_calibration: Callable[[CameraCalibration], object],
    ) -> None:
        """Call ``on_calibration`` in the loop's thread, with the default where there is none."""
        self._session, self._storage, self._cache = session, storage, cache
        self._on_calibration = on_calibration
        self._serial: int | None = None
        """Serial number of the head whose own calibration was read last."""
        self._task: asyncio.Task[None] | None = None
        session.on_state.connect(self._on_state)

    def _on_state(self, state: SessionState) -> None:
        if state.phase is not Phase.CONNECTED:
            return
        if self._task is not None:
            # It may still wait for a slow disk, with another robot's record.
            self._task.cancel()
        if self._serial != self._session.identity.head_serial:
            self._task = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        identity = self._session.identity
        serial, self._serial = identity.head_serial, None
        cached = await asyncio.to_thread(self._cache.load, serial)
        try:
            record = cached or await self._storage.read(NVEntryTag.CAMERA_CALIB)
            if record is None:
                raise CalibrationInvalid("the robot holds none")
            calibration = parse_calibration(record, identity.body_hardware)
        except (ConnectionLost, Refused):
            # The session ended; the next one tries again.
            return
        except (StorageError, CalibrationInvalid) as error:
            _log.warning("the robot's own camera calibration is not used: %s", error)
            self._on_calibration(DEFAULT_CALIBRATION)
            return
        self._serial = serial
        self._on_calibration(calibration)
        if cached is None:
            await asyncio.to_thread(self._cache.store, serial, record)
