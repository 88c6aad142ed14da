"""What follows from one state of the robot to the next: turns of the head, losses of the origin."""

from __future__ import annotations

import math
from dataclasses import replace

from .world.pose_history import StampedState

_FASTEST, _NOISE = 0.5, 0.02
"""m/s and m: poses that are farther apart are a jump."""
_FASTEST_TURN, _TURN_NOISE = 15.0, 0.1
"""rad/s and rad, likewise."""
_GAP = 1.0
"""s after which nothing can be said of jumps."""


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
    if not 0.0 <= elapsed < _GAP:
        return False
    turn = abs(math.remainder(state.yaw - last.yaw, 2 * math.pi))
    way = math.hypot(state.x - last.x, state.y - last.y)
    return way > _NOISE + _FASTEST * elapsed or turn > _TURN_NOISE + _FASTEST_TURN * elapsed
