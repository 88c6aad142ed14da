"""Where the robot was when an image was taken, and whether that is known well (spec 15 §1)."""

from __future__ import annotations

import bisect
import math
from collections import Counter, deque
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from .frames import AS_DRAWN, Matrix, Mount, camera_pose, pose

HISTORY = 3.0
"""s of states that are kept; images of before are not taken."""
_CLOCK_STEP = 0.5
"""s back from which on the clock was set, or a recording begins again: the driver's stamps of one
stream rise, or go back by 1 s and more (``ros.context.Stamper``)."""
MAX_YAW_RATE = math.radians(30.0)
MAX_HEAD_RATE = math.radians(10.0)
SETTLING = 1.5
"""s at the start of a stream, and after a gap in it, whose images are dropped. The first 2.5 s of
a stream are unusable (spec 14, measured); of them the camera leaves out the first 1 s itself, for
programs and for the driver: 15 images, which are never stamped."""
_GAP = 3.5
"""s without images after which the stream counts as begun anew: Wi-Fi stalls for up to 2 s, after
which the driver leaves out the images of another 1 s itself (spec 14)."""
_FASTEST, _NOISE = 0.5, 0.02
"""m/s and m: poses that are farther apart are a jump."""
_FASTEST_TURN, _TURN_NOISE = 15.0, 0.1
"""rad/s and rad, likewise."""
_PAUSE = 1.0
"""s after which nothing can be said of jumps."""


@dataclass(frozen=True, slots=True)
class StampedState:
    """The robot at a time: its pose in odom, head, lift, and what decides about images."""

    stamp: float
    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    """Pose of ``base_footprint``."""
    head: float = 0.0
    lift: float = 0.0
    """Angle of the lift's arm."""
    yaw_rate: float | None = 0.0
    head_rate: float | None = 0.0
    """None where it was not measured, which counts as too fast."""
    is_moving: bool = False
    """Whether treads, head or lift move."""
    is_on_treads: bool = True
    is_on_charger: bool = False
    is_at_cliff: bool = False
    is_carrying: bool = False
    """Whether the robot believes that it has a cube on its lift."""
    origin_id: int = 0
    """Coordinate system that the robot counts in, as it reports, and times that odom was set."""
    origin: int = 0
    """Counts up whenever the robot no longer knows where it is, as after being picked up."""
    pitch: float | None = None
    """Nose up, as gravity says and with the zero that that has; None where it is not measured."""
    tilt: float = 0.0
    """Of the body against the floor, nose up."""
    mount: Mount = AS_DRAWN
    """How the camera was believed to be mounted."""
    pitch_deviation: float = 0.0
    """Standard deviation of how high the camera looks."""
    spread: float = 0.0
    """Standard deviation of x and of y in odom, m, as the driver has it: slip makes it jump."""

    @property
    def base(self) -> Matrix:
        return pose(self.x, self.y, 0.0, self.yaw)

    def motion_since(self, before: StampedState) -> tuple[float, float]:
        """Return by how many m and rad, to the left, the robot has moved since a state."""
        turn = math.remainder(self.yaw - before.yaw, 2 * math.pi)
        return math.hypot(self.x - before.x, self.y - before.y), turn

    def stands_as(self, before: StampedState, distance: float, turn: float) -> bool:
        """Whether it has hardly moved since a state: by less than ``distance``, m.

        And has turned itself, its head and its lift by no more than ``turn``, rad.
        """
        moved, turned = self.motion_since(before)
        turned = max(map(abs, (turned, self.head - before.head, self.lift - before.lift)))
        return self.origin == before.origin and moved < distance and turned <= turn

    @property
    def camera(self) -> Matrix:
        """Return the pose of the camera's optical frame in odom."""
        return self.base @ self.view

    @property
    def view(self) -> Matrix:
        """Return the pose of the camera's optical frame in ``base_footprint``."""
        return camera_pose(np.eye(4), self.head, self.mount, self.tilt)


class Drop(Enum):
    """Why an image was dropped."""

    EARLY = "newer than the last state"
    STALE = "older than the states that are kept"
    ORIGIN = "taken before the robot was carried"
    TURNING = "turning too fast"
    HEAD_MOVING = "head moving"
    SETTLING = "at the start of the stream or after a gap"
    ORDER = "not newer than the picture before"
    UNREADABLE = "no picture, or of another size"
    NO_CALIBRATION = "no camera calibration"
    REPLACED = "replaced by a newer one before it was looked at"


