"""``vision/image/compressed``: the image with what was found in it."""

from __future__ import annotations

from array import array

import cv2
from rclpy.node import Node
from sensor_msgs.msg import CompressedImage

from ..ros.topics import SENSOR
from .detection.overlay import draw_markers
from .ros_part import NodeImage

_QUALITY = 80


class AnnotatedPicture:
    """Drawn only while somebody subscribes."""

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(CompressedImage, "vision/image/compressed", SENSOR)

    def is_needed(self) -> bool:
        return bool(self._publisher.get_subscription_count())

    def publish(self, image: NodeImage) -> None:
        drawn = draw_markers(image.frame.gray, image.frame.markers)
        for overlay in image.overlays:
            overlay(drawn)
        bgr = cv2.cvtColor(drawn, cv2.COLOR_RGB2BGR)
        _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        self._publisher.publish(
            CompressedImage(
                header=image.header,
                format="rgb8; jpeg compressed bgr8",
                data=array("B", data.tobytes()),
            )
        )
