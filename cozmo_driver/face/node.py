"""The node ``cozmo_face``: draws the face and keeps it alive."""

from __future__ import annotations

import fnmatch
import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.node import Node
from sensor_msgs.msg import Image

from cozmo_interfaces.msg import Expression as ExpressionMessage
from cozmo_interfaces.msg import FaceArray, FaceParameters, Motion, Reason, RobotStatus
from cozmo_interfaces.srv import ListExpressions

from ..ros.logs import LogBridge, ThrottledLog
from ..ros.media_messages import image_message
from ..ros.parameter_set import FRAME_PREFIX, ParameterSet
from ..ros.parameter_set import FixedSpec as F
from ..ros.parameter_set import ParameterSpec as P
from ..ros.rclpy_compat import LatestMessage
from ..ros.runtime import StopRequest, run_node
from ..ros.topics import COMMAND, SENSOR, CommandTopic
from .engine import FaceEngine
from .expressions import BY_NAME
from .gaze import IdleOptions
from .parameters import Face
from .renderer import FacePicture, render
from .ros_messages import face_message, face_of_message

NODE_NAME = "cozmo_face"
_HELP = """\
Draws the face of the robot Cozmo for the driver: named expressions, or any face in 43 parameters,
with eyes that blink and look around."""
_FRAME = "display_link"
_IDLE = ("blinks", "saccades", "glances", "idle_rate")
_READ_PERIOD = 0.1
"""s between two readings of status and odom while the face does not move."""
_IMAGE = 320.0, 240.0
"""Pixels of the camera's image."""
_FACED = 1.0
"""s for which the eyes stay with a face, whatever else moves."""
_TURN_KEPT = 0.5
"""s for which a turn is believed to go on without odom."""


FACE_PARAMETERS: tuple[P, ...] = (
    F("rate", 30.0, "most pictures in a second", "Hz", low=1.0, high=30.0),
    P("enabled", True, "draw; otherwise the face is left to other publishers of face/image"),
    P("blinks", True, "the eyes blink; without, only every 29 s, to spare the screen"),
    P("saccades", True, "the eyes dart about"),
    P("follows", True, "the eyes rest on faces, and on what moves before the resting robot"),
    P("glances", True, "the eyes lead into the turns of odom"),
    P("idle_rate", 1.0, "how often the eyes dart and blink, as a factor", low=0.1, high=5.0),
    F(
        "seed",
        0,
        "the same seed, the same idle life; 0: another one each time",
        low=0,
        high=2**31 - 1,
    ),
    FRAME_PREFIX,
)
"""``config/face.yaml`` explains them to users."""


