"""What an assistant may let the robot do: whole acts, each within limits and ended by ``stop``.

The public methods of ``Acts`` are the tools, and their docstrings what an assistant reads of them.
"""

from __future__ import annotations

import asyncio
import io
import math
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Annotated

import numpy as np
from PIL import Image as Pillow
from pydantic import Field

from ..animation import Assets, Player, Speech
from ..face import EXPRESSIONS, FaceEngine
from ..link import with_timeout
from ..music import Performer, SongError, find_song, songs_by_name
from ..robot import (
    MAX_HEAD_ANGLE,
    MAX_LIFT_HEIGHT,
    MIN_HEAD_ANGLE,
    MIN_LIFT_HEIGHT,
    PATH_TURN_SPEED,
    TURN_SPEED,
    BackpackLights,
    CubeEvent,
    CubeKind,
    Image,
    Pose2D,
    Reason,
    Refused,
    Robot,
    RobotError,
    RobotEvent,
    RobotState,
    uniform_lights,
)
from .act_rules import light_of, moves, names_with, now_at
from .data import Happening, Limits, Picture, SeenCube, Status

PICTURE_TIMEOUT = 10.0
_SETTLED = 8
"""Pictures that automatic exposure left alone: it measures every 5th, which takes a moment."""
_TORN = 1.5
"""s from the first picture on: torn are those of 2.5 s; the driver leaves out the first one."""
_BLEND, _FRAME = 0.3, 1 / 30
"""s: of an expression into the next one, between two pictures."""

_Color = Annotated[str, Field(description="a CSS name, #rrggbb or 'off'", max_length=32)]
_Blinks = Annotated[bool, Field(description="whether they blink once a second")]
_Degrees = Annotated[float, Field(ge=-720, le=720, description="degrees, positive to the left")]
_Meters = Annotated[float, Field(ge=-100, le=100, description="m, as where_am_i tells it")]
_Speed = Annotated[float, Field(gt=0, le=1, description="m/s; never faster than it may")]


