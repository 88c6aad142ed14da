"""From where landmarks were used: seen from there once more, corners err as they did before."""

from __future__ import annotations

import math

from ..perception import StampedState

_SAME_PLACE, _SAME_HEADING, _SAME_HEAD = 0.02, math.radians(4.0), 0.05
"""m and rad of robot and head. Sightings nearer to each other err alike: with all of them the
filter was three times as sure of rendered drives as it was right."""
_USES = 1
"""Times that a landmark is used from one place."""


class Views:
    def __init__(self) -> None:
        self._views: dict[str, tuple[StampedState, int]] = {}

    def clear(self) -> None:
        self._views.clear()

    def is_fresh(self, name: str, state: StampedState) -> bool:
        """Whether a landmark tells something new from here; count that it is used."""
        view, uses = self._views.get(name, (state, 0))
        distance, turn = state.motion_since(view)
        is_same = (
            distance < _SAME_PLACE
            and abs(turn) < _SAME_HEADING
            and abs(view.head - state.head) < _SAME_HEAD
            and view.origin == state.origin
        )
        self._views[name] = (view, uses + 1) if is_same else (state, 1)
        return not is_same or uses < _USES
