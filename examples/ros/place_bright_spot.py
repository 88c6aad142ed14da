"""Place the brightest spot that the camera sees on the floor of the odometry frame, with tf2_ros.

python3 examples/ros/place_bright_spot.py
ros2 topic echo bright_spot
"""

from __future__ import annotations

import signal

import numpy as np
import rclpy
from geometry_msgs.msg import Point, PointStamped, Quaternion
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, Image
from tf2_ros import Buffer, TransformException, TransformListener


def rotated(vectors: np.ndarray, q: Quaternion) -> np.ndarray:
    """Return vectors, in the last axis, turned by a quaternion."""
    twice = 2 * np.cross((q.x, q.y, q.z), vectors)
    return vectors + q.w * twice + np.cross((q.x, q.y, q.z), twice)


class Placer(Node):
    """Publishes ``bright_spot``: where on the floor the brightest pixels are, m."""

    def __init__(self) -> None:
        super().__init__("placer")
        self.frame = self.declare_parameter("odom_frame", "odom").value
        self.buffer = Buffer()
        self.listener = TransformListener(self.buffer, self)
        self.publisher = self.create_publisher(PointStamped, "bright_spot", 10)
        self.info: CameraInfo | None = None
        self.before: Image | None = None
        self.create_subscription(CameraInfo, "camera/camera_info", self.take_info, 10)
        self.create_subscription(Image, "camera/image_raw", self.take_image, 10)

    def take_info(self, info: CameraInfo) -> None:
        """Keep the calibration."""
        self.info = info

    def take_image(self, image: Image) -> None:
        """Place the picture before this one: by now the transforms of its time are there."""
        image, self.before = self.before, image
        if image is None or self.info is None:
            return
        try:
            to_odom = self.buffer.lookup_transform(
                self.frame, image.header.frame_id, Time.from_msg(image.header.stamp)
            ).transform
        except TransformException as error:
            self.get_logger().info(str(error), throttle_duration_sec=2.0)
            return
        gray = np.asarray(image.data).reshape(image.height, image.width, -1).mean(axis=2)
        rays = rotated(self.rays(self.info), to_odom.rotation)
        # What is above the horizon is not on the floor; the leftmost columns are noise.
        floor = rays[..., 2] < -0.05
        floor[:, :2] = False
        if floor.any():
            x, y, z = np.median(rays[floor & (gray >= gray[floor].max() - 10)], axis=0)
            lens = to_odom.translation
            spot = PointStamped(point=Point(x=lens.x - lens.z * x / z, y=lens.y - lens.z * y / z))
            spot.header.stamp, spot.header.frame_id = image.header.stamp, self.frame
            self.publisher.publish(spot)

    def rays(self, info: CameraInfo) -> np.ndarray:
        """Return where each pixel looks, in the camera's frame: x right, y down, z ahead."""
        fx, _, cx, _, fy, cy, *_ = info.k
        columns = np.arange(0, info.width, info.binning_x or 1)
        rows = np.arange(0, info.height, info.binning_y or 1)
        x, y = np.meshgrid((columns - cx) / fx, (rows - cy) / fy)
        return np.dstack((x, y, np.ones_like(x)))


def main() -> None:
    """Place bright spots until Ctrl-C."""
    # An end by rclpy itself, amid a message or a wait, would be an error now and then.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    ended: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: ended.append(number))
    node = Placer()
    while not ended:
        rclpy.spin_once(node, timeout_sec=0.1)


if __name__ == "__main__":
    main()
