"""What was learnt of how a camera is mounted, in a file for each head's serial number."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from ...whole_files import read_whole, write_whole
from .frames import Mount
from .mounting import MOST, PRIOR, LearntMount

_log = logging.getLogger(__name__)

_FORMAT, _VERSION = "cozmo_driver camera mount", 1
_MOST_BYTES = 4096
_ANGLES = ("pitch", "roll", "yaw")


def mount_path(directory: Path, serial: int) -> Path:
    return directory / f"camera_mount-{serial:08x}.json"


def load_mount(directory: Path, serial: int) -> LearntMount | None:
    """Return what was learnt of a robot; None for no file, or one that makes no sense."""
    path = mount_path(directory, serial)
    try:
        document = json.loads(read_whole(path, _MOST_BYTES))
        if (document["format"], document["version"]) != (_FORMAT, _VERSION):
            raise ValueError("it is none of this program")
        angles = [float(document[name]) for name in _ANGLES]
        pitch, roll, yaw = (float(document["deviations"][name]) for name in _ANGLES)
        sightings = int(document["sightings"])
        is_sane = all(abs(angle) <= MOST for angle in angles) and sightings >= 0
        if not is_sane or not all(0.0 < one <= 2 * max(PRIOR) for one in (pitch, roll, yaw)):
            raise ValueError("an angle is impossible")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        _log.warning("what was learnt of the camera in %s is not used: %s", path, error)
        return None
    return LearntMount(Mount(*angles), (pitch, roll, yaw), sightings)


def save_mount(directory: Path, serial: int, learnt: LearntMount) -> None:
    """Write the file in one step. Raises ``OSError``."""
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "head_serial": f"{serial:#010x}",
        **{name: round(getattr(learnt.mount, name), 6) for name in _ANGLES},
        "deviations": {
            name: round(value, 6) for name, value in zip(_ANGLES, learnt.deviations, strict=True)
        },
        "sightings": learnt.sightings,
    }
    write_whole(mount_path(directory, serial), json.dumps(document, indent=1) + "\n")
