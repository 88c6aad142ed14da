"""Where the camera is and looks: how the body is tilted, how the camera is mounted, how surely."""

from __future__ import annotations

import math
from dataclasses import replace

from ...robot_bounds import MOUNT_BOUND
from .body_tilt import BodyTilt
from .mounting import Mounting
from .objects import TrackedObject
from .placing import Placement, settled
from .pose_history import StampedState

SURE = 2.5
"""Standard deviations within which what is not sure is taken to be."""
_HEIGHT, _MOST_HEIGHT = 0.004, 0.020
"""m by which heights are off by a sighting itself; and by which they are off at the most, since
half a cube is 22 mm: a cube on the floor must not be one on another."""
_LYING = 0.01
"""rad; a robot that is tilted by more is not one that tells how its camera is mounted."""
_UNMOVED, _UNTURNED = 0.002, 0.02
"""m and rad by which a robot moves that still sees the same."""


class CameraTracker:
    """Adds to the robot's states what is known of its camera, and learns from what it sees."""

    def __init__(self) -> None:
        self.mounting = Mounting()
        self._body_tilt = BodyTilt()

    @property
    def pitch_doubt(self) -> float:
        """Return the rad by which the camera may look higher or lower than believed."""
        return SURE * self.mounting.deviations[0]

    def on_robot(self, robot: StampedState) -> StampedState:
        """Return a state with the tilt of the body and the mount of the camera."""
        mounting = self.mounting
        return replace(
            robot,
            tilt=self._body_tilt.update(robot),
            mount=mounting.mount,
            pitch_deviation=mounting.deviations[0],
        )

    def settled(self, thing: TrackedObject, seen: Placement) -> Placement:
        """Return an object on the floor, or on cubes, at the height that it has there."""
        within = _HEIGHT + self.pitch_doubt * seen.distance
        return settled(thing.model, seen, min(within, _MOST_HEIGHT))

    def doubt(self, thing: TrackedObject, robot: StampedState) -> float:
        """Return by how many rad an object may be beside where it should be in the image."""
        before = thing.seen_from
        if before is not None and robot.stands_as(before, _UNMOVED, _UNTURNED):
            return 0.0
        return SURE * max(self.mounting.deviations)

    def learn(self, thing: TrackedObject, seen: Placement, robot: StampedState) -> None:
        """Learn how the camera is mounted from what stands before a robot that stands."""
        # Also what would not stand on the floor if all that was learnt were true.
        within = min(_HEIGHT + MOUNT_BOUND * seen.distance, _MOST_HEIGHT)
        seen = settled(thing.model, seen, within)
        if thing.is_moving or thing.is_carried or math.isnan(seen.level):
            self.mounting.forget_place(thing.name)
            return
        is_lying = robot.is_on_treads and not robot.is_on_charger and abs(robot.tilt) < _LYING
        if robot.is_moving or not is_lying:
            return
        if seen.level == 0.0:
            self.mounting.on_standing(thing.name, thing.model, seen, robot)
        self.mounting.on_fixed(thing.name, seen, robot)