class PoseHistory:
    """The robot's states of the last seconds."""

    def __init__(self, kept: float = HISTORY) -> None:
        """``kept``: s of states, before the newest."""
        self._kept = kept
        self._states: deque[StampedState] = deque()
        self.restarts = 0
        """Times that the clock jumped back, as when a recording begins again."""

    @property
    def last(self) -> StampedState | None:
        return self._states[-1] if self._states else None

    def add(self, state: StampedState) -> bool:
        """Append a state; return False for one that is no newer than the last."""
        if not math.isfinite(state.stamp):
            return False
        states = self._states
        if states and state.stamp <= states[-1].stamp:
            if states[-1].stamp - state.stamp < _CLOCK_STEP:
                return False
            states.clear()
            self.restarts += 1
        states.append(state)
        while states[0].stamp < state.stamp - self._kept:
            states.popleft()
        return True

    def around(self, stamp: float) -> tuple[StampedState, StampedState] | Drop:
        """Return the states before and after a time, twice the same where it is that of one."""
        states = self._states
        if not states or stamp > states[-1].stamp:
            return Drop.EARLY
        if not stamp >= states[0].stamp:
            return Drop.STALE
        index = bisect.bisect_left(states, stamp, key=lambda state: state.stamp)
        after = states[index]
        before = after if after.stamp == stamp else states[index - 1]
        if not before.origin == after.origin == states[-1].origin:
            return Drop.ORIGIN
        return before, after

    def at(self, stamp: float) -> StampedState | Drop:
        """Return the state at a time, between two states linearly; never beyond them."""
        found = self.around(stamp)
        return found if isinstance(found, Drop) else between(*found, stamp)

    def between(self, start: float, end: float) -> list[StampedState] | Drop:
        """Return the states from one time to another, of which those at both may be between two."""
        first, last = self.at(start), self.at(end)
        if isinstance(first, Drop):
            return first
        if isinstance(last, Drop):
            return last
        inner = (state for state in self._states if start < state.stamp < end)
        return [first, *inner, last]


def between(before: StampedState, after: StampedState, stamp: float) -> StampedState:
    """Return the state at a time between two; flags are those of the nearer one."""
    if before.stamp == after.stamp:
        return after
    share = (stamp - before.stamp) / (after.stamp - before.stamp)
    _, turn = after.motion_since(before)
    return replace(
        before if share < 0.5 else after,
        stamp=stamp,
        x=before.x + share * (after.x - before.x),
        y=before.y + share * (after.y - before.y),
        yaw=math.remainder(before.yaw + share * turn, 2 * math.pi),
        head=before.head + share * (after.head - before.head),
        lift=before.lift + share * (after.lift - before.lift),
        tilt=before.tilt + share * (after.tilt - before.tilt),
    )


class ImageGate:
    """Lets pass the images whose place is known; the others are counted by reason."""

    def __init__(self, history: PoseHistory, settling: float = SETTLING) -> None:
        self._history, self._settling = history, settling
        self._last: float | None = None
        self._restarts = history.restarts
        self._settled_at = 0.0
        # All of them from the beginning: they may be counted in two threads.
        self.drops: Counter[Drop] = Counter(dict.fromkeys(Drop, 0))

    def admit(self, stamp: float) -> StampedState | Drop:
        """Return the robot's state when an image was taken, or why it is dropped.

        Wait for a state as new as the image before calling this, but not for ever.
        """
        result = self._check(stamp)
        if isinstance(result, Drop):
            self.drops[result] += 1
        return result

    def _check(self, stamp: float) -> StampedState | Drop:
        if self._restarts != self._history.restarts:
            self._restarts, self._last = self._history.restarts, None
        last = self._last
        if last is not None and last - _CLOCK_STEP < stamp <= last:
            return Drop.ORDER
        if last is None or not 0.0 < stamp - last <= _GAP:
            self._settled_at = stamp + self._settling
        self._last = stamp
        if stamp < self._settled_at:
            return Drop.SETTLING
        found = self._history.around(stamp)
        if isinstance(found, Drop):
            return found
        if any(_is_fast(state.yaw_rate, MAX_YAW_RATE) for state in found):
            return Drop.TURNING
        if any(_is_fast(state.head_rate, MAX_HEAD_RATE) for state in found):
            return Drop.HEAD_MOVING
        return between(*found, stamp)


def _is_fast(rate: float | None, limit: float) -> bool:
    """A rate that was not measured, or is none, counts as too fast."""
    return rate is None or not abs(rate) <= limit


class StateTracker:
    """Completes states with ``head_rate`` and ``origin``."""

    def __init__(self) -> None:
        self._last: StampedState | None = None
        self._origin = 0

    def update(self, state: StampedState) -> StampedState:
        last, self._last = self._last, state
        if last is None:
            return replace(state, head_rate=None, origin=self._origin)
        self._origin += _is_lost(last, state)
        elapsed = state.stamp - last.stamp
        # By angles: the gyroscope's rates are moments of a head that shakes while the robot drives.
        head_rate = (state.head - last.head) / elapsed if elapsed > 0.0 else None
        return replace(state, head_rate=head_rate, origin=self._origin)


def _is_lost(last: StampedState, state: StampedState) -> bool:
    """Whether the robot no longer knows where it is: carried, counting anew, or set elsewhere."""
    is_lifted = last.is_on_treads and not state.is_on_treads
    return is_lifted or last.origin_id != state.origin_id or _is_jump(last, state)


def _is_jump(last: StampedState, state: StampedState) -> bool:
    """Whether no robot moves so fast: its odometry was set to something else."""
    elapsed = state.stamp - last.stamp
    if not 0.0 <= elapsed < _PAUSE:
        return False
    distance, turn = state.motion_since(last)
    return (
        distance > _NOISE + _FASTEST * elapsed or abs(turn) > _TURN_NOISE + _FASTEST_TURN * elapsed
    )
