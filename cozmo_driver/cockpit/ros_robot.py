"""One robot of the graph as the page knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from geometry_msgs.msg import Twist, TwistStamped
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from std_msgs.msg import Float64

from ..robot import (
    MAX_HEAD_ANGLE,
    MAX_LIFT_HEIGHT,
    MAX_WHEEL_SPEED,
    MAX_YAW_RATE,
    MIN_HEAD_ANGLE,
    MIN_LIFT_HEIGHT,
    Reason,
    RobotError,
)
from ..ros.clients import GoalClient, OwnGoals, call, wait_for_service
from ..ros.context import NodeContext
from ..ros.geometry import velocity_message
from ..ros.rclpy_compat import LatestMessage
from ..ros.topics import COMMAND
from .emulated_world import FEEDS as WORLD_FEEDS
from .emulated_world import EmulatedWorld
from .robot_port import (
    STANDING,
    Answer,
    ParameterInfo,
    Picture,
    RecordingState,
    Velocity,
)
from .ros_feeds import (
    CONNECTION_FEED,
    HEALTH_FEED,
    HISTORIES,
    MANIPULATION_FEED,
    PARAMETERS_FEED,
    ConnectionFeed,
    HealthFeed,
    History,
    ManipulationFeed,
    ParameterHistory,
)
from .ros_recording import RobotRecorder
from .ros_tables import ACTIONS, COMMANDS, FEEDS, PICTURES, SERVICES
from .ros_whereabouts import WHEREABOUTS_FEED, WhereaboutsFeed

_OwnFeed: TypeAlias = HealthFeed | History | ManipulationFeed | ConnectionFeed | WhereaboutsFeed
_TOPICS = {**FEEDS, **PICTURES}
_JOINTS = 1.5
"""Most of head and lift, rad/s."""
_NANO = 1e-9
_ASKED = 2
"""Times that a parameter is set where no answer comes: one may be lost."""
_STOP = "emergency_stop"
_CONNECTION_TYPE = "cozmo_interfaces/msg/ConnectionState"
_PROGRAM = "it names programs or files of the driver's computer"
_PERMISSION = "it permits what cannot be undone"
_GRAPH_ONLY: Mapping[str, str] = {
    "speech_command": _PROGRAM,
    "resource_dir": _PROGRAM,
    "allow_nv_write": _PERMISSION,
    "allow_firmware_update": _PERMISSION,
    "allow_power_off": _PERMISSION,
}
"""Parameters that a page does not change, and why: ``ros2 param`` does."""
_FOREIGN = ("use_sim_time", "qos_overrides.", "start_type_description_service")
"""Parameters of every node."""


class RosRobot:
    """Implements ``RobotPort``; in the loop."""

    pictures = frozenset(PICTURES)
    limits: Mapping[str, float] = {
        "linear": MAX_WHEEL_SPEED,
        "angular": MAX_YAW_RATE,
        "head_low": MIN_HEAD_ANGLE,
        "head_high": MAX_HEAD_ANGLE,
        "lift_low": MIN_LIFT_HEIGHT,
        "lift_high": MAX_LIFT_HEIGHT,
    }

    def __init__(self, context: NodeContext, name: str, world: EmulatedWorld | None = None) -> None:
        """Make what commands the robot ``name``; only histories are subscribed to yet.

        ``world`` is that of an emulated robot.
        """
        self.name, self._context, self._world = name, context, world
        own = (HEALTH_FEED, MANIPULATION_FEED, CONNECTION_FEED, WHEREABOUTS_FEED)
        self.feeds = frozenset((*FEEDS, *HISTORIES, *own))
        self.feeds |= WORLD_FEEDS if world else frozenset()
        self._prefix = f"/{name}" if name else ""
        node = context.node
        self._is_stamped = context.parameters["enable_stamped_cmd_vel"]
        self._cmd_vel = node.create_publisher(
            TwistStamped if self._is_stamped else Twist, self._topic("cmd_vel"), COMMAND
        )
        self._velocities = {
            joint: node.create_publisher(Float64, self._topic(f"cmd_{joint}_velocity"), COMMAND)
            for joint in ("head", "lift")
        }
        self._commands = {
            topic: node.create_publisher(command.kind, self._topic(topic), COMMAND)
            for topic, command in COMMANDS.items()
        }
        self._own: dict[str, _OwnFeed] = {
            HEALTH_FEED: HealthFeed(node, self._prefix),
            MANIPULATION_FEED: ManipulationFeed(node, self._prefix),
            CONNECTION_FEED: ConnectionFeed(node, self._prefix),
            WHEREABOUTS_FEED: WhereaboutsFeed(node, self._prefix),
            **{
                feed: (ParameterHistory if feed == PARAMETERS_FEED else History)(
                    node, entry, self._prefix
                )
                for feed, entry in HISTORIES.items()
            },
        }
        self._recorder = RobotRecorder(context, self._prefix)
        # A client finds its service only some time after it is made: STOP must not wait for that.
        stop = node.create_client(SERVICES[_STOP], self._topic(_STOP))
        self._services: dict[str, Any] = {_STOP: stop}
        self._actions: dict[str, GoalClient] = {}
        self._subscriptions: dict[str, LatestMessage[Any]] = {}
        self._velocity = STANDING

    def close(self) -> None:
        """End a recording; the executor has ended before."""
        self._recorder.close()

    def _topic(self, name: str) -> str:
        return name if name.startswith("/") else f"{self._prefix}/{name}"

    # -- feeds

    def start(self, feed: str) -> None:
        if self._world and feed in WORLD_FEEDS:
            self._world.start(feed)
        elif feed in self._own:
            self._own[feed].start()
        else:
            entry = _TOPICS[feed]
            topic = self._topic(entry.topic)
            made = LatestMessage[Any](self._context.node, entry.kind, topic, entry.qos)
            self._subscriptions[feed] = made

    def stop(self, feed: str) -> None:
        if self._world and feed in WORLD_FEEDS:
            self._world.stop(feed)
        elif feed in self._own:
            self._own[feed].stop()
        else:
            self._subscriptions.pop(feed).close()

    def poll(self, feed: str) -> Any:
        if self._world and feed in WORLD_FEEDS:
            return self._world.poll(feed)
        if feed in self._own:
            return self._own[feed].poll()
        message = self._subscriptions[feed].take()
        if message is None:
            return None
        value = _TOPICS[feed].value(message)
        if feed not in PICTURES:
            return value
        stamp = message.header.stamp
        age = (self._context.ros_now() - stamp.sec * 10**9 - stamp.nanosec) * _NANO
        return Picture(max(0.0, age), value)

    # -- commands

    def drive(self, velocity: Velocity) -> None:
        limits = self.limits
        linear = _limited(velocity.linear, limits["linear"])
        angular = _limited(velocity.angular, limits["angular"])
        before, self._velocity = self._velocity, velocity
        if any((linear, angular, before.linear, before.angular)):
            stamp = self._context.stamp_now() if self._is_stamped else None
            self._cmd_vel.publish(velocity_message(linear, angular, stamp))
        for joint, new, old in (
            ("head", velocity.head, before.head),
            ("lift", velocity.lift, before.lift),
        ):
            if new or old:
                self._velocities[joint].publish(Float64(data=_limited(new, _JOINTS)))

    def publish(self, topic: str, **fields: Any) -> None:
        try:
            message = COMMANDS[topic].message(**fields)
        except (AssertionError, TypeError) as error:
            raise ValueError(f"{topic}: {error}") from error
        self._commands[topic].publish(message)

    async def call(self, service: str, **fields: Any) -> Answer:
        if self._world and service == "emulator":
            return await self._world.command(**fields)
        kind = SERVICES[service]
        client = self._services.get(service)
        if client is None:
            client = self._context.node.create_client(kind, self._topic(service))
            self._services[service] = client
        try:
            await wait_for_service(client)
            response = await call(self._context, client, kind.Request(**fields))
        except RobotError as error:
            return Answer(False, str(error), {"reason": error.reason})
        return _answer(response)

    async def parameter(self, node: str, name: str) -> Any:
        answer = await self.call(f"{node}/get_parameters", names=[name])
        values = answer.fields.get("values", ())
        return parameter_value_to_python(values[0]) if values else None

    async def parameters(self, node: str) -> Sequence[ParameterInfo]:
        listed = await self.call(f"{node}/list_parameters")
        if not listed.success:
            return ()
        names = list(listed.fields["result"].names)
        described = await self.call(f"{node}/describe_parameters", names=names)
        got = await self.call(f"{node}/get_parameters", names=names)
        descriptors = described.fields.get("descriptors", ())
        values = got.fields.get("values", ())
        return [
            _parameter_info(descriptor, parameter_value_to_python(value))
            for descriptor, value in zip(descriptors, values, strict=False)
            if descriptor.description and not descriptor.name.startswith(_FOREIGN)
        ]

    @property
    def recording(self) -> RecordingState | None:
        return self._recorder.state

    async def start_recording(self, path: Path, most_bytes: int) -> Answer:
        return await self._recorder.start(path, most_bytes)

    async def stop_recording(self) -> Answer:
        return await self._recorder.stop()

    async def set_parameter(self, node: str, name: str, value: Any) -> Answer:
        if name in _GRAPH_ONLY:
            return Answer(False, f"{name} cannot be changed from a page")
        parameter = Parameter(name, value=value).to_parameter_msg()
        for _ in range(_ASKED):
            answer = await self.call(f"{node}/set_parameters", parameters=[parameter])
            if answer.fields.get("reason") != Reason.TIMEOUT:
                break
        if not answer.success:
            return answer
        [result] = answer.fields["results"]
        return Answer(result.successful, result.reason)

    async def do(self, action: str, **fields: Any) -> Answer:
        if action not in self._actions:
            name = self._topic(action)
            client = GoalClient(self._context, ACTIONS[action], name, OwnGoals())
            self._actions[action] = client
        try:
            return _answer(await self._actions[action].do(**_goal(ACTIONS[action], fields)))
        except RobotError as error:
            return Answer(False, str(error), {"reason": error.reason})


def _parameter_info(descriptor: ParameterDescriptor, value: Any) -> ParameterInfo:
    rules = [descriptor.additional_constraints]
    if descriptor.name in _GRAPH_ONLY:
        rules.append(f"not changed from a page: {_GRAPH_ONLY[descriptor.name]}")
    ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
    return ParameterInfo(
        descriptor.name,
        value,
        descriptor.description,
        "; ".join(rule for rule in rules if rule),
        ranges[0].from_value if ranges else None,
        ranges[0].to_value if ranges else None,
        descriptor.read_only or descriptor.name in _GRAPH_ONLY,
    )


def _goal(action: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a goal; messages in it are given as mappings, as far as they matter."""
    goal = action.Goal()
    _fill(goal, fields)
    return {name: getattr(goal, name) for name in fields}


def _fill(message: Any, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            _fill(getattr(message, name), value)
        else:
            setattr(message, name, value)


def _limited(value: float, limit: float) -> float:
    return float(min(limit, max(-limit, value)))


def _answer(response: Any) -> Answer:
    names = response.get_fields_and_field_types()
    fields = {name: getattr(response, name) for name in names}
    return Answer(fields.pop("success", True), fields.pop("message", ""), fields)


def find_robots(node: Node) -> list[str]:
    """Return the names of all robots whose driver is on the graph, in order."""
    end = "/connection_state"
    return sorted(
        topic.removesuffix(end).strip("/")
        for topic, kinds in node.get_topic_names_and_types()
        if topic.endswith(end) and _CONNECTION_TYPE in kinds
    )
