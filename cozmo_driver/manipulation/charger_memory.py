"""Where the charger is, as the robot stood on it, and how far from there it is seen."""

from __future__ import annotations

import json
import logging
import math
from pathlib import Path

from ..robot import Pose2D
from ..whole_files import write_whole
from .body import Situation

_log = logging.getLogger(__name__)

DOCKED = Pose2D(0.050, 0.0, math.pi)
"""The drive center of a docked robot as seen from the charger's lip, x inwards (spec 13 §2)."""
_SHARE = 0.3
"""Of a new difference in the mean."""
_LARGEST, _LARGEST_ANGLE = 0.040, 0.3
"""A larger difference between where it was seen and where it was is a mistake, m and rad."""


class ChargerMemory:
    """Remembers the charger under the robot, and learns from each docking what sight is off by."""

    def __init__(self, file: Path | None = None) -> None:
        """Keep what is learned in ``file``; None forgets it at the end."""
        self._file = file
        self._place: tuple[int, Pose2D] | None = None
        self.offset = _read(file)
        """From where the charger is seen to where it is."""

    def update(self, now: Situation) -> None:
        """Remember where the charger is while the robot stands on it."""
        if now.is_connected and now.is_on_charger and not (now.is_moving or now.is_off_ground):
            self._place = now.origin, now.pose.compose(DOCKED.inverse())

    def pose(self, now: Situation) -> Pose2D | None:
        """Return where the lip is, x inwards; None where the robot was carried since."""
        if self._place is None or self._place[0] != now.origin:
            return None
        return self._place[1]

    def corrected(self, seen: Pose2D) -> Pose2D:
        """Return where a charger is that is seen at a pose."""
        return seen.compose(self.offset)

    def on_docked(self, now: Situation, expected: Pose2D | None) -> None:
        """Learn from a robot on the contacts; ``expected`` is where it saw the charger."""
        self._place = now.origin, now.pose.compose(DOCKED.inverse())
        if expected is None:
            return
        error = expected.inverse().compose(self._place[1])
        whole = self.offset.compose(error)
        if math.hypot(whole.x, whole.y) > _LARGEST or abs(whole.yaw) > _LARGEST_ANGLE:
            return
        # Along its axis the contacts say where it is, as far as they reach.
        self.offset = self.offset.compose(
            Pose2D(_SHARE * error.x, _SHARE * error.y, _SHARE * error.yaw)
        )
        self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        values = {"x": self.offset.x, "y": self.offset.y, "yaw": self.offset.yaw}
        try:
            write_whole(self._file, json.dumps(values))
        except OSError as error:
            _log.warning("the charger's offset is not kept: %s", error)


def _read(file: Path | None) -> Pose2D:
    """Return a file's offset; none where there is no file, or nothing sensible in it."""
    if file is None or not file.exists():
        return Pose2D()
    try:
        values = json.loads(file.read_bytes()[:1000])
        offset = Pose2D(float(values["x"]), float(values["y"]), float(values["yaw"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.warning("the charger's offset in %s is not used: %s", file, error)
        return Pose2D()
    is_sane = math.hypot(offset.x, offset.y) <= _LARGEST and abs(offset.yaw) <= _LARGEST_ANGLE
    return offset if is_sane else Pose2D()
