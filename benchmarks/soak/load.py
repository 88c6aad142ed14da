"""A node that takes everything the driver publishes and asks for everything it can do."""

from __future__ import annotations

import array
import itertools
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Point, Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import (
    BatteryState,
    CameraInfo,
    CompressedImage,
    Image,
    Imu,
    JointState,
)
from std_msgs.msg import ColorRGBA, Header
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

from cozmo_interfaces.action import (
    DriveDistance,
    FollowPath,
    MoveHead,
    MoveLift,
    PlayAudio,
    TurnInPlace,
)
from cozmo_interfaces.msg import (
    Audio,
    BackpackLights,
    ConnectionState,
    CubeAccel,
    CubeArray,
    CubeEvent,
    CubeLights,
    LightState,
    PathSegment,
    RobotEvent,
    RobotInfo,
    RobotStatus,
)
from cozmo_interfaces.srv import SetVolume

from .goals import Goal, GoalLoop, Outcome

SOUND_RATE = 22050
_PIECE = 0.1
_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_TOPICS: tuple[tuple[Any, str, QoSProfile | int], ...] = (
    (Odometry, "odom", 10),
    (Imu, "imu/data_raw", 10),
    (JointState, "joint_states", 10),
    (TFMessage, "/tf", 100),
    (Image, "camera/image_raw", 10),
    (CompressedImage, "camera/image_raw/compressed", 10),
    (CameraInfo, "camera/camera_info", 10),
    (BatteryState, "battery_state", 10),
    (RobotStatus, "status", 10),
    (RobotEvent, "events", 10),
    (CubeArray, "cubes", _LATCHED),
    (CubeEvent, "cube_events", 10),
    (CubeAccel, "cube_accel", 10),
    (DiagnosticArray, "/diagnostics", 10),
    (ConnectionState, "connection_state", _LATCHED),
    (RobotInfo, "robot_info", _LATCHED),
)
_CYCLE = 20.0
_ACTIONS = 8.0
"""s of each cycle in which actions drive; in the others cmd_vel does."""