class Acts:
    """The acts on one robot. Make and use it in the robot's loop, with ``animate_face`` beside."""

    def __init__(self, robot: Robot, limits: Limits, assets: Assets) -> None:
        self.limits = limits
        self.under_way = ""
        """Name of the act that moves the robot, empty for none."""
        self._robot = robot
        self._player = Player(robot, assets.library, assets.sounds)
        self._speech = Speech(robot)
        self._performer = Performer(robot, self._player)
        self._looking = asyncio.Lock()
        self._face = FaceEngine(Random(), now=asyncio.get_running_loop().time())
        self._has_expression = asyncio.Event()

    def on_event(self, callback: Callable[[Happening], object]) -> None:
        """Call with what happens to robot and cubes."""

        def report(event: RobotEvent | CubeEvent) -> None:
            text = event.text if isinstance(event, CubeEvent) else event.description
            callback(Happening(event.time, event.type.name.lower(), text))

        self._robot.on_event.connect(report)
        self._robot.cubes.on_event.connect(report)

    # -- reading

    async def where_am_i(self) -> Status:
        """Tell where the robot is and how it is: its place and heading, how it stands or lies,
        charger, battery, head, lift, and the tool that moves it.
        """
        state, battery, pose = self._state(), self._robot.battery, self._robot.localization.pose
        assert battery is not None
        return Status(
            x=round(pose.x, 3),
            y=round(pose.y, 3),
            heading=round(math.degrees(pose.yaw), 1),
            posture=state.off_treads.name.lower().replace("_", " "),
            is_moving=state.is_moving,
            is_on_charger=state.is_on_charger,
            is_cliff_ahead=self._robot.cliff.is_detected,
            head_angle=round(math.degrees(state.head_angle), 1),
            lift_height=round(state.lift_height, 3),
            battery_voltage=round(battery.voltage, 2),
            battery_level=_known(battery.level),
            charge=battery.charge.value,
            is_motion_allowed=self.limits.allow_motion,
            under_way=self.under_way,
        )

    async def what_do_i_see(self) -> list[SeenCube]:
        """List the light cubes that the robot hears by radio, and how each lies. Where they are is
        not known: to see what is in front of the camera use look.
        """
        self._state()
        return [
            SeenCube(
                cube=int(cube.kind),
                is_connected=cube.is_connected,
                is_moving=cube.is_moving,
                up_axis=cube.up_axis.name.lower(),
                signal=cube.rssi,
                battery_level=_known(cube.battery_level),
            )
            for cube in self._robot.cubes.all
            if cube.is_available and cube.kind is not CubeKind.CHARGER
        ]

    async def look(
        self, color: Annotated[bool, Field(description="in colour, but less sharp")] = False
    ) -> Picture:
        """Take a picture with the camera in the head, which sees about 60 degrees from left to
        right. Tilt it with move_head. Takes about three seconds, up to ten in light that is new
        to it.
        """
        self._state()
        robot, control = self._robot, self._robot.camera.exposure_control
        taken: list[tuple[Image, float]] = []
        exposure, images, first = control.current, 0, math.inf

        def is_exposed(image: Image) -> bool:
            nonlocal exposure, images, first
            first = min(first, image.time)
            images = images + 1 if control.current == exposure else 1
            exposure = control.current
            if image.is_color is not color or image.is_blurred:
                return False
            taken.append((image, self._state().head_angle))
            return images >= _SETTLED and image.time >= first + _TORN

        async with self._looking:
            try:
                robot.camera.set_color(color)
                robot.camera.enable(True)
                with suppress(TimeoutError):
                    await with_timeout(PICTURE_TIMEOUT, robot.on_image.next(is_exposed))
            finally:
                robot.camera.enable(False)
        if not taken:
            text = f"no sharp picture came within {PICTURE_TIMEOUT:g} s; does the head move?"
            raise RobotError(Reason.TIMEOUT, text)
        image, head_angle = taken[-1]
        age = asyncio.get_running_loop().time() - image.time
        return Picture(_jpeg(image), round(math.degrees(head_angle), 1), round(age, 2))

    async def find_clips(
        self,
        search: Annotated[str, Field(description="part of a name, in any case", max_length=64)],
    ) -> str:
        """Search the names of animations for play_clip. Some stand for several, of which one is
        drawn each time.
        """
        names = self._player.selection.names()
        every = (*names.triggers, *names.groups, *names.clips)
        return names_with(search, every)

    async def list_songs(self) -> str:
        """List the songs that sing knows."""
        return "\n".join(songs_by_name())

    # -- moving

    @moves
    async def drive(
        self,
        distance: Annotated[float, Field(ge=-100, le=100, description="m, negative is backwards")],
        speed: _Speed = 0.05,
    ) -> str:
        """Drive straight. The robot stops by itself at edges and obstacles, and says so."""
        self.limits.check_distance(abs(distance))
        driven = await self._robot.maneuvers.drive_distance(
            distance, speed=self.limits.limited(speed)
        )
        return f"drove {driven:.3f} m; {self._place()}"

    @moves
    async def turn(self, degrees: _Degrees) -> str:
        """Turn in place."""
        turned = await self._robot.turns.turn(math.radians(degrees), speed=TURN_SPEED)
        return f"turned {math.degrees(turned):.1f} degrees; {self._place()}"

    @moves
    async def go_to(
        self, x: _Meters, y: _Meters, heading: _Degrees | None = None, speed: _Speed = 0.05
    ) -> str:
        """Turn to a place, drive straight there and turn to the heading, if one is given."""
        pose = self._robot.localization.pose
        self.limits.check_distance(math.hypot(x - pose.x, y - pose.y))
        await self._robot.maneuvers.go_to_pose(
            Pose2D(x, y, math.radians(heading or 0.0)),
            speed=self.limits.limited(speed),
            turn_speed=min(PATH_TURN_SPEED, self.limits.drive_limits.yaw_rate),
            is_heading_ignored=heading is None,
        )
        return f"arrived; {self._place()}"

    @moves
    async def undock(self) -> str:
        """Drive off the charger, straight ahead by 16 cm."""
        if not self._robot.maneuvers.charger.is_on_platform:
            raise Refused(Reason.OFF_CHARGER, "the robot does not stand on its charger")
        driven = await self._robot.maneuvers.undock()
        return f"drove {driven:.3f} m off the charger; {self._place()}"

    @moves
    async def move_head(
        self,
        angle: Annotated[
            float,
            Field(
                ge=math.ceil(math.degrees(MIN_HEAD_ANGLE)),
                le=math.floor(math.degrees(MAX_HEAD_ANGLE)),
                description="degrees, up positive",
            ),
        ],
    ) -> str:
        """Tilt the head, and with it the camera."""
        reached = await self._robot.joints.move_head(math.radians(angle))
        return f"the head is at {math.degrees(reached):.1f} degrees"

    @moves
    async def move_lift(
        self,
        height: Annotated[
            float, Field(ge=MIN_LIFT_HEIGHT, le=MAX_LIFT_HEIGHT, description="m above ground")
        ],
    ) -> str:
        """Raise or lower the lift in front of the robot."""
        reached = await self._robot.joints.move_lift(height)
        return f"the lift is {reached:.3f} m above ground"

    @moves
    async def play_clip(
        self,
        name: Annotated[str, Field(description="one that find_clips lists", max_length=128)],
        loops: Annotated[int, Field(ge=1, le=5, description="how often")] = 1,
    ) -> str:
        """Play an animation: movements of body, head and lift, face, sound and lights together."""
        played = await self._player.play(name, loops=loops)
        left_out = "".join(f"; {what} left out: {why}" for what, why in played.left_out.items())
        return f"played {played.clip}{left_out}"

    @moves
    async def sing(
        self,
        song: Annotated[str, Field(max_length=64, description="one that list_songs lists")],
    ) -> str:
        """Sing a song, with movements, face and lights on its beat."""
        if "/" in song:
            raise Refused(Reason.INVALID, f"there is no song {song!r}; see list_songs")
        try:
            sung = await self._performer.sing(find_song(song))
        except SongError as error:
            raise RobotError(Reason.NOT_FOUND, str(error)) from error
        return f"sang {sung.name} in {sung.position:.1f} s"

    @moves
    async def dance(
        self,
        bpm: Annotated[float, Field(ge=30, le=300, description="beats per minute")] = 120.0,
        duration: Annotated[float, Field(gt=0, le=120, description="s, to dance")] = 10.0,
    ) -> str:
        """Dance without sound, for music that plays elsewhere."""
        danced = await self._performer.dance(None, bpm=bpm, duration=duration)
        return f"danced {danced.position:.1f} s"

    # -- showing and speaking

    async def say(
        self,
        text: Annotated[str, Field(min_length=1, max_length=500, description="what is said")],
    ) -> str:
        """Say a text aloud; returns when it has been said."""
        self._state()
        said = await self._speech.say(text)
        return f"said it in {said.duration:.1f} s"

    async def express(
        self,
        name: Annotated[
            str,
            Field(
                description="the expression",
                json_schema_extra={"enum": [one.name for one in EXPRESSIONS]},
            ),
        ],
    ) -> str:
        """Show an expression on the face until the next one; its eyes blink and look about."""
        self._state()
        self._face.show(name, asyncio.get_running_loop().time(), _BLEND)
        self._has_expression.set()
        return f"the face shows {name}"

    async def light_backpack(self, color: _Color, blink: _Blinks = False) -> str:
        """Set the three lights on the robot's back; 'off' lets them show the battery again."""
        self._state()
        if color == "off":
            self._robot.backpack.release()
            return "the lights show the battery again"
        light = light_of(color, blink)
        self._robot.backpack.set(BackpackLights(front=light, middle=light, rear=light))
        return f"the lights are {color}"

    async def light_cube(
        self,
        cube: Annotated[int, Field(ge=1, le=3, description="the cube's number")],
        color: _Color,
        blink: _Blinks = False,
    ) -> str:
        """Set the four lights of a light cube; 'off' ends that."""
        self._state()
        cubes, kind = self._robot.cubes, CubeKind(cube)
        if color == "off":
            is_connected = cubes.release_lights(kind)
        else:
            is_connected = cubes.set_lights(uniform_lights(light_of(color, blink)), kind)
        return f"cube {cube}: {color}{'' if is_connected else ', as soon as it is connected'}"

    # -- always

    async def stop(self) -> str:
        """Stop everything at once: what moves, plays or speaks, whoever began it. Always works."""
        self.halt()
        return "stopped"

    def halt(self) -> None:
        """Stop what moves, plays or speaks."""
        self._robot.motion.stop()
        self._player.stop()
        self._speech.stop()

    async def animate_face(self) -> None:
        """Show the face and keep its eyes alive, for ever, once there is an expression."""
        await self._has_expression.wait()
        shown = None
        while True:
            now = asyncio.get_running_loop().time()
            picture = self._face.picture_at(now)
            if shown is None or not np.array_equal(picture, shown):
                self._robot.display.show(picture)
                shown = picture
            rest = self._face.next_change(now) - now
            await asyncio.sleep(max(_FRAME, min(rest, _BLEND)))

    # -- inside

    def _state(self) -> RobotState:
        state = self._robot.state
        if state is None or not self._robot.session.is_ready:
            text = f"no robot is ready: {self._robot.session_state.text}"
            raise RobotError(Reason.NOT_CONNECTED, text)
        return state

    def _place(self) -> str:
        pose = self._robot.localization.pose
        return now_at(pose)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 2)


def _jpeg(image: Image) -> bytes:
    """Return the file; a colour picture, of half the width, is stretched. Raises ``ValueError``."""
    if not image.is_color:
        return image.jpeg
    file = io.BytesIO()
    Pillow.fromarray(image.pixels()).save(file, "JPEG", quality=90)
    return file.getvalue()
