"""The acts beside a running driver: through the graph, with the personality's games and tricks."""

from __future__ import annotations

import asyncio
import functools
import math
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import Field
from sensor_msgs.msg import CompressedImage

from cozmo_interfaces.action import GoToPose, PlayAnimation
from cozmo_interfaces.msg import Expression
from cozmo_interfaces.srv import ListAnimations

from ..face import find
from ..protocol import UpAxis
from ..robot import (
    PATH_TURN_SPEED,
    TURN_SPEED,
    BackpackLights,
    CubeKind,
    Pose2D,
    Reason,
    Refused,
    RobotError,
    uniform_lights,
)
from ..ros.context import NodeContext, to_time
from ..ros.cube_messages import backpack_message, cube_lights_message
from ..ros.geometry import plane_pose, seconds, stamped_pose_message
from ..ros.rclpy_compat import LatestMessage
from .act_rules import light_of, moves, names_with, now_at
from .acts import PICTURE_TIMEOUT, Acts
from .data import Game, Happening, Limits, Picture, SeenCube, Status, Thing, Trick
from .ros_graph import AssistantGraph, score_of

_Own = TypeVar("_Own", bound=Callable[..., Any])
_NAME = Field(max_length=64)
_UNDOCK_SPEED = 0.1


def _as(act: Callable[..., Any]) -> Callable[[_Own], _Own]:
    """Give a method the arguments and the words of an act that needs no ROS."""

    def named(own: _Own) -> _Own:
        functools.update_wrapper(own, act)
        return own

    return named


