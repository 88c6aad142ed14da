"""Where the charger is, as the robot saw it or stood on it, and what it learns of both."""

from __future__ import annotations

import json
import logging
import math
from pathlib import Path

from ..perception import CHARGER_MARKER, yaw_of
from ..perception import DOCKED as DOCKED_POSE
from ..robot import Pose2D, scaled_step
from ..whole_files import write_whole
from .manipulator import ManipulatorState

_log = logging.getLogger(__name__)

DOCKED = Pose2D(float(DOCKED_POSE[0, 3]), float(DOCKED_POSE[1, 3]), yaw_of(DOCKED_POSE))
"""The drive center of a docked robot as seen from the charger's lip, x inwards."""
MARKER = Pose2D(CHARGER_MARKER[0])
"""Of the charger's marker, likewise."""
TURN_SCALES = (182.4 / 180.0, 1.0)
"""What a robot may turn for each rad of odometry that no measured scale corrects: as one did
(spec 14), and as it should."""
_SHARE = 0.3
"""Of a new value in the mean."""
_MOVED, _MOVED_ANGLE = 0.15, 0.35
"""m and rad; a charger that is seen so far from where the robot stood on it was moved."""
_LARGEST, _LARGEST_ANGLE = 0.040, 0.3
"""A larger difference between where it was seen and where it was is a mistake, m and rad."""
_LEARNED_WITHIN = 0.6
"""m driven since it was seen, of which docking takes half: what odometry errs by after more would
be learned as the offset."""
_NAMES = ("x", "y", "yaw")