class Load:
    """Publishes, subscribes, calls and sends goals; callbacks run in the executor's thread."""

    def __init__(self, node: Node, sound_file: Path) -> None:
        """Begin."""
        self.node = node
        self.received = {topic: 0 for _, topic, _ in _TOPICS}
        self.outcomes: list[Outcome] = []
        self.connections: list[tuple[float, bool]] = []
        """When the link was ready or no more: times in s of the monotonic clock."""
        self.calls = self.answers = 0
        self._cubes: list[int] = []
        self._is_ending = False
        self._start = time.monotonic()
        self._subscriptions = [
            node.create_subscription(kind, topic, self._counter(topic), qos)
            for kind, topic, qos in _TOPICS
        ]
        self._loops = [
            GoalLoop(node, _HEAD, self.outcomes.append),
            GoalLoop(node, _LIFT, self.outcomes.append),
            GoalLoop(node, _WHEELS, self.outcomes.append, lambda: not self._is_driven),
            GoalLoop(node, [_sound_goal(sound_file)], self.outcomes.append),
        ]
        self._publish_commands()
        self._call_services()

    @property
    def pending(self) -> list[str]:
        """What has not been answered yet."""
        calls = ["a service"] * (self.calls - self.answers)
        return [loop.pending for loop in self._loops if loop.pending] + calls

    def end(self) -> None:
        """Ask for nothing more."""
        self._is_ending = True
        for loop in self._loops:
            loop.end()

    def _counter(self, topic: str) -> Callable[[Any], None]:
        def count(message: Any) -> None:
            self.received[topic] += 1
            if isinstance(message, CubeArray):
                self._cubes = [cube.factory_id for cube in message.cubes]
            if isinstance(message, ConnectionState):
                is_ready = message.state == ConnectionState.CONNECTED
                self.connections.append((time.monotonic(), is_ready))

        return count

    # -- commands

    @property
    def _is_driven(self) -> bool:
        return (time.monotonic() - self._start) % _CYCLE >= _ACTIONS

    def _publish_commands(self) -> None:
        node, numbers = self.node, itertools.count()
        velocity = node.create_publisher(Twist, "cmd_vel", 10)
        sound = node.create_publisher(Audio, "audio", 10)
        backpack = node.create_publisher(BackpackLights, "backpack_lights", 10)
        cubes = node.create_publisher(CubeLights, "cube_lights", 10)
        pieces = itertools.count()

        def drive() -> None:
            if self._is_driven:
                command = Twist()
                command.linear.x = 0.06 * math.sin(time.monotonic())
                command.angular.z = 0.8
                velocity.publish(command)

        def light() -> None:
            color = ColorRGBA(**{"rgb"[next(numbers) % 3]: 1.0}, a=1.0)
            lamp = LightState(on_color=color, on_duration=0.3, off_duration=0.3)
            backpack.publish(BackpackLights(front=lamp, middle=lamp, rear=lamp))
            # More lights than one at a time are too much for the battery of a cube.
            lights = [lamp, *[LightState()] * 3]
            for factory_id in self._cubes:
                cubes.publish(CubeLights(factory_id=factory_id, lights=lights, rotation_period=0.6))

        def play() -> None:
            sound.publish(_piece(next(pieces)))

        for period, work in ((0.05, drive), (0.5, light), (_PIECE, play)):
            node.create_timer(period, self._unless_ending(work))

    def _call_services(self) -> None:
        node, numbers = self.node, itertools.count()
        head_light = node.create_client(SetBool, "set_head_light")
        volume = node.create_client(SetVolume, "set_volume")

        def call() -> None:
            number = next(numbers)
            for client, request in (
                (head_light, SetBool.Request(data=number % 2 == 0)),
                (volume, SetVolume.Request(volume=(1 + number % 10) / 10)),
            ):
                if client.service_is_ready():
                    self.calls += 1
                    client.call_async(request).add_done_callback(self._answered)

        node.create_timer(1.0, self._unless_ending(call))

    def _answered(self, _: Any) -> None:
        self.answers += 1

    def _unless_ending(self, work: Callable[[], None]) -> Callable[[], None]:
        return lambda: None if self._is_ending else work()


def _piece(number: int) -> Audio:
    """Return the n-th piece of a tone."""
    count = round(SOUND_RATE * _PIECE)
    times = (n / SOUND_RATE for n in range(number * count, (number + 1) * count))
    samples = (round(8000 * math.sin(2 * math.pi * 440 * at)) for at in times)
    return Audio(sample_rate=SOUND_RATE, samples=array.array("h", samples))


def _sound_goal(file: Path) -> Goal:
    return Goal("play_audio", PlayAudio, PlayAudio.Goal(file=str(file)))


_HEAD = [Goal("move_head", MoveHead, MoveHead.Goal(angle=angle)) for angle in (0.6, -0.3)]
_LIFT = [Goal("move_lift", MoveLift, MoveLift.Goal(height=height)) for height in (0.08, 0.04)]
_BASE = Header(frame_id="base_footprint")
_PATH = [
    PathSegment(type=PathSegment.LINE, end=Point(x=0.05)),
    PathSegment(
        type=PathSegment.ARC,
        center=Point(x=0.05, y=0.08),
        radius=0.08,
        start_angle=-math.pi / 2,
        sweep_angle=math.pi / 2,
    ),
]
_WHEELS = [
    Goal("drive_distance", DriveDistance, DriveDistance.Goal(distance=0.08, speed=0.1)),
    Goal("turn_in_place", TurnInPlace, TurnInPlace.Goal(angle=1.0)),
    Goal("follow_path", FollowPath, FollowPath.Goal(header=_BASE, segments=_PATH)),
    Goal("drive_distance", DriveDistance, DriveDistance.Goal(distance=-0.08, speed=0.1)),
]
