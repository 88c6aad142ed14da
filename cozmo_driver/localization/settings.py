"""What somebody wants of the localizer, and knows of the robot before."""

from __future__ import annotations

from dataclasses import dataclass

from .motion import Priors


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
