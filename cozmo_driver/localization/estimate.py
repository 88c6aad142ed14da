"""What the localizer is to do, and what is known of where the robot is, in its users' words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..perception import Drop, Matrix, pose
from .motion import Priors

_RECENT = 5.0
"""s since a sighting in which the pose counts as tracked."""
_SURE, _SURE_ANGLE = 0.10, 0.20
"""m and rad, standard deviations beyond which it is dead reckoning."""
_LOST = 1.0
"""m, standard deviation beyond which nothing is known."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the localizer is to do."""

    maps: bool = False
    """Place tags on the map that are not yet there."""
    starts_at_origin: bool = False
    """The map of which nothing is known begins as odom, where the robot stands."""
    priors: Priors = Priors()
    mount_deviations: tuple[float, float, float] = (0.025, 0.020, 0.020)
    """rad, of pitch, roll and yaw of the camera against what the states say at first; those of a
    robot of which nothing was learnt, as in perception/world/mounting.py."""


class Status(Enum):
    """How well the robot knows where it is on the map."""

    UNKNOWN = "nothing tells where it is"
    AMBIGUOUS = "landmarks were seen; several poses fit to them, or none was seen twice"
    TRACKING = "known, and landmarks were seen not long ago"
    DEAD_RECKONING = "known, by odometry only, or worse than is usual"


class Rejection(Enum):
    """Why a sighting was not used."""

    EARLY = "newer than odometry"
    STALE = "older than what is remembered of odometry"
    CARRIED = "taken before the robot was carried or its odometry began anew"
    OFF_TREADS = "the robot does not stand on its treads"
    DAMAGED = "not finite, or no size"
    TWICE = "one number seen twice in one image"
    UNMAPPED = "not on the map, and nothing is mapped now"
    UNDECIDED = "not on the map yet: it is not clear how it hangs"
    SAME_VIEW = "seen from here before: it tells nothing new"
    INNOVATION = "elsewhere than the map and odometry say"
    DISTRUSTED = "of a landmark that is not believed"
    SEARCHING = "late while the pose is searched for"


OF_DROP = {
    Drop.EARLY: Rejection.EARLY,
    Drop.STALE: Rejection.STALE,
    Drop.ORIGIN: Rejection.CARRIED,
}


class Doubt(Enum):
    """What is wrong with a landmark."""

    MOVED = "is not where the map has it"
    TWICE = "is in two places: a number may hang in one only"
    SIZE = "is of another size than the map says"
    MAP = "contradicts the others: is it another map, or of another room?"


@dataclass(frozen=True, slots=True)
class Report:
    """A landmark that is not believed, for people and diagnostics."""

    stamp: float
    name: str
    doubt: Doubt
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.doubt.value}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Pose of ``base_footprint`` on the map at a time."""

    stamp: float
    status: Status
    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    """m and rad; they mean nothing while ``is_known`` is false."""
    covariance: Matrix | None = None
    """3x3, of x, y (m) and yaw (rad) on the map; None while the pose is not known."""

    @classmethod
    def of(cls, stamp: float, place: Matrix, covariance: Matrix, seen_at: float) -> Estimate:
        """Return what is known by x, y, yaw at a time; ``seen_at`` is that of the last sighting."""
        x, y, yaw = map(float, place)
        found = cls(stamp, Status.DEAD_RECKONING, x, y, yaw, covariance)
        spread, angle = found.deviations
        if spread > _LOST:
            return cls(stamp, Status.UNKNOWN)
        is_sure = spread <= _SURE and angle <= _SURE_ANGLE
        is_tracking = is_sure and stamp - seen_at <= _RECENT
        return replace(found, status=Status.TRACKING) if is_tracking else found

    @property
    def is_known(self) -> bool:
        return self.covariance is not None

    @property
    def matrix(self) -> Matrix:
        """Return the pose, 4x4."""
        return pose(self.x, self.y, 0.0, self.yaw)

    @property
    def deviations(self) -> tuple[float, float]:
        """Return the standard deviations of the position, m, on its worst axis, and yaw, rad."""
        if self.covariance is None:
            return float("inf"), float("inf")
        (a, b), (_, c) = self.covariance[:2, :2].tolist()
        worst = (a + c) / 2 + math.hypot((a - c) / 2, b)
        return max(worst, 0.0) ** 0.5, max(float(self.covariance[2, 2]), 0.0) ** 0.5


def checked_pose(place: Sequence[float], covariance: Matrix) -> tuple[Matrix, Matrix]:
    """Return x, y, yaw and a symmetric covariance; raise ``ValueError`` for what is none."""
    values = np.array(place, np.float64)
    spread = np.array(covariance, np.float64)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ValueError("the pose has a figure that is not finite")
    if spread.shape != (3, 3) or not np.isfinite(spread).all():
        raise ValueError("the covariance is no finite 3x3 matrix")
    spread = (spread + spread.T) / 2
    if np.linalg.eigvalsh(spread)[0] < -1e-9:
        raise ValueError("the covariance has a negative eigenvalue")
    return values, spread
