"""The body of a robot that a driver has on the graph."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_srvs.srv import Trigger

from cozmo_interfaces.action import (
    DockCharger,
    DriveDistance,
    GoToObject,
    GoToPose,
    HandleObject,
    MoveHead,
    MoveLift,
    PickUpCube,
    PlaceCube,
    PlayAnimation,
    RollCube,
    Say,
    Sing,
    StackCubes,
    TurnInPlace,
    Undock,
)
from cozmo_interfaces.msg import BackpackLights as BackpackMessage
from cozmo_interfaces.msg import CubeAccel
from cozmo_interfaces.msg import CubeLights as CubeLightsMessage
from cozmo_interfaces.srv import EnrollFace, ListAnimations

from ..resources import Library
from ..robot import BackpackLights, Cube, CubeLights, Pose2D, Reason, RobotError
from ..ros.clients import (
    MANIPULATION_ACTIONS,
    QUERY_TIMEOUT,
    GoalClient,
    OwnGoals,
    call,
    unavailable,
    wait_for_service,
)
from ..ros.context import NodeContext, to_time
from ..ros.cube_messages import backpack_message, cube_lights_message
from ..ros.geometry import stamped_pose_message
from ..ros.rclpy_compat import LatestMessage
from ..ros.topics import SENSOR
from .body import EventLog, PatternLights, Senses, Skill
from .ros_face import PicturePublisher
from .ros_messages import length_of
from .ros_senses import RosSenses
from .sight import Sense, Sight

_ANY_TIME = to_time(0)
_ACTIONS = {
    "play_animation": PlayAnimation,
    "drive_distance": DriveDistance,
    "turn_in_place": TurnInPlace,
    "go_to_pose": GoToPose,
    "go_to_pose_avoiding": GoToPose,
    "go_to_object": GoToObject,
    "undock": Undock,
    "dock_charger": DockCharger,
    "pick_up_cube": PickUpCube,
    "place_cube": PlaceCube,
    "roll_cube": RollCube,
    "stack_cubes": StackCubes,
    "align": HandleObject,
    "pop_a_wheelie": HandleObject,
    "knock_over": HandleObject,
    "build_pyramid": HandleObject,
    "find_object": HandleObject,
    "follow_object": HandleObject,
    "move_head": MoveHead,
    "move_lift": MoveLift,
    "say": Say,
    "sing": Sing,
}
_SKILLS: dict[Skill, str] = {
    Skill.GO_TO: "go_to_object",
    Skill.PICK_UP: "pick_up_cube",
    Skill.PUT_DOWN: "place_cube",
    Skill.PUT_ON: "place_cube",
    Skill.PUT_BESIDE: "place_cube",
    Skill.ROLL: "roll_cube",
    Skill.STACK: "stack_cubes",
    Skill.ALIGN: "align",
    Skill.WHEELIE: "pop_a_wheelie",
    Skill.KNOCK_OVER: "knock_over",
    Skill.PYRAMID: "build_pyramid",
    Skill.FIND: "find_object",
    Skill.FOLLOW: "follow_object",
}
"""Actions of the manipulation node."""
_CALIBRATED_WITHIN = 35.0
"""s; the driver itself gives up after 30."""
_LATEST = QoSProfile(depth=20, reliability=ReliabilityPolicy.BEST_EFFORT)


class RosBody:
    """A ``Body`` over the driver's topics, services and actions. Use in the loop."""

    def __init__(
        self, context: NodeContext, library: Library, show_expression: Callable[[str], object]
    ) -> None:
        """Take part in the graph; ``library`` has the patterns of the lights."""
        self._context = context
        self.own_goals = OwnGoals()
        self.ros_senses = RosSenses(context)
        self.triggers: frozenset[str] | None = None
        """Animation triggers the driver has clips for, None before it was asked."""
        node = context.node
        self._backpack = node.create_publisher(BackpackMessage, "backpack_lights", SENSOR)
        self._cube_lights = node.create_publisher(CubeLightsMessage, "cube_lights", SENSOR)
        self._lights = PatternLights(library, self._show_backpack, self._show_cube)
        self.light_backpack = self._lights.light_backpack
        self.light_cube = self._lights.light_cube
        self._show_expression = show_expression
        self._pictures = PicturePublisher(context)
        self.show_picture = self._pictures.show
        self._goals = {
            name: GoalClient(context, kind, name, self.own_goals) for name, kind in _ACTIONS.items()
        }
        self._calibration = node.create_client(Trigger, "calibrate_motors")
        self._enrollment = node.create_client(EnrollFace, "enroll_face")
        self._enrollment_end = node.create_client(Trigger, "cancel_enrollment")
        self._ending: asyncio.Task[None] | None = None
        self._animations = node.create_client(ListAnimations, "list_animations")
        self._streaming: set[int] = set()
        self._accelerations: LatestMessage[CubeAccel] | None = None
        self._felt: dict[int, float] = {}

    async def fetch_triggers(self) -> None:
        """Ask the driver for what it can play. Raises ``RobotError``."""
        await wait_for_service(self._animations)
        request = ListAnimations.Request(kind=ListAnimations.Request.TRIGGER)
        answer = await self._call(self._animations, "list_animations", request, QUERY_TIMEOUT)
        if not answer.success:
            raise RobotError(Reason(answer.reason), answer.message)
        self.triggers = frozenset(answer.triggers)
        self.ros_senses.is_known = True

    async def settle(self) -> None:
        """Wait a moment until all that was cancelled has ended."""
        await asyncio.gather(
            self._pictures.settle(), *(goals.settle() for goals in self._goals.values())
        )

    # -- senses

    @property
    def senses(self) -> Senses:
        return self.ros_senses.now

    @property
    def cubes(self) -> tuple[Cube, ...]:
        return self.ros_senses.cubes

    @property
    def events(self) -> EventLog:
        return self.ros_senses.events

    @property
    def sight(self) -> Sight:
        return self.ros_senses.sight

    def watch(self, sense: Sense, on: bool) -> None:
        self.ros_senses.watch(sense, on)

    def has_clip(self, trigger: str) -> bool:
        return self.triggers is None or trigger in self.triggers

    def stream_acceleration(self, factory_id: int, on: bool) -> None:
        """See ``Body``; the driver lets cubes stream while somebody subscribes."""
        (self._streaming.add if on else self._streaming.discard)(factory_id)
        if not on:
            self._felt.pop(factory_id, None)
        if self._streaming and self._accelerations is None:
            node = self._context.node
            self._accelerations = LatestMessage(node, CubeAccel, "cube_accel", _LATEST)
        elif not self._streaming and self._accelerations is not None:
            self._accelerations.close()
            self._accelerations = None

    def cube_acceleration(self, factory_id: int) -> float:
        while (
            self._accelerations is not None and (sample := self._accelerations.take()) is not None
        ):
            self._felt[int(sample.factory_id)] = length_of(sample.linear_acceleration)
        return self._felt.get(factory_id, math.nan)

    # -- actions

    async def play(
        self, trigger: str, *, is_body_still: bool = False, is_silent: bool = False
    ) -> None:
        goal = PlayAnimation.Goal
        excluded = goal.TRACK_BODY if is_body_still else 0
        excluded |= goal.TRACK_AUDIO if is_silent else 0
        excluded |= goal.TRACK_LIFT if self.senses.is_carrying else 0
        await self._do("play_animation", name=trigger, excluded_tracks=excluded)

    async def drive_distance(self, distance: float, speed: float = 0.0) -> None:
        await self._do("drive_distance", distance=float(distance), speed=float(speed))

    async def turn(self, angle: float, speed: float = 2.0) -> None:
        await self._do("turn_in_place", angle=float(angle), angular_speed=float(speed))

    async def go_to(self, goal: Pose2D, *, avoids: bool = False) -> None:
        name = "go_to_pose"
        if avoids and self._goals["go_to_pose_avoiding"].is_there:
            name = "go_to_pose_avoiding"
        await self._do(name, pose=self._pose_message(goal))

    async def undock(self, extra: float) -> None:
        await self._do("undock", extra_distance=float(extra))

    @property
    def can_go_home(self) -> bool:
        return self._goals["dock_charger"].is_there

    @property
    def is_manipulating(self) -> bool:
        """Whether manipulation moves the robot for the personality."""
        return any(self._goals[name].is_busy for name in MANIPULATION_ACTIONS)

    def can_use(self, skill: Skill) -> bool:
        return self._goals[_SKILLS[skill]].is_there

    async def use(
        self, skill: Skill, name: str = "", base: str = "", place: Pose2D | None = None
    ) -> None:
        action = _SKILLS[skill]
        if skill is Skill.STACK:
            await self._do(action, top=name, bottom=base)
        elif skill is Skill.PYRAMID:
            await self._do(action, object=base, others=["", name] if name else [])
        elif skill is Skill.PUT_DOWN and place is not None:
            pose = self._pose_message(place)
            await self._do(action, target=PlaceCube.Goal.AT_POSE, pose=pose)
        elif action == "place_cube":
            target = {
                Skill.PUT_DOWN: PlaceCube.Goal.HERE,
                Skill.PUT_ON: PlaceCube.Goal.ON,
                Skill.PUT_BESIDE: PlaceCube.Goal.BESIDE,
            }[skill]
            await self._do(action, target=target, object=base)
        else:
            await self._do(action, object=name)

    def _pose_message(self, pose: Pose2D) -> PoseStamped:
        return stamped_pose_message(pose, _ANY_TIME, self.ros_senses.odom_frame)

    async def go_home(self) -> None:
        await self._do("dock_charger")

    async def move_head(self, angle: float, speed: float = 10.0) -> None:
        await self._do("move_head", angle=float(angle), speed=float(speed))

    async def move_lift(self, height: float) -> None:
        await self._do("move_lift", height=float(height))

    async def calibrate(self, *, head: bool = True, lift: bool = True) -> None:
        """See ``Body``; the driver calibrates both, and to the end once it has begun."""
        request = Trigger.Request()
        answer = await self._call(
            self._calibration, "calibrate_motors", request, _CALIBRATED_WITHIN
        )
        if not answer.success:
            raise RobotError(Reason.ROBOT_ERROR, answer.message)

    async def say(self, text: str) -> None:
        await self._do("say", text=text)

    async def enroll(self, name: str, timeout: float) -> int:
        request, limit = EnrollFace.Request(name=name, timeout=timeout), timeout + QUERY_TIMEOUT
        try:
            answer = await self._call(self._enrollment, "enroll_face", request, limit)
        except asyncio.CancelledError:
            # Nobody is learnt whom nobody asks for any more.
            self._ending = asyncio.ensure_future(self._end_enrollment())
            raise
        if not answer.success:
            raise RobotError(Reason(answer.reason), answer.message)
        return int(answer.face_id)

    async def _end_enrollment(self) -> None:
        client, request = self._enrollment_end, Trigger.Request()
        with contextlib.suppress(RobotError):
            await self._call(client, "cancel_enrollment", request, QUERY_TIMEOUT)

    async def sing(self, song: str = "", *, is_body_still: bool = False) -> None:
        excluded = Sing.Goal.TRACK_BODY if is_body_still else 0
        await self._do("sing", song=song, excluded_tracks=excluded)

    def show_expression(self, name: str) -> None:
        self._show_expression(name)

    def release(self) -> None:
        self._lights.release()
        self.ros_senses.release()
        for factory_id in tuple(self._streaming):
            self.stream_acceleration(factory_id, False)
        self.show_expression("")
        self.show_picture(None)

    async def _do(self, action: str, **fields: Any) -> None:
        await self._goals[action].do(**fields)

    async def _call(self, client: Any, name: str, request: Any, timeout: float) -> Any:
        if not client.service_is_ready():
            raise unavailable(name)
        return await call(self._context, client, request, name, timeout=timeout)

    def _show_backpack(self, lights: BackpackLights | None) -> None:
        self._backpack.publish(backpack_message(lights))

    def _show_cube(self, factory_id: int, lights: CubeLights | None) -> None:
        self._cube_lights.publish(cube_lights_message(lights, factory_id))
