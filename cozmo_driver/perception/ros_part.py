"""What every part of the vision node is given: a picture, and where the robot was meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt
from std_msgs.msg import Header

from .detection.camera import Camera
from .detection.markers import Marker
from .world.pose_history import RobotMoment


@dataclass(slots=True)
class Picture:
    """A picture as it is looked at, once decoded."""

    gray: npt.NDArray[np.uint8]
    """320 x 240 or larger, of square pixels."""
    header: Header
    """Stamp and frame, the camera's optical one."""
    stamp: float
    """The same, s."""
    camera: Camera
    """For pictures of this size."""
    moment: RobotMoment | None
    """The robot when it was taken; None where that is not known well, as in a fast turn."""
    odom_frame: str
    """Frame of ``moment``."""
    base_frame: str
    """Frame of the robot's place on the ground."""
    is_carrying: bool
    """Whether a cube is on the lift."""
    is_drawn: bool
    """Whether the annotated picture is wanted."""
    markers: list[Marker] = field(default_factory=list)
    """Found by the part ``markers``, which comes first."""
    overlays: list[Callable[[npt.NDArray[np.uint8]], object]] = field(default_factory=list)
    """Each draws into the annotated picture, RGB of twice the size, where it is wanted."""


class Part(Protocol):
    """A further look at every picture; everything in the loop's thread."""

    mode: str
    """What ``set_vision_modes`` calls it."""

    def is_needed(self) -> bool:
        """Whether somebody wants what comes of it, such as a subscriber."""

    def on_picture(self, picture: Picture) -> None:
        """Look at a picture and publish what is found, while the mode is on and it is needed."""
