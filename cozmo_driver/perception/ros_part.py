"""What every part of the vision node is given: an image, and where the robot was meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt
from std_msgs.msg import Header

from .perception import CameraFrame


@dataclass(slots=True)
class NodeImage:
    """An image and where its messages belong."""

    frame: CameraFrame
    header: Header
    """Stamp and frame, the camera's optical one."""
    odom_frame: str
    """Frame of the robot's state."""
    base_frame: str
    """Frame of the robot's place on the ground."""
    is_drawn: bool
    """Whether the annotated image is wanted."""
    overlays: list[Callable[[npt.NDArray[np.uint8]], object]] = field(default_factory=list)
    """Each draws into the annotated image, RGB of twice the size, where it is wanted."""


class Part(Protocol):
    """A further look at every image; everything in the loop's thread."""

    mode: str
    """What ``set_vision_modes`` calls it."""

    def is_needed(self) -> bool:
        """Whether somebody wants what comes of it, such as a subscriber."""

    def on_image(self, image: NodeImage) -> None:
        """Look at an image and publish what is found, while the mode is on and it is needed."""
