"""``motion`` and ``image_quality``: what needs no more than the picture and where it was taken."""

from __future__ import annotations

from functools import partial

from cozmo_interfaces.msg import ImageQuality
from cozmo_interfaces.msg import Motion as MotionMessage

from ..ros.context import NodeContext
from ..ros.geometry import header
from ..ros.topics import SENSOR
from .detection.motion import Motion, MotionDetector
from .detection.overlay import draw_motion
from .detection.quality import QualityMonitor
from .ros_messages import motion_message, quality_message
from .ros_part import Picture

_SHOWN = 0.2
"""s for which a motion is drawn."""


class MotionPart:
    mode = "motion"

    def __init__(self, context: NodeContext) -> None:
        self._publisher = context.node.create_publisher(MotionMessage, "motion", SENSOR)
        self._detector = MotionDetector()
        self._last: tuple[float, Motion] | None = None

    def is_needed(self) -> bool:
        return bool(self._publisher.get_subscription_count())

    def on_picture(self, picture: Picture) -> None:
        moment = picture.frame.state
        if moment is None:
            self._detector.reset()
            return
        motion = self._detector.update(
            picture.frame.stamp,
            picture.frame.gray,
            picture.frame.camera,
            moment.camera,
            moment.base,
            # In a hand it is moved, whatever its treads report.
            moment.is_moving or not moment.is_on_treads,
        )
        if motion is not None:
            self._last = picture.frame.stamp, motion
            head = header(picture.header.stamp, picture.base_frame)
            self._publisher.publish(motion_message(motion, head))
        # Not every picture is compared.
        if picture.is_drawn and self._last and 0.0 <= picture.frame.stamp - self._last[0] < _SHOWN:
            picture.overlays.append(partial(draw_motion, motion=self._last[1]))


class QualityPart:
    mode = "quality"

    def __init__(self, context: NodeContext) -> None:
        self._publisher = context.node.create_publisher(ImageQuality, "image_quality", SENSOR)
        self._monitor = QualityMonitor()

    def is_needed(self) -> bool:
        return bool(self._publisher.get_subscription_count())

    def on_picture(self, picture: Picture) -> None:
        quality = self._monitor.update(picture.frame.stamp, picture.frame.gray)
        self._publisher.publish(quality_message(quality, picture.header))
