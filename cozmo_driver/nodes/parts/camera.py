"""``camera/image_raw``, ``camera/image_raw/compressed`` and ``camera/camera_info``."""

from __future__ import annotations

from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from cozmo_interfaces.msg import RobotInfo

from ...media.mini_jpeg import picture
from ...robot import Image
from .. import camera_calibration
from ..context import Context
from ..conversions.camera import camera_info_message, compressed_message, image_message
from ..qos import SENSOR

DEFAULT_CALIBRATION = "package://cozmo_driver/config/camera_default.yaml"


class CameraPart:
    """Publishes every picture; it is decoded only while somebody takes ``camera/image_raw``."""

    def __init__(self, context: Context) -> None:
        """Follow the robot's pictures."""
        node = context.node
        self._stamp = context.new_stamper()
        self._frame = context.frame("camera_frame")
        self._logger = node.get_logger()
        self._raw = node.create_publisher(ImageMessage, "camera/image_raw", SENSOR)
        self._compressed = node.create_publisher(
            CompressedImage, "camera/image_raw/compressed", SENSOR
        )
        self._info = node.create_publisher(CameraInfo, "camera/camera_info", SENSOR)
        url = context.parameters["camera_info_url"]
        self.calibration = camera_calibration.load(url or DEFAULT_CALIBRATION)
        self.calibration_source = (
            RobotInfo.CALIBRATION_FILE if url else RobotInfo.CALIBRATION_DEFAULT
        )
        what = f"from {url}" if url else "typical values (config/camera_default.yaml)"
        self._logger.info(f"camera calibration: {what}")
        context.robot.on_image.connect(self._publish)

    def _publish(self, image: Image) -> None:
        stamp = self._stamp(image.time)
        self._compressed.publish(compressed_message(image, stamp, self._frame))
        self._info.publish(camera_info_message(self.calibration, stamp, self._frame))
        if not self._raw.get_subscription_count():
            return
        try:
            pixels = picture(image.jpeg)
        except ValueError as error:
            self._logger.warning(
                f"picture {image.image_id} is left out: {error}", throttle_duration_sec=5.0
            )
            return
        self._raw.publish(image_message(pixels, stamp, self._frame))
