"""Keeps each robot's calibration record in a file, so that it is read from the robot only once."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path

from ...whole_files import write_whole
from .calibration import RECORD_SIZE

_log = logging.getLogger(__name__)

_FORMAT = "cozmo_driver camera calibration"
_VERSION = 1
_MAX_FILE = 4096


class CalibrationCache:
    """One file for each head's serial number. A file that is not as written counts as missing."""

    def __init__(self, directory: Path) -> None:
        """Keep files in ``directory``; it is made when the first one is stored."""
        self._directory = directory

    def path(self, head_serial: int) -> Path:
        """Return the file of one robot."""
        return self._directory / f"camera-{head_serial:08x}.json"

    def load(self, head_serial: int) -> bytes | None:
        """Return the record of a robot, None when there is none."""
        path = self.path(head_serial)
        try:
            with path.open("rb") as file:
                raw = file.read(_MAX_FILE + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            _log.warning("cannot read %s: %s", path, error.strerror)
            return None
        record = _parse(raw, head_serial)
        if record is None:
            _log.warning("%s is damaged and will be replaced", path)
        return record

    def store(self, head_serial: int, record: bytes) -> None:
        """Keep a record. A full disk or the like is logged: the robot still has it."""
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


def _parse(raw: bytes, head_serial: int) -> bytes | None:
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
