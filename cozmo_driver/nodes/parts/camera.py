"""``camera/image_raw``, ``camera/image_raw/compressed`` and ``camera/camera_info``."""

from __future__ import annotations

from collections.abc import Callable

from builtin_interfaces.msg import Time
from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from ...media.mini_jpeg import picture
from ...robot import Image
from ..context import Context
from ..conversions.media import compressed_message, image_message
from ..qos import SENSOR
from ..throttled_log import ThrottledLog


class CameraPart:
    """Publishes every picture; it is decoded only while somebody takes ``camera/image_raw``."""

    def __init__(self, context: Context, info: Callable[[Time, bool], CameraInfo]) -> None:
        """Follow the robot's pictures; ``info`` returns the calibration for stamp and colour."""
        node = context.node
        self._stamp = context.new_stamper()
        self._frame = context.frame("camera_frame")
        self._log = ThrottledLog(node.get_logger())
        self._raw = node.create_publisher(ImageMessage, "camera/image_raw", SENSOR)
        self._compressed = node.create_publisher(
            CompressedImage, "camera/image_raw/compressed", SENSOR
        )
        self._info = node.create_publisher(CameraInfo, "camera/camera_info", SENSOR)
        self._info_for = info
        context.robot.on_image.connect(self._publish)

    def _publish(self, image: Image) -> None:
        stamp = self._stamp(image.time)
        self._compressed.publish(compressed_message(image, stamp, self._frame))
        self._info.publish(self._info_for(stamp, image.is_color))
        if not self._raw.get_subscription_count():
            return
        try:
            pixels = picture(image.jpeg)
        except ValueError as error:
            self._log.warning(f"picture {image.image_id} is left out: {error}")
            return
        self._raw.publish(image_message(pixels, stamp, self._frame))
