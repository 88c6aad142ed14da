"""Parts of the vision node: what each is given, and those that need no more than the image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt
from std_msgs.msg import Header

from cozmo_interfaces.msg import ImageQuality
from cozmo_interfaces.msg import Motion as MotionMessage

from ..ros.context import NodeContext
from ..ros.geometry import header
from ..ros.topics import SENSOR
from .detection.motion import Motion, MotionDetector
from .detection.overlay import draw_motion
from .detection.quality import QualityMonitor
from .perception import CameraFrame
from .ros_messages import motion_message, quality_message

_SHOWN = 0.2
"""s for which a motion is drawn."""


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


class MotionPart:
    mode = "motion"

    def __init__(self, context: NodeContext) -> None:
        self._publisher = context.node.create_publisher(MotionMessage, "motion", SENSOR)
        self._detector = MotionDetector()
        self._last: tuple[float, Motion] | None = None
        self.on_motion: Callable[[float], object] = lambda _: None
        """Called with the stamp of an image in which something moves."""

    def is_needed(self) -> bool:
        return bool(self._publisher.get_subscription_count())

    def on_image(self, image: NodeImage) -> None:
        state = image.frame.state
        if state is None:
            self._detector.reset()
            return
        motion = self._detector.update(
            image.frame.stamp,
            image.frame.gray,
            image.frame.camera,
            state.camera,
            state.base,
            # In a hand it is moved, whatever its treads report.
            state.is_moving or not state.is_on_treads,
        )
        if motion is not None:
            self._last = image.frame.stamp, motion
            if motion.area > 0.0:
                self.on_motion(image.frame.stamp)
            head = header(image.header.stamp, image.base_frame)
            self._publisher.publish(motion_message(motion, head))
        # Not every image is compared.
        if image.is_drawn and self._last and 0.0 <= image.frame.stamp - self._last[0] < _SHOWN:
            image.overlays.append(partial(draw_motion, motion=self._last[1]))


class QualityPart:
    mode = "quality"

    def __init__(self, context: NodeContext) -> None:
        self._publisher = context.node.create_publisher(ImageQuality, "image_quality", SENSOR)
        self._monitor = QualityMonitor()

    def is_needed(self) -> bool:
        return bool(self._publisher.get_subscription_count())

    def on_image(self, image: NodeImage) -> None:
        quality = self._monitor.update(image.frame.stamp, image.frame.gray)
        self._publisher.publish(quality_message(quality, image.header))
