"""What the charger's contacts tell: where the robot is against the charger, to some millimetres."""

from __future__ import annotations

import math

import numpy as np

from ..perception import DOCKED, StampedState
from .map_filter import MapFilter
from .tag_map import CHARGER

_SETTLED = 0.5
"""s on the contacts until it is believed that the robot stands there."""
_CONTACTS = np.diag(np.square([0.002, 0.002, math.radians(1.5)]))
"""Of x, y and yaw on the contacts; perception/world/world_model.py has the 2 mm."""
_ANYWHERE = np.diag([25.0, 25.0, math.pi**2])
_GATE = 16.0
"""Mahalanobis distance squared of three figures beyond which the pose was wrong before docking, or
the charger was moved."""


class Contacts:
    """Follows states; tells once for each docking that the robot stands there."""

    def __init__(self) -> None:
        self._since = math.inf

    def have_docked(self, state: StampedState) -> bool:
        if not (state.is_on_charger and state.is_on_treads) or state.is_moving:
            self._since = math.inf
            return False
        self._since = min(self._since, state.stamp)
        if math.isinf(self._since) or state.stamp - self._since < _SETTLED:
            return False
        self._since = -math.inf
        return True


def is_charger_elsewhere(known: MapFilter) -> bool:
    """Whether a robot on the contacts, that knows where it is, does not stand where they are."""
    return known.copy().bind(CHARGER, DOCKED, _CONTACTS) > _GATE


def bind_to_charger(known: MapFilter, is_known: bool) -> bool:
    """Put the robot on the charger's contacts; return whether its pose was wrong, or not known."""
    if not is_known:
        where = known.places[CHARGER] @ DOCKED
        heading = math.atan2(where[1, 0], where[0, 0])
        known.set_pose((float(where[0, 3]), float(where[1, 3]), heading), _ANYWHERE)
    distance = known.bind(CHARGER, DOCKED, _CONTACTS)
    return not is_known or distance > _GATE