class ChargerMemory:
    """Follows the charger by odometry, and learns from each docking where it is seen.

    ``update`` it several times a second; the poses it gives are in the robot's own odometry, and
    change with each turn.
    """

    def __init__(self, file: Path | None = None) -> None:
        """Keep what is learned in ``file``; None forgets it at the end."""
        self._file = file
        self._last: ManipulatorState | None = None
        values = _read(file)
        self._scales = list(TURN_SCALES)
        self._chargers: list[Pose2D] = []
        """By these scales, as seen from the drive center; none where the robot was carried."""
        self.has_been_docked = False
        """Whether the robot stood on the charger since it was carried."""
        self._is_seen = self._is_docked = False
        """Whether it was seen since the robot stood on it, and whether it stands on it."""
        self._driven = 0.0
        """m since it was seen."""
        self._aside = 0.0
        """From the charger's heading to the line of sight to its marker, rad, when it was seen."""
        self._turned_by = 0.0
        """rad by which it was believed to be turned against how it was seen last."""
        self.offset = Pose2D(**values)
        """From where the charger is seen to where it is."""
        self.has_learned_offset = bool(values)

    @property
    def turn_scale(self) -> float:
        """What the robot turns for each rad that its odometry has; 1 once that is calibrated."""
        return self._scales[0]

    @property
    def knows_turns(self) -> bool:
        return len(self._scales) == 1

    def guess_again(self) -> None:
        """Believe the other turn scale, where none was measured."""
        self._scales.reverse()
        self._chargers.reverse()

    def update(self, now: ManipulatorState) -> None:
        """Follow the charger; remember it while the robot stands on it, and learn from the path."""
        before = self._last
        if not now.is_connected:
            return
        self._last = now
        if now.has_measured_turns != self.knows_turns:
            self._scales = [1.0] if now.has_measured_turns else list(TURN_SCALES)
            self._chargers = [self._chargers[0] for _ in self._scales] if self._chargers else []
        if before is None or before.origin != now.origin:
            self._chargers, self.has_been_docked = [], False
        else:
            moved = before.pose.inverse().compose(now.pose)
            self._driven += math.hypot(moved.x, moved.y)
            self._chargers = [
                scaled_step(moved, 1.0, scale).inverse().compose(charger)
                for scale, charger in zip(self._scales, self._chargers, strict=False)
            ]
        if now.is_on_charger and not (now.is_moving or now.is_off_ground):
            is_fresh = self._is_seen and self._driven <= _LEARNED_WITHIN
            if self._chargers and is_fresh and not self._is_docked:
                self._learn_offset(self._chargers[0].inverse().compose(DOCKED.inverse()))
            self._place(DOCKED.inverse())
            self._is_docked, self._is_seen, self.has_been_docked = True, False, True
        elif not now.is_on_charger:
            self._is_docked = False

    def pose(self, now: ManipulatorState) -> Pose2D | None:
        """Return where the lip is, x inwards; None where the robot was carried since."""
        self.update(now)
        return now.pose.compose(self._chargers[0]) if self._chargers else None

    def on_seen(self, now: ManipulatorState, seen: Pose2D) -> None:
        """Take over where the charger is detected.

        Its yaw is detected to some 2 degrees from aside, and to 5 from ahead alone: a robot that
        stood on it knows that better.
        """
        self.update(now)
        place = now.pose.inverse().compose(seen.compose(self.offset))
        askew = self._askew_of(place)
        self._turned_by = 0.0 if self.has_learned_offset else askew
        self._place(place.compose(_about_marker(self._turned_by)))
        marker = seen.compose(MARKER)
        self._aside = math.atan2(marker.y - now.pose.y, marker.x - now.pose.x) - seen.yaw
        self._is_seen, self._driven = True, 0.0

    def _askew_of(self, place: Pose2D) -> float:
        """Return by how much the charger is turned against how it is seen, unless it was moved."""
        if not (self._chargers and self.has_been_docked):
            return 0.0
        was, now = self._chargers[0].compose(MARKER), place.compose(MARKER)
        turn = math.remainder(was.yaw - now.yaw, 2 * math.pi)
        if abs(turn) <= _MOVED_ANGLE and math.hypot(was.x - now.x, was.y - now.y) <= _MOVED:
            return turn
        self.has_been_docked = False
        return 0.0

    def mirror(self) -> None:
        """Turn the charger to the other side of the line of sight, where it was seen.

        From afar a marker looks alike in both.
        """
        turn = _about_marker(2 * self._aside)
        self._chargers = [charger.compose(turn) for charger in self._chargers]
        self._aside = -self._aside

    def on_docked(self, now: ManipulatorState) -> None:
        """Place the robot on the contacts, also while head or lift move, or without their power."""
        self.update(now)
        self._place(DOCKED.inverse())
        self._is_seen = False

    def _place(self, charger: Pose2D) -> None:
        self._chargers = [charger for _ in self._scales]

    def _learn_offset(self, error: Pose2D) -> None:
        """From where it was seen, and how it was believed to be turned, to where it is."""
        error = _about_marker(self._turned_by).compose(error)
        whole = self.offset.compose(error)
        if math.hypot(whole.x, whole.y) > _LARGEST or abs(whole.yaw) > _LARGEST_ANGLE:
            return
        share = _SHARE if self.has_learned_offset else 1.0
        self.offset = self.offset.compose(
            Pose2D(share * error.x, share * error.y, share * error.yaw)
        )
        self.has_learned_offset = True
        self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        values = {"x": self.offset.x, "y": self.offset.y, "yaw": self.offset.yaw}
        try:
            write_whole(self._file, json.dumps(values))
        except OSError as error:
            _log.warning("what was learned of the charger is not kept: %s", error)


def _about_marker(turn: float) -> Pose2D:
    """Return the charger as seen from itself, turned about its marker."""
    return MARKER.compose(Pose2D(yaw=turn)).compose(MARKER.inverse())


def _read(file: Path | None) -> dict[str, float]:
    """Return what a file says; nothing where there is none, or nothing sensible in it."""
    if file is None or not file.exists():
        return {}
    try:
        values = json.loads(file.read_bytes()[:1000])
        found = {name: float(values[name]) for name in _NAMES if name in values}
    except (OSError, ValueError, TypeError) as error:
        _log.warning("what was learned of the charger in %s is not used: %s", file, error)
        return {}
    is_sane = (
        math.hypot(found.get("x", 0.0), found.get("y", 0.0)) <= _LARGEST
        and abs(found.get("yaw", 0.0)) <= _LARGEST_ANGLE
    )
    return found if is_sane else {}