class FaceNode:
    """The face as a program of its own. Commands come in the executor's thread."""

    def __init__(self, node: Node) -> None:
        """Subscribe, with the neutral face. Raises ``ParameterError``."""
        self.node = node
        self._parameters = parameters = ParameterSet(node, FACE_PARAMETERS)
        seed = parameters["seed"]
        self._engine = FaceEngine(Random(seed or None), self._idle_options(), time.monotonic())
        self._period = 1.0 / parameters["rate"]
        self._frame = parameters["frame_prefix"] + _FRAME
        self._lock = threading.Condition()
        """Held for all that follows; notified of commands."""
        self._drawn: Face | None = None
        self._shown: FacePicture | None = None
        self._is_covered = False
        self._yaw_rate, self._turned_at = 0.0, 0.0
        self._log_bridge = LogBridge(node.get_logger())
        self._log_bridge.attach()
        log = ThrottledLog()
        self._faces = CommandTopic("face/parameters", log)
        self._expressions = CommandTopic("face/expression", log)
        self._publisher = node.create_publisher(
            Image,
            "face/image",
            COMMAND,
            event_callbacks=PublisherEventCallbacks(matched=lambda _: self._publish_again()),
        )
        subscribe = node.create_subscription
        subscribe(FaceParameters, "face/parameters", self._on_face, COMMAND)
        subscribe(ExpressionMessage, "face/expression", self._on_expression, COMMAND)
        subscribe(FaceArray, "faces", self._on_faces, SENSOR)
        subscribe(Motion, "motion", self._on_motion, SENSOR)
        self._faced_at = -_FACED
        self._status = LatestMessage(node, RobotStatus, "status")
        self._odometry: LatestMessage[Odometry] | None = None
        self._follow_turns()
        node.create_service(ListExpressions, "list_expressions", _list_expressions)
        for name in _IDLE:
            parameters.on_change(name, lambda _: self._set_idle_options())
        # Once it may draw again, what others have drawn is to be replaced.
        parameters.on_change("enabled", lambda _: self._publish_again())

    def close(self) -> None:
        self._log_bridge.detach()

    # -- commands

    def _on_face(self, message: FaceParameters) -> None:
        face = face_of_message(message)
        self._command(self._faces, lambda now: self._engine.set_face(face, now))

    def _on_expression(self, message: ExpressionMessage) -> None:
        times = float(message.blend_time), float(message.hold_time)
        self._command(self._expressions, lambda now: self._engine.show(message.name, now, *times))

    # -- what the camera sees

    def _on_faces(self, message: FaceArray) -> None:
        if not message.faces:
            return
        face = message.faces[0]
        self._faced_at = time.monotonic()
        self._attend(face.x + face.width / 2, face.y + face.height / 2)

    def _on_motion(self, message: Motion) -> None:
        """Look at what moves, unless there is a face to look at."""
        is_faced = time.monotonic() - self._faced_at < _FACED
        if message.image_area > 0.0 and not is_faced:
            self._attend(message.image_x, message.image_y)

    def _attend(self, x: float, y: float) -> None:
        if not (self._parameters["follows"] and math.isfinite(x) and math.isfinite(y)):
            return
        with self._lock:
            u, v = 2.0 * x / _IMAGE[0] - 1.0, 2.0 * y / _IMAGE[1] - 1.0
            self._engine.attend(u, v, time.monotonic())
            self._lock.notify()

    def _command(self, topic: CommandTopic, do: Callable[[float], None]) -> None:
        with self._lock:
            try:
                do(time.monotonic())
            except ValueError as error:
                topic.reject(error)
                return
            self._lock.notify()
        topic.accept()

    # -- idle life

    def _idle_options(self) -> IdleOptions:
        blinks, saccades, glances, rate = (self._parameters[name] for name in _IDLE)
        return IdleOptions(blinks=blinks, saccades=saccades, glances=glances, rate=rate)

    def _set_idle_options(self) -> None:
        with self._lock:
            self._engine.set_options(self._idle_options(), time.monotonic())
            self._follow_turns()
            self._lock.notify()

    def _follow_turns(self) -> None:
        """Subscribe to odom only where it is of use."""
        if self._parameters["glances"] and self._odometry is None:
            self._odometry = LatestMessage(self.node, Odometry, "odom")
        elif not self._parameters["glances"] and self._odometry is not None:
            self._odometry.close()
            self._odometry = None

    # -- pictures, in the main thread

    def run(self, stop: StopRequest) -> None:
        """Keep drawing, while something moves every ``1 / rate`` s, until the end is asked for."""
        drawn_at = -self._period
        with self._lock:
            while not stop.is_set:
                now = time.monotonic()
                early = drawn_at + self._period - now
                if early > 0.0:
                    self._lock.wait(early)
                    continue
                drawn_at = now
                self._read_robot(now)
                self._draw(now)
                due = min(self._engine.next_change(now), now + _READ_PERIOD)
                if due > now + self._period:
                    self._lock.wait(due - now)

    def _read_robot(self, now: float) -> None:
        status = self._status.take()
        if status is not None:
            is_covered = status.face_owner == RobotStatus.OWNER_ANIMATION
            if is_covered and not self._is_covered:
                self._drawn = self._shown = None
            self._is_covered = is_covered
        odometry = self._odometry.take() if self._odometry else None
        if odometry is not None:
            self._yaw_rate, self._turned_at = odometry.twist.twist.angular.z, now
        elif now - self._turned_at > _TURN_KEPT:
            self._yaw_rate = 0.0

    def _draw(self, now: float) -> None:
        face = self._engine.parameters_at(now, self._yaw_rate)
        is_free = self._parameters["enabled"] and not self._is_covered
        if not is_free or face == self._drawn:
            return
        self._drawn = face
        # All rows: the driver leaves every second one dark, those that are due.
        picture = render(face, None)
        if self._shown is None or not np.array_equal(picture, self._shown):
            self._shown = picture
            stamp = self.node.get_clock().now().to_msg()
            pixels = picture.view(np.uint8) * np.uint8(255)
            self._publisher.publish(image_message(pixels, stamp, self._frame))

    def _publish_again(self) -> None:
        with self._lock:
            self._drawn = self._shown = None
            self._lock.notify()


def _list_expressions(
    request: ListExpressions.Request, response: ListExpressions.Response
) -> ListExpressions.Response:
    pattern = (request.filter or "*").lower()
    found = sorted(
        (name, expression.face)
        for name, expression in BY_NAME.items()
        if fnmatch.fnmatchcase(name.lower(), pattern)
    )
    response.success, response.reason = True, Reason.NONE
    if not found:
        response.message = f"no expression is named like '{request.filter}'"
    response.names = [name for name, _ in found]
    response.parameters = [face_message(face) for _, face in found]
    return response


def main(args: Sequence[str] | None = None) -> int:
    return run_node(
        "face_node", _HELP, FACE_PARAMETERS, lambda node, _: FaceNode(node), NODE_NAME, args
    )


if __name__ == "__main__":
    sys.exit(main())
