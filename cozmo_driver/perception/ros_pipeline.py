"""From the messages of an image and of the robot to the parts that look at it.

Images of both transports, and ``vision/image/compressed``: the image with what was found in it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from builtin_interfaces.msg import Time
from PIL import Image as Decoder
from PIL import UnidentifiedImageError
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from ..ros.context import NodeContext
from ..ros.geometry import seconds
from ..ros.media_messages import pixels_of
from ..ros.pacing import Ticker
from ..ros.rclpy_compat import LatestMessage
from ..ros.topics import SENSOR
from .detection.camera import CalibrationError
from .detection.markers import ImageError, as_gray
from .detection.overlay import draw_markers
from .perception import Perception
from .ros_messages import camera_of_info
from .ros_objects import ObjectsPart
from .ros_parts import NodeImage, Part
from .ros_robot_states import RobotStates
from .world.pose_history import Drop

_log = logging.getLogger(__name__)

_IMAGES = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
"""From publishers of any kind; deeper than needed, so that what is replaced is counted here."""
_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
_TOPICS = {
    "compressed": (CompressedImage, "camera/image_raw/compressed"),
    "raw": (Image, "camera/image_raw"),
}
_REST = 0.2
"""s between two looks at the robot's states while no images come."""
_POLL = 0.005
"""s between two looks whether the robot's state after an image has come."""
_JPEG_QUALITY = 80
_MOST_PIXELS = 1280 * 960


class Pipeline:
    """Decodes each image once, waits for the state after it, and calls the parts.

    Only stamps of messages count: recordings are looked at as live images are.
    """

    def __init__(
        self,
        context: NodeContext,
        perception: Perception,
        objects: ObjectsPart,
        parts: Sequence[Part],
        modes: set[str],
    ) -> None:
        """Subscribe; ``modes`` are those of the parts that are on."""
        self._context, self._perception, self._objects = context, perception, objects
        self._parts: tuple[Part, ...] = (objects, *parts)
        self.available_modes = {part.mode for part in self._parts}
        self.modes = modes
        self._annotated = AnnotatedImage(context.node)
        self.on_robot: list[Callable[[RobotStates], object]] = []
        """Called after each state of the robot."""
        self.on_published: list[Callable[[Time], object]] = []
        """Called with the stamp of the last state, after each image and five times a second."""
        self.on_searched: Callable[[], object] = lambda: None
        """Called after each image."""
        self.robot = RobotStates()
        self.robot.read(context.node)
        self.received = self.placed = 0
        self.calibration_fault = ""
        self.looks: Counter[str] = Counter()
        self.times: defaultdict[str, float] = defaultdict(float)
        """Images and s of work by mode."""
        self._info = LatestMessage(context.node, CameraInfo, "camera/camera_info", _NEWEST)
        self._lock = threading.Lock()
        self._newest: Any = None
        self._waiting: Any = None
        self._polling: asyncio.TimerHandle | None = None
        self._ticker = Ticker(_REST, self._follow_robot)
        self.start = self._ticker.start
        kind, topic = _TOPICS[context.parameters["image_transport"]]
        context.node.create_subscription(kind, topic, self._on_message, _IMAGES)

    # -- in the executor's thread

    def _on_message(self, message: Any) -> None:
        with self._lock:
            is_posted = self._newest is not None
            self._newest = message
            self.received += 1
            if is_posted:
                self._perception.drop(Drop.REPLACED)
        if not is_posted:
            self._context.thread.post(self._accept)

    # -- in the loop

    def _accept(self) -> None:
        with self._lock:
            message, self._newest = self._newest, None
        if self._waiting is not None:
            # The state after it never came.
            self._search(self._waiting)
        self._waiting = message
        self._wait()

    def _wait(self) -> None:
        """Look at the image that waits once the robot's state is as new as it is."""
        if self._polling is not None:
            self._polling.cancel()
        self.poll_robot()
        if not self._perception.now >= seconds(self._waiting.header.stamp):
            self._polling = asyncio.get_running_loop().call_later(_POLL, self._wait)
            return
        message, self._waiting, self._polling = self._waiting, None, None
        self._search(message)

    def poll_robot(self) -> None:
        for state in self.robot.poll():
            self._perception.on_robot(state)
            for callback in self.on_robot:
                callback(self.robot)

    def _search(self, message: Any) -> None:
        perception = self._perception
        try:
            gray = gray_of(message)
        except ImageError as error:
            perception.drop(Drop.UNREADABLE)
            self._context.log.warning(f"a picture is dropped: {error}")
            return
        self._take_calibration()
        frame = perception.admit(seconds(message.header.stamp), gray)
        if frame is None:
            return
        self.placed += frame.state is not None
        image = NodeImage(
            frame,
            message.header,
            self.robot.odom_frame,
            self.robot.base_frame,
            self._annotated.is_needed(),
        )
        for part in self._parts:
            if part.mode in self.modes and (image.is_drawn or part.is_needed()):
                self._call(part, image)
        if image.is_drawn:
            self._annotated.publish(image)
        self.publish_states()
        self.on_searched()

    def publish_states(self) -> None:
        """Publish what has changed, with the time of the robot's last state."""
        if not math.isnan(self._perception.now):
            self._objects.publish_states(self.robot.stamp, self.robot.odom_frame)
            for callback in self.on_published:
                callback(self.robot.stamp)

    def _follow_robot(self) -> None:
        """Keep up with the robot while no images come."""
        if self._waiting is None:
            self.poll_robot()
            self.publish_states()

    def _call(self, part: Part, image: NodeImage) -> None:
        begun = time.perf_counter()
        try:
            part.on_image(image)
        except Exception:  # a fault of one part must not blind the others
            _log.exception("%s failed with a picture", part.mode)
        self.looks[part.mode] += 1
        self.times[part.mode] += time.perf_counter() - begun

    def _take_calibration(self) -> None:
        """Use the newest calibration, if it makes sense."""
        info = self._info.take()
        if info is None:
            return
        try:
            self._perception.on_calibration(camera_of_info(info))
            self.calibration_fault = ""
        except CalibrationError as error:
            self.calibration_fault = f"the camera calibration is refused: {error}"
            self._context.log.warning(self.calibration_fault)


class AnnotatedImage:
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
        _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        self._publisher.publish(
            CompressedImage(
                header=image.header,
                format="rgb8; jpeg compressed bgr8",
                data=array("B", data.tobytes()),
            )
        )


def gray_of(message: CompressedImage | Image) -> npt.NDArray[np.uint8]:
    """Return an image in gray, of square pixels. Raises ``ImageError``."""
    if isinstance(message, CompressedImage):
        return as_gray(_decoded(bytes(message.data)))
    try:
        pixels = pixels_of(message)
    except ValueError as error:
        raise ImageError(str(error)) from error
    if message.encoding == "bgr8":
        pixels = np.ascontiguousarray(pixels[..., ::-1])
    return as_gray(pixels)


def _decoded(data: bytes) -> npt.NDArray[np.uint8]:
    try:
        image = Decoder.open(BytesIO(data), formats=("JPEG", "PNG"))
        is_too_large = image.width * image.height > _MOST_PIXELS
        pixels = None if is_too_large else np.asarray(image.convert("L"))
    except (UnidentifiedImageError, Decoder.DecompressionBombError):
        raise ImageError("it is neither JPEG nor PNG of any size a camera has") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise ImageError(f"it cannot be decoded: {error}") from error
    if pixels is None:
        raise ImageError(f"it has {image.width} x {image.height} pixels, which is too many")
    return pixels
