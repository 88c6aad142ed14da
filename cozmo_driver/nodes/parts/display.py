"""``face/image`` and ``display/image``."""

from __future__ import annotations

from sensor_msgs.msg import Image

from ...media.display_codec import Gray, Picture
from ...protocol import SendQueueFull
from ..context import Context
from ..conversions.media import image_message, picture_of
from ..qos import COMMAND, LATCHED

_FRAME = "display_link"


class DisplayPart:
    """Shows what comes on ``face/image``; publishes what the face shows, whoever drew it.

    The picture is latched: up to 10 s pass between two changes, and who comes later shall see it.
    """

    def __init__(self, context: Context) -> None:
        """Subscribe, and publish the dark face of a robot that is not connected."""
        self._context, self._display = context, context.robot.display
        self._frame = context.parameters["frame_prefix"] + _FRAME
        self._topic = context.command_topic("face/image")
        node = context.node
        self._publisher = node.create_publisher(Image, "display/image", LATCHED)
        self._subscription = node.create_subscription(Image, "face/image", self._take, COMMAND)
        self._publish(self._display.shown)
        self._display.on_change.connect(self._publish)

    # -- in the executor's thread

    def _take(self, message: Image) -> None:
        try:
            picture = picture_of(message)
        except ValueError as error:
            self._topic.reject(error)
            return
        self._context.thread.post(self._show, picture)

    # -- in the robot's thread

    def _show(self, picture: Gray) -> None:
        try:
            self._display.show(picture)
        except SendQueueFull as error:
            self._topic.refuse(f"the robot does not answer: {error}")
            return
        self._topic.accept()

    def _publish(self, picture: Picture) -> None:
        stamp = self._context.stamp_now()
        self._publisher.publish(image_message(picture * 255, stamp, self._frame))
