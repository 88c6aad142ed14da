"""Find bright things in the camera's pictures with cv_bridge and OpenCV, and outline them.

python3 examples/ros/camera_opencv.py --ros-args -p smallest:=50.0
ros2 run rqt_image_view rqt_image_view camera/outlined

It needs an installed ROS 2, and its cv_bridge: sudo apt install ros-$ROS_DISTRO-cv-bridge
"""

from __future__ import annotations

import signal

import cv2
import rclpy
from cv_bridge import CvBridge
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Image


class Outliner(Node):
    """Publishes ``camera/outlined``: the pictures, with what is bright in them outlined in red."""

    def __init__(self) -> None:
        super().__init__("outliner")
        self.smallest = self.declare_parameter("smallest", 50.0).value
        self.bridge = CvBridge()
        self.publisher = self.create_publisher(Image, "camera/outlined", 10)
        self.create_subscription(Image, "camera/image_raw", self.take, 10)

    def take(self, message: Image) -> None:
        """Outline what is bright in a picture."""
        gray = self.bridge.imgmsg_to_cv2(message, "mono8")
        _, bright = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        outlines, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        large = [one for one in outlines if cv2.contourArea(one) >= self.smallest]
        picture = cv2.cvtColor(gray, cv2.COLOR_GRAY2RGB)
        cv2.drawContours(picture, large, -1, (255, 0, 0), 2)
        self.publisher.publish(self.bridge.cv2_to_imgmsg(picture, "rgb8", message.header))
        boxes = [cv2.boundingRect(one) for one in large]
        self.get_logger().info(f"bright, as x y width height: {boxes}", throttle_duration_sec=1.0)


def main() -> None:
    """Outline what is bright until Ctrl-C."""
    # An end by rclpy itself, amid a message or a wait, would be an error now and then.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    ended: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: ended.append(number))
    node = Outliner()
    while not ended:
        rclpy.spin_once(node, timeout_sec=0.1)


if __name__ == "__main__":
    main()