class RosActs:
    """The acts on a robot that a driver has on the graph. In the loop of the context."""

    def __init__(self, context: NodeContext, limits: Limits) -> None:
        self.limits = limits
        self.under_way = ""
        self._context, self._graph = context, AssistantGraph(context)

    def on_event(self, callback: Callable[[Happening], object]) -> None:
        """Call with what happens to robot and cubes."""
        self._graph.on_event = callback

    # -- reading

    @_as(Acts.where_am_i)
    async def where_am_i(self) -> Status:
        graph = self._graph
        status, pose = graph.status(), graph.pose()
        level = graph.battery_level()
        return Status(
            x=round(pose.x, 3),
            y=round(pose.y, 3),
            heading=round(math.degrees(pose.yaw), 1),
            posture=graph.posture(),
            is_moving=status.is_moving,
            is_on_charger=status.is_on_charger,
            is_cliff_ahead=status.is_cliff_detected,
            head_angle=round(math.degrees(status.head_angle), 1),
            lift_height=round(status.lift_height, 3),
            battery_voltage=round(status.battery_voltage, 2),
            battery_level=None if math.isnan(level) else round(level, 2),
            charge="charging" if status.is_charging else "discharging",
            is_motion_allowed=self.limits.allow_motion,
            under_way=self.under_way,
        )

    @_as(Acts.what_do_i_see)
    async def what_do_i_see(self) -> list[SeenCube]:
        self._graph.status()
        return [
            SeenCube(
                cube=int(cube.cube_id),
                is_connected=cube.is_connected,
                is_moving=cube.is_moving,
                up_axis=UpAxis(cube.up_axis).name.lower(),
                signal=int(cube.rssi_raw),
                battery_level=None
                if math.isnan(cube.battery_percentage)
                else round(cube.battery_percentage, 2),
            )
            for cube in self._graph.cubes()
            if cube.is_available and cube.cube_id != CubeKind.CHARGER
        ]

    async def where_are_things(self) -> list[Thing]:
        """List cubes, charger and other things whose place the camera has told, in the same
        places as where_am_i.
        """
        self._graph.status()
        things = []
        for known in self._graph.objects():
            pose = plane_pose(known.pose)
            things.append(
                Thing(
                    name=known.name,
                    x=round(pose.x, 3),
                    y=round(pose.y, 3),
                    heading=round(math.degrees(pose.yaw), 1),
                    is_in_sight=known.is_visible,
                )
            )
        return things

    async def look(self) -> Picture:
        """Take a picture with the camera in the head, which sees about 60 degrees from left to
        right. Tilt it with move_head. Takes about a second.
        """
        self._graph.status()
        loop, topic = asyncio.get_running_loop(), "camera/image_raw/compressed"
        pictures = LatestMessage(self._context.node, CompressedImage, topic)
        try:
            ends_at = loop.time() + PICTURE_TIMEOUT
            while (message := pictures.take()) is None:
                if loop.time() > ends_at:
                    text = f"no picture came within {PICTURE_TIMEOUT:g} s; is the camera on?"
                    raise RobotError(Reason.TIMEOUT, text)
                await asyncio.sleep(0.02)
        finally:
            pictures.close()
        age = self._context.ros_now() * 1e-9 - seconds(message.header.stamp)
        head = math.degrees(self._graph.status().head_angle)
        return Picture(bytes(message.data), round(head, 1), round(max(0.0, age), 2))

    @_as(Acts.find_clips)
    async def find_clips(self, search: str) -> str:
        kind = ListAnimations.Request.ANY
        answer = await self._graph.call("list_animations", kind=kind)
        every = (*answer.triggers, *answer.groups, *answer.clips)
        return names_with(search, every)

    async def list_games(self) -> list[Game]:
        """List the games for play_game, and what each of them lacks now."""
        found = (await self._graph.call("list_games")).games
        return [Game.model_validate(one, from_attributes=True) for one in found]

    async def list_tricks(self) -> list[Trick]:
        """List the tricks for do_trick, and what each of them lacks now."""
        found = (await self._graph.call("list_tricks")).tricks
        return [Trick.model_validate(one, from_attributes=True) for one in found]

    @_as(Acts.list_songs)
    async def list_songs(self) -> str:
        return "\n".join((await self._graph.call("list_songs", filter="")).names)

    async def how_stands_the_game(self) -> str:
        """Tell what the robot asks people to play, and how the game that it plays stands."""
        return self._graph.game()

    # -- moving

    @_as(Acts.drive)
    @moves
    async def drive(self, distance: float, speed: float) -> str:
        self.limits.check_distance(abs(distance))
        fields = {"distance": distance, "speed": self.limits.limited(speed)}
        result = await self._graph.do("drive_distance", **fields)
        return f"drove {result.distance_traveled:.3f} m; {self._place()}"

    @_as(Acts.turn)
    @moves
    async def turn(self, degrees: float) -> str:
        speed = min(TURN_SPEED, self.limits.drive_limits.yaw_rate)
        fields = {"angle": math.radians(degrees), "angular_speed": speed}
        result = await self._graph.do("turn_in_place", **fields)
        return f"turned {math.degrees(result.angle_turned):.1f} degrees; {self._place()}"

    @_as(Acts.go_to)
    @moves
    async def go_to(self, x: float, y: float, heading: float | None, speed: float) -> str:
        pose = self._graph.pose()
        self.limits.check_distance(math.hypot(x - pose.x, y - pose.y))
        goal = Pose2D(x, y, math.radians(heading or 0.0))
        there = stamped_pose_message(goal, to_time(0), self._graph.odom_frame)
        fields = GoToPose.Goal(
            pose=there,
            is_heading_ignored=heading is None,
            speed=self.limits.limited(speed),
            angular_speed=min(PATH_TURN_SPEED, self.limits.drive_limits.yaw_rate),
        )
        await self._graph.send("go_to_pose", fields)
        return f"arrived; {self._place()}"

    @_as(Acts.undock)
    @moves
    async def undock(self) -> str:
        await self._graph.do("undock", speed=self.limits.limited(_UNDOCK_SPEED))
        return f"off the charger; {self._place()}"

    @_as(Acts.move_head)
    @moves
    async def move_head(self, angle: float) -> str:
        await self._graph.do("move_head", angle=math.radians(angle))
        return f"the head is at {math.degrees(self._graph.status().head_angle):.1f} degrees"

    @_as(Acts.move_lift)
    @moves
    async def move_lift(self, height: float) -> str:
        await self._graph.do("move_lift", height=height)
        return f"the lift is {self._graph.status().lift_height:.3f} m above ground"

    @_as(Acts.play_clip)
    @moves
    async def play_clip(self, name: str, loops: int) -> str:
        await self._graph.send("play_animation", PlayAnimation.Goal(name=name, loop_count=loops))
        return f"played {name}"

    @_as(Acts.sing)
    @moves
    async def sing(self, song: str) -> str:
        if "/" in song:
            raise Refused(Reason.INVALID, f"there is no song {song!r}; see list_songs")
        return str((await self._graph.do("sing", song=song)).message)

    @_as(Acts.dance)
    @moves
    async def dance(self, bpm: float, duration: float) -> str:
        return str((await self._graph.do("dance", bpm=bpm, duration=duration)).message)

    @moves
    async def play_game(
        self,
        game: Annotated[str, _NAME],
        level: Annotated[int, Field(ge=1, le=9, description="how well the robot plays")] = 1,
        rounds: Annotated[
            int, Field(ge=0, le=99, description="best of so many, odd; 0 as usual")
        ] = 0,
        players: Annotated[int, Field(ge=1, le=2, description="people who play")] = 1,
        is_solo: Annotated[bool, Field(description="the person alone")] = False,
    ) -> str:
        """Play a game of list_games with a person, who taps light cubes. Takes minutes; meanwhile
        how_stands_the_game tells the points.
        """
        fields = {"level": level, "rounds": rounds, "players": players, "is_solo": is_solo}
        result = await self._graph.do("play_game", game=game, **fields)
        return f"{result.message}: {score_of(result, 'rounds', players > 1)}"

    @moves
    async def do_trick(
        self,
        trick: Annotated[str, _NAME],
        thing: Annotated[
            str,
            Field(max_length=64, description="with which of where_are_things; empty the nearest"),
        ] = "",
    ) -> str:
        """Do a trick of list_tricks."""
        return str((await self._graph.do("do_trick", trick=trick, object=thing)).message)

    # -- showing and speaking

    @_as(Acts.say)
    async def say(self, text: str) -> str:
        result = await self._graph.do("say", text=text)
        return f"said it in {result.position:.1f} s"

    @_as(Acts.express)
    async def express(self, name: str) -> str:
        find(name)
        self._graph.publish(Expression(name=name, blend_time=0.3), "face/expression")
        return f"the face shows {name}"

    @_as(Acts.light_backpack)
    async def light_backpack(self, color: str, blink: bool) -> str:
        lights = None
        if color != "off":
            light = light_of(color, blink)
            lights = BackpackLights(front=light, middle=light, rear=light)
        self._graph.publish(backpack_message(lights), "backpack_lights")
        return f"the lights are {color}"

    @_as(Acts.light_cube)
    async def light_cube(self, cube: int, color: str, blink: bool) -> str:
        found = next((one for one in self._graph.cubes() if one.cube_id == cube), None)
        if found is None:
            raise RobotError(Reason.NOT_FOUND, f"cube {cube} is not heard")
        lights = None if color == "off" else uniform_lights(light_of(color, blink))
        self._graph.publish(cube_lights_message(lights, found.factory_id), "cube_lights")
        return f"cube {cube}: {color}{'' if found.is_connected else ', as soon as it is connected'}"

    # -- always

    @_as(Acts.stop)
    async def stop(self) -> str:
        await self._graph.cancel_everything()
        return "stopped"

    def halt(self) -> None:
        """End what the assistant began, and everything that moves, plays or speaks."""
        self._graph.halt()

    async def settle(self) -> None:
        """Wait a moment for what was halted."""
        await self._graph.settle()

    # -- inside

    def _place(self) -> str:
        pose = self._graph.pose()
        return now_at(pose)
