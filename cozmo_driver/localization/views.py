"""From where landmarks were used: seen from there once more, corners err as they did before."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from ..perception import StampedState
from .sightings import Sighting

APART, APART_SEARCHING = 0.004, 0.02
"""m that a robot has moved until a landmark tells something new; while the pose is searched for,
each image costs more."""
_TURNED, _HEAD = 2.0, 1.5
"""rad for each m of that: a turn of 0.5 degrees is as good as 4 mm."""
_USES = 2
"""Times that a landmark is used from one place."""
_ALIKE = 0.16
"""Share of the variance of corners that is the same from image to image, over 0.4 m of travel: of
3,400 sightings in rendered images 0.2 from the same place, 0.05 from 0.1 m away."""
_FORGOTTEN, _FORGOTTEN_TURN = 0.4, 0.6
"""m and rad over which two thirds of that are another error."""


class Views:
    def __init__(self) -> None:
        self._views: dict[str, tuple[StampedState, int]] = {}
        self._recent: dict[str, tuple[StampedState, float]] = {}

    def clear(self) -> None:
        self._views.clear()
        self._recent.clear()

    def forget(self, name: str) -> None:
        self._views.pop(name, None)
        self._recent.pop(name, None)

    def fresh(self, seen: Iterable[Sighting], state: StampedState, apart: float) -> list[Sighting]:
        """Return what tells something new from here, with more noise where it was used just now."""
        taken = [(one, self._take(one.name, state, apart)) for one in seen]
        return [replace(one, noise=one.noise * more) for one, more in taken if more]

    def _take(self, name: str, state: StampedState, apart: float) -> float | None:
        """Return by how much the deviation of a landmark's corners counts more; None: not new."""
        view, uses = self._views.get(name, (state, 0))
        distance, turn = state.motion_since(view)
        is_same = (
            distance < apart
            and abs(turn) < _TURNED * apart
            and abs(view.head - state.head) < _HEAD * apart
            and view.origin == state.origin
        )
        if is_same and uses >= _USES:
            return None
        self._views[name] = (view, uses + 1) if is_same else (state, 1)
        before, count = self._recent.get(name, (state, 0.0))
        distance, turn = state.motion_since(before)
        if before.origin == state.origin:
            count *= math.exp(-distance / _FORGOTTEN - abs(turn) / _FORGOTTEN_TURN)
        self._recent[name] = (state, count + 1.0)
        return math.sqrt(1.0 + _ALIKE * count)
