"""How far off a localizer was in a drive, how sure it was, and what it cost."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np

from cozmo_driver.localization import (
    Estimate,
    Localizer,
    MapTag,
    Priors,
    Sighting,
    TagMap,
)
from cozmo_driver.perception import Matrix, Mount, StampedState, inverse, pose, rotation
from test.localization.room import frame, relative

from .drive import Drive

RIGHT, RIGHT_ANGLE = 0.05, math.radians(5.0)
"""m and rad by which an estimate that is right may be off, after it was lost."""
_GOOD = 16.0
"""Pixels, side of a tag that is seen well."""
_CALIBRATED = 0.005
"""rad: what ``checkup/calibrating.py`` wants to know the camera's angles by."""
_RULER = 0.002, math.radians(0.5)
"""m and rad: standard deviations of tags that are placed with a ruler and care."""


def given_map(tags: TagMap, seed: int) -> TagMap:
    """Return a map as somebody measures it: each tag off by its standard deviations."""
    random = np.random.default_rng(seed + 1000)
    measured = []
    for one in tags.tags.values():
        place = one.pose.copy()
        place[:3, 3] += random.normal(0.0, _RULER[0], 3)
        place[:3, :3] = rotation(random.normal(0.0, _RULER[1], 3)) @ place[:3, :3]
        measured.append(MapTag(one.name, one.size, place, _RULER))
    return TagMap.of(measured)


def measured_mount(mount: Mount, seed: int) -> tuple[Mount, tuple[float, float, float]]:
    """Return how the camera looks, as well as ``cozmo calibrate`` measures it, and how well."""
    random = np.random.default_rng(seed + 2000)
    true = np.array([mount.pitch, mount.roll, mount.yaw])
    told = true + random.normal(0.0, _CALIBRATED, 3)
    return Mount(*map(float, told)), (_CALIBRATED,) * 3


def calibrate(localizer: Localizer, mount: Mount, seed: int) -> None:
    localizer.calibrate(*measured_mount(mount, seed), Priors())


@dataclass
class Figures:
    """Of one drive."""

    off: list[Matrix] = field(default_factory=list)
    """x, y, yaw of the estimate less the truth, while it is known and was found."""
    surprise: list[float] = field(default_factory=list)
    """Normalized error squared (NEES), likewise: 3 on the average of an honest estimate."""
    stamps: list[float] = field(default_factory=list)
    path: list[tuple[Matrix, Matrix, Matrix]] = field(default_factory=list)
    """Truth, estimate (NaN while it is not known), and odometry from the first truth on."""
    largest_step: float = 0.0
    """m by which map_from_odom moved the robot from a state to the next, but when it was lost."""
    unknown: float = 0.0
    """Share of the states after it was found at which the pose was not known."""
    found: list[float] = field(default_factory=list)
    """s from the first good sighting after each loss until it was right; inf where it was not."""
    cpu: float = 0.0
    """s for each s of driving."""
    doubts: list[str] = field(default_factory=list)
    """Reports of landmarks; none of them has moved."""

    @property
    def distances(self) -> Matrix:
        found: Matrix = np.linalg.norm(np.array(self.off).reshape(-1, 3)[:, :2], axis=1)
        return found

    @property
    def angles(self) -> Matrix:
        found: Matrix = np.abs(np.array(self.off).reshape(-1, 3)[:, 2])
        return found


