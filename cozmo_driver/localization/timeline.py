"""The filter in time: sightings come late, and are taken at the time that they are of.

The filter is at the last image; what odometry says since is added for the present. It is copied
every half second, so that it can go back to before an image that comes after newer ones.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard

import numpy as np

from ..perception import Drop, Matrix, PoseHistory, StampedState
from .map_filter import Fit, MapFilter
from .motion import ROBOT, YAW, Step, X
from .sightings import Sighting

HORIZON = 2.5
"""s that sightings may be late; Wi-Fi stalls for up to 2 s (spec 14)."""
GATE = 4.5
"""Mahalanobis distance squared for each figure beyond which a sighting is not believed: of eight,
36 is exceeded once in 50,000 by noise as modelled."""
_CHECKPOINT_EVERY = 0.5
_STEP = 0.2
"""s of odometry that are followed at once while nothing is seen."""
KEPT = 8.0
"""s of states: those of a link that says nothing for 5 s, after which it is given up, and before
it those back to the filter's time."""
_PAUSE = KEPT - HORIZON - _STEP
"""s without a state after which odometry no longer remembers the filter's time."""
_SLIPPED, _SPREAD = 0.03, 3.0
"""m, and for each m driven, by which no drive makes odometry less sure from state to state: slip
makes it 0.05 m."""
_ROUGH, _ROUGH_ANGLE = 0.06, 0.10
"""m and rad, standard deviations from which on sightings are taken in rounds: slopes change."""


@dataclass(frozen=True, slots=True, eq=False)
class _Event:
    state: StampedState
    sightings: tuple[Sighting, ...]
    factor: float


class Timeline:
    """Holds the filter, and what is needed to take it back and forth."""

    def __init__(self, history: PoseHistory, known: MapFilter) -> None:
        self._history = history
        self._checkpoints: deque[MapFilter] = deque()
        self._events: deque[_Event] = deque()
        self.restart(known)

    def restart(self, known: MapFilter) -> None:
        """Go on with another filter; nothing before its time can be changed any more."""
        self.filter = known
        self._checkpoints.clear()
        self._events.clear()
        self._renew_tip()

    def seal(self) -> None:
        """Let nothing before now be changed: landmarks came or went."""
        self._checkpoints.clear()
        self._events.clear()

    # -- the present

    @property
    def place(self) -> Matrix:
        """Return x, y and yaw as of the last state."""
        return self._tip.mean[X : YAW + 1]

    @property
    def covariance(self) -> Matrix:
        """Return that of ``place``, 3x3."""
        known = self.filter.covariance[:ROBOT, :ROBOT]
        whole = self._tip.covariance(known, self.filter.odometry_factor)[:3, :3]
        symmetric: Matrix = (whole + whole.T) / 2
        return symmetric

    def on_state(self, before: StampedState, state: StampedState) -> None:
        self._tip.drive(before, state)
        if _has_slipped(before, state):
            self.settle(state.stamp)
            self.filter.doubt_place()
        elif state.stamp - before.stamp > _PAUSE:
            self.settle(state.stamp)
        elif state.stamp - self.filter.stamp > HORIZON + _STEP:
            self.drive(self.filter, state.stamp - HORIZON)
            self._keep_checkpoint()
            self._renew_tip()

    def settle(self, stamp: float) -> None:
        """Put the filter at the present, which is called ``stamp`` from now on."""
        self.filter.apply(self._tip)
        self.filter.stamp = stamp
        self.restart(self.filter)

    def drive(self, known: MapFilter, stamp: float) -> None:
        """Let a filter follow odometry up to a time, as far as that is remembered."""
        if stamp <= known.stamp:
            return
        states = self._history.between(known.stamp, stamp)
        if not isinstance(states, Drop):
            known.drive(states)
        known.stamp = stamp

    def _renew_tip(self) -> None:
        self._tip = Step.none(self.filter.robot)
        last = self._history.last
        if last is None or last.stamp <= self.filter.stamp:
            return
        states = self._history.between(self.filter.stamp, last.stamp)
        if not isinstance(states, Drop):
            for before, after in pairwise(states):
                self._tip.drive(before, after)

    # -- the past

    def go_to(self, stamp: float) -> list[_Event]:
        """Put the filter at a time; return what came after it, for ``remember``."""
        if stamp < self.filter.stamp:
            while self._checkpoints and self._checkpoints[-1].stamp > stamp:
                self._checkpoints.pop()
            # Else it is older than all that is kept, and taken as if it were of the filter's time.
            if self._checkpoints:
                self.filter = self._checkpoints[-1].copy()
                for event in self._events:
                    if self.filter.stamp < event.state.stamp <= stamp:
                        self._replay(event)
        self.drive(self.filter, stamp)
        return [event for event in self._events if event.state.stamp > stamp]

    def update(self, sightings: Sequence[Sighting], state: StampedState, factor: float) -> None:
        """Correct the filter, which is at the time of ``state``, by sightings of that time."""
        if not sightings:
            return
        spread = np.sqrt(np.maximum(np.diag(self.filter.covariance)[X : YAW + 1], 0.0))
        if max(spread[:2]) > _ROUGH or spread[2] > _ROUGH_ANGLE:
            self.filter.search(sightings, state, factor)
        else:
            fits = [self.filter.fit(one, state, factor) for one in sightings]
            seen = [fit for fit in fits if fit is not None]
            self.filter.update(seen, [factor] * len(seen))
        self.filter.keep(sightings, state, factor)

    def remember(
        self,
        state: StampedState,
        sightings: Sequence[Sighting],
        factor: float,
        later: Sequence[_Event],
    ) -> None:
        """Keep what was used at a time, and bring the filter back to the newest one."""
        for event in later:
            self._replay(event)
        self._events.append(_Event(state, tuple(sightings), factor))
        if later:
            self._events = deque(sorted(self._events, key=lambda event: event.state.stamp))
        while self._events and self._events[0].state.stamp < self.filter.stamp - HORIZON:
            self._events.popleft()
        self._keep_checkpoint()
        self._renew_tip()

    def _keep_checkpoint(self) -> None:
        """Copy the filter now and then, also where nothing is seen: odometry is soon forgotten."""
        newest, kept = self.filter.stamp, self._checkpoints
        if not kept or newest - kept[-1].stamp >= _CHECKPOINT_EVERY:
            kept.append(self.filter.copy())
        while len(kept) > 1 and kept[1].stamp < newest - HORIZON:
            kept.popleft()

    def _replay(self, event: _Event) -> None:
        self.drive(self.filter, event.state.stamp)
        known = [one for one in event.sightings if one.name in self.filter.places]
        fits = [self.filter.fit(one, event.state, event.factor) for one in known]
        inside = [fit.sighting for fit in fits if is_inside(fit)]
        self.update(inside, event.state, event.factor)


def _has_slipped(before: StampedState, state: StampedState) -> bool:
    """Whether the driver has noticed that the treads went another way than the robot."""
    driven = math.hypot(state.x - before.x, state.y - before.y)
    return state.spread - before.spread > max(_SLIPPED, _SPREAD * driven)


def is_inside(fit: Fit | None) -> TypeGuard[Fit]:
    """Whether a sighting is where it may be."""
    return fit is not None and fit.distance <= GATE * fit.freedom
