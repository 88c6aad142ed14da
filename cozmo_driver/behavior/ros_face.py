"""What the personality shows on the face: expressions, and pictures of its own."""

from __future__ import annotations

import asyncio
import math

import numpy as np
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.parameter import Parameter
from rclpy.topic_endpoint_info import TopicEndpointInfo
from sensor_msgs.msg import Image

from cozmo_interfaces.msg import Expression

from ..media import DISPLAY_HEIGHT, DISPLAY_WIDTH, DisplayImage
from ..robot import RobotError
from ..ros.clients import QUERY_TIMEOUT, call
from ..ros.context import NodeContext
from ..ros.media_messages import image_message
from ..ros.topics import COMMAND
from .mood import Affect

NEUTRAL = "Neutral"
_MOODS = {
    NEUTRAL: Affect(0.0, 0.0),
    "Happiness": Affect(0.5, 0.1),
    "Excitement": Affect(0.5, 0.6),
    "Annoyance": Affect(-0.4, 0.4),
    "Sadness": Affect(-0.5, -0.3),
    "Boredom": Affect(-0.2, -0.7),
}
_HYSTERESIS = 0.1
_BLEND_TIME = 0.4
_TOPIC, _PICTURES = "face/expression", "face/image"
_FACE_NODE = "cozmo_face"
_NAMELESS = "_NODE_NAME_UNKNOWN_"
"""The middleware's, for the node of a listener that it has found before the node."""
_LOOKS, _LOOK_PERIOD = 50, 0.1
"""How often at most, and every how many s, it looks whose a new listener is."""


def expression_of(affect: Affect, before: str = NEUTRAL) -> str:
    """Return the expression that is nearest to a mood; the one ``before`` stays in doubt."""

    def distance(name: str) -> float:
        mood = _MOODS[name]
        far = math.hypot(affect.valence - mood.valence, affect.arousal - mood.arousal)
        return far - (_HYSTERESIS if name == before else 0.0)

    return min(_MOODS, key=distance)


class ExpressionPublisher:
    """Publishes ``face/expression`` where it changes, and to face nodes that come later.

    In the loop.
    """

    def __init__(self, context: NodeContext) -> None:
        """Offer the topic; the face is neutral and nobody's until ``enable``."""
        self._node = context.node
        matched = PublisherEventCallbacks(matched=lambda _: context.start(self._greet()))
        self._publisher = self._node.create_publisher(
            Expression, _TOPIC, COMMAND, event_callbacks=matched
        )
        self._faces: set[tuple[int, ...]] = set()
        """Which of the listeners are face nodes'."""
        self._is_enabled = False
        self._shows_mood = True
        self._requested = ""
        self._mood = self._shown = NEUTRAL

    def show(self, name: str) -> None:
        """Show an expression for a behaviour until the next call; empty for no more."""
        self._requested = name
        self._publish()

    def set_mood(self, affect: Affect, is_shown: bool) -> None:
        self._mood, self._shows_mood = expression_of(affect, self._mood), is_shown
        self._publish()

    def enable(self, on: bool) -> None:
        """Take the face, whatever it shows, or leave it, neutral, to others."""
        is_taken = on and not self._is_enabled
        self._is_enabled = on
        self._publish(is_news=is_taken)

    async def _greet(self) -> None:
        """Tell a face node that has just started; what others show meanwhile is theirs.

        A face node, whatever its name, draws what it hears; a recorder or a viewer of topics comes
        and goes without that.
        """
        for _ in range(_LOOKS):
            listeners = self._node.get_subscriptions_info_by_topic(_TOPIC)
            drawing = {*map(_whose, self._node.get_publishers_info_by_topic(_PICTURES))}
            heard = {tuple(one.endpoint_gid): _whose(one) for one in listeners}
            faces = {one for one, whose in heard.items() if whose in drawing - {None}}
            is_started = not faces <= self._faces
            self._faces = faces
            if is_started and self._is_enabled:
                self._publish(is_news=True)
            # What a face node draws on may be found after what it listens to.
            if len(faces) >= self._publisher.get_subscription_count():
                break
            await asyncio.sleep(_LOOK_PERIOD)

    def _publish(self, *, is_news: bool = False) -> None:
        mood = self._mood if self._shows_mood else NEUTRAL
        wanted = (self._requested or mood) if self._is_enabled else NEUTRAL
        if is_news or wanted != self._shown:
            self._shown = wanted
            self._publisher.publish(Expression(name=wanted, blend_time=_BLEND_TIME))


def _whose(endpoint: TopicEndpointInfo) -> tuple[str, str] | None:
    """Return namespace and name of its node, None where they are not found yet."""
    name = endpoint.node_name
    return None if name == _NAMELESS else (endpoint.node_namespace, name)


_FRAME = "display_link"
_DARK = np.zeros((DISPLAY_HEIGHT, DISPLAY_WIDTH), np.uint8)


class PicturePublisher:
    """Publishes ``face/image`` for a behaviour, and keeps the face node from drawing meanwhile."""

    def __init__(self, context: NodeContext) -> None:
        self._context = context
        self._publisher = context.node.create_publisher(Image, _PICTURES, COMMAND)
        client = context.node.create_client
        self._get = client(GetParameters, f"{_FACE_NODE}/get_parameters")
        self._set = client(SetParameters, f"{_FACE_NODE}/set_parameters")
        self._is_shown = self._is_taken = False
        self._drew: bool | None = None
        """Whether the face node was to draw before the picture; None where nobody has asked."""
        self._switching: asyncio.Task[None] | None = None

    def show(self, picture: DisplayImage | None) -> None:
        """Show a picture, 0 or 1, until the next one; None gives the face back."""
        if picture is not None or self._is_shown:
            pixels = _DARK if picture is None else picture * np.uint8(255)
            self._publisher.publish(image_message(pixels, self._context.stamp_now(), _FRAME))
        self._is_shown = picture is not None
        if self._is_taken is not self._is_shown and (
            self._switching is None or self._switching.done()
        ):
            self._switching = asyncio.ensure_future(self._switch())

    async def settle(self) -> None:
        """Wait until the face node draws again."""
        if self._switching is not None:
            await asyncio.wait([self._switching], timeout=QUERY_TIMEOUT)

    async def _switch(self) -> None:
        """Let the face node draw as before, or not, until that is as it shall be."""
        while self._is_taken is not self._is_shown and self._is_there:
            is_taken = self._is_shown
            try:
                if self._drew is None:
                    self._drew = await self._draws()
                if self._drew:
                    await self._let_draw(not is_taken)
            except RobotError as error:
                self._context.log.warning(f"the face node: {error}")
                continue
            self._is_taken = is_taken
            if not is_taken:
                self._drew = None

    @property
    def _is_there(self) -> bool:
        return all(one.service_is_ready() for one in (self._get, self._set))

    async def _draws(self) -> bool:
        request = GetParameters.Request(names=["enabled"])
        answer = await call(self._context, self._get, request, timeout=QUERY_TIMEOUT)
        return any(value.bool_value for value in answer.values)

    async def _let_draw(self, on: bool) -> None:
        parameter = Parameter("enabled", value=on).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        await call(self._context, self._set, request, timeout=QUERY_TIMEOUT)