def run(drive: Drive, localizer: Localizer, delay: float = 0.0) -> Figures:
    """Let a localizer take a drive, images so many s late."""
    figures, waiting = Figures(), list[tuple[float, list[Sighting]]]()
    carried, losses = list(drive.carried), _Losses(drive.events[0][0].stamp)
    first, steps = drive.events[0][0], _Steps()
    to_truth = frame(drive.truth(first.stamp)) @ inverse(first.base)
    counts = np.zeros(2)
    for state, images in drive.events:
        if carried and state.stamp > carried[0]:
            losses.lose(carried.pop(0))
        began = time.process_time()
        localizer.on_odometry(state)
        waiting += images
        while waiting and waiting[0][0] + delay <= state.stamp:
            losses.see(*waiting[0], localizer.tag_map if not losses.is_seen else None)
            localizer.on_sightings(*waiting.pop(0))
        found = localizer.estimate
        figures.cpu += time.process_time() - began
        truth = drive.truth(state.stamp)
        place = np.array([found.x, found.y, found.yaw])
        off = relative(place, truth) if found.is_known else None
        losses.compare(state.stamp, off)
        if losses.is_found:
            counts += (1.0, off is None)
            _add(figures, state, found, off)
        reckoned = to_truth @ state.base
        nowhere = np.full(3, np.nan)
        figures.path.append((truth, place if found.is_known else nowhere, reckoned[:2, 3]))
        steps.follow(localizer.map_from_odom, state, found.is_known)
    figures.largest_step = steps.largest
    losses.lose(math.inf)
    figures.found = losses.times
    figures.unknown = float(counts[1] / max(counts[0], 1.0))
    figures.cpu /= drive.events[-1][0].stamp - first.stamp
    figures.doubts = [str(one) for one in localizer.reports]
    return figures


def _add(figures: Figures, state: StampedState, found: Estimate, off: Matrix | None) -> None:
    if off is None or found.covariance is None:
        return
    figures.off.append(off)
    figures.stamps.append(state.stamp)
    figures.surprise.append(float(off @ np.linalg.solve(found.covariance, off)))


class _Steps:
    """Measures by how much the correction moves the robot's place from state to state."""

    def __init__(self) -> None:
        self.largest = 0.0
        self._before: tuple[Matrix, int] | None = None

    def follow(self, correction: Matrix | None, state: StampedState, is_known: bool) -> None:
        if correction is None or not is_known:
            self._before = None
            return
        if self._before is not None and self._before[1] == state.origin:
            step = (correction @ state.base - self._before[0] @ state.base)[:2, 3]
            self.largest = max(self.largest, float(np.linalg.norm(step)))
        self._before = correction, state.origin


class _Losses:
    """Measures how long it takes to be right after a loss."""

    def __init__(self, stamp: float) -> None:
        self.times: list[float] = []
        self.is_found = self.is_seen = False
        self._since, self._seen_at = stamp, math.inf

    def lose(self, stamp: float) -> None:
        if not self.is_found and self.is_seen:
            self.times.append(math.inf)
        self.is_found = self.is_seen = False
        self._since = stamp

    def see(self, stamp: float, seen: list[Sighting], known: TagMap | None) -> None:
        if known is None or stamp <= self._since:
            return
        if any(one.pixels >= _GOOD and one.name in known.tags for one in seen):
            self.is_seen, self._seen_at = True, stamp

    def compare(self, stamp: float, off: Matrix | None) -> None:
        if self.is_found or not self.is_seen or off is None:
            return
        if math.hypot(off[0], off[1]) <= RIGHT and abs(off[2]) <= RIGHT_ANGLE:
            self.is_found = True
            self.times.append(stamp - self._seen_at)


def map_errors(learnt: TagMap, true: TagMap) -> dict[str, float]:
    """Return by how many m each tag of a learnt map is off, once it lies on the true one."""
    names = [name for name in learnt.tags if name in true.tags]
    here, there = (
        np.array([tags.tags[name].pose[:3, 3] for name in names]) for tags in (learnt, true)
    )
    a, b = here - here.mean(axis=0), there - there.mean(axis=0)
    turn = a[:, :2].T @ b[:, :2]
    yaw = math.atan2(turn[0, 1] - turn[1, 0], turn[0, 0] + turn[1, 1])
    laid = a @ pose(0.0, 0.0, 0.0, yaw)[:3, :3].T - b
    return dict(zip(names, map(float, np.linalg.norm(laid, axis=1)), strict=True))
