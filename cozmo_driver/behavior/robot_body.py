"""The body of a robot over UDP, for programs without ROS: what the node does over the graph."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
from typing import Any

from ..animation import Player
from ..manipulation import (
    ChargerMemory,
    DriveStyle,
    Manipulator,
    align,
    build_pyramid,
    dock_charger,
    find_object,
    follow_object,
    go_to_object,
    go_to_pose,
    knock_over,
    pick_up_cube,
    place_at,
    place_beside,
    place_here,
    place_on,
    pop_a_wheelie,
    roll_cube,
    stack_cubes,
)
from ..media import DisplayImage
from ..music import Performer, find_song
from ..protocol import AnimTrackFlag as Track
from ..protocol import ConnectionLost, NotConnected, SendQueueFull
from ..robot import (
    DRIVE_CENTER,
    BackpackLights,
    Cube,
    CubeAcceleration,
    CubeEvent,
    CubeLights,
    Phase,
    Pose2D,
    Reason,
    Robot,
    RobotError,
)
from .body import NOWHERE, EventLog, PatternLights, Senses, Skill
from .robot_sight import RobotSight
from .sight import Sight

_LINK_ERRORS = (ConnectionLost, NotConnected, SendQueueFull)
_SONG = "william_tell"


class RobotBody:
    """A ``Body`` over ``robot.Robot`` and ``animation.Player``.

    With a manipulator it sees objects and handles them; with a memory of the charger it goes home.
    """

    def __init__(
        self,
        robot: Robot,
        player: Player,
        manipulator: Manipulator | None = None,
        charger: ChargerMemory | None = None,
    ) -> None:
        self._robot, self._player = robot, player
        self._performer = Performer(robot, player)
        self._manipulator, self._charger = manipulator, charger
        self.robot_sight = RobotSight(manipulator)
        self.watch = self.robot_sight.watch
        self.events = EventLog()
        self._lights = PatternLights(player.library, self._show_backpack, self._show_cube)
        self.light_backpack, self.light_cube = self._lights.light_backpack, self._lights.light_cube
        self._felt: dict[int, float] = {}
        self._streaming: set[int] = set()
        self._shows_picture = False
        self._disconnect = [
            robot.on_event.connect(self.events.add),
            robot.cubes.on_event.connect(self._on_cube_event),
            robot.cubes.on_acceleration.connect(self._on_acceleration),
        ]

    def close(self) -> None:
        self.release()
        for disconnect in self._disconnect:
            disconnect()

    # -- senses

    @property
    def senses(self) -> Senses:
        robot, state, status = self._robot, self._robot.state, self._robot.status
        if state is None or status is None:
            return NOWHERE
        a, battery = state.acceleration, robot.battery
        voltage = math.nan if battery is None else battery.filtered_voltage
        return Senses(
            time=asyncio.get_running_loop().time(),
            is_connected=robot.session_state.phase is Phase.CONNECTED,
            off_treads=state.off_treads,
            is_picked_up=state.is_picked_up,
            is_on_charger=state.is_on_charger,
            is_charging=state.is_charging,
            is_cliff=status.is_cliff_detected,
            cliff_raw=state.cliff_raw[0],
            pitch=state.pitch,
            head_angle=state.head_angle,
            lift_angle=state.lift_angle,
            acceleration=math.hypot(a.x, a.y, a.z),
            battery_voltage=state.battery_voltage if math.isnan(voltage) else voltage,
            is_settled=not robot.session.calibration.is_running,
            is_emergency_stopped=status.is_emergency_stopped,
            is_moving=state.is_moving,
            is_carrying=state.is_carrying_cube,
            pose=Pose2D() if robot.odometry is None else robot.localization.drive_center,
        )

    @property
    def cubes(self) -> tuple[Cube, ...]:
        return self._robot.cubes.all

    @property
    def sight(self) -> Sight:
        return self.robot_sight.now

    def has_clip(self, trigger: str) -> bool:
        library = self._player.library
        return library.triggers.get(trigger) in library.groups

    def cube_acceleration(self, factory_id: int) -> float:
        return self._felt.get(factory_id, math.nan)

    # -- what manipulation does

    @property
    def can_go_home(self) -> bool:
        return self._manipulator is not None and self._charger is not None

    async def go_home(self) -> None:
        if self._manipulator is None or self._charger is None:
            raise RobotError(Reason.UNSUPPORTED, "nobody knows the charger")
        await _done(dock_charger(self._manipulator, self._charger))

    def can_use(self, skill: Skill) -> bool:
        return self._manipulator is not None

    async def use(
        self, skill: Skill, name: str = "", base: str = "", place: Pose2D | None = None
    ) -> None:
        robot = self._manipulator
        if robot is None:
            raise RobotError(Reason.UNSUPPORTED, "nobody handles objects")
        doing: dict[Skill, Callable[[], Awaitable[Any]]] = {
            Skill.GO_TO: lambda: go_to_object(robot, name),
            Skill.ALIGN: lambda: align(robot, name),
            Skill.PICK_UP: lambda: pick_up_cube(robot, name),
            Skill.PUT_DOWN: lambda: place_here(robot) if place is None else place_at(robot, place),
            Skill.PUT_ON: lambda: place_on(robot, base),
            Skill.PUT_BESIDE: lambda: place_beside(robot, base),
            Skill.ROLL: lambda: roll_cube(robot, name),
            Skill.STACK: lambda: stack_cubes(robot, name, base),
            Skill.WHEELIE: lambda: pop_a_wheelie(robot, name),
            Skill.KNOCK_OVER: lambda: knock_over(robot, name),
            Skill.PYRAMID: lambda: build_pyramid(robot, top=name, base=base),
            Skill.FIND: lambda: find_object(robot, name),
            Skill.FOLLOW: lambda: follow_object(robot, name),
        }
        await _done(doing[skill]())

    # -- actions

    async def play(
        self, trigger: str, *, is_body_still: bool = False, is_silent: bool = False
    ) -> None:
        excluded = Track.BODY if is_body_still else Track(0)
        excluded |= Track.AUDIO if is_silent else Track(0)
        excluded |= Track.LIFT if self.senses.is_carrying else Track(0)
        await _done(self._player.play(trigger, excluded_tracks=excluded))

    async def drive_distance(self, distance: float, speed: float = 0.0) -> None:
        await _done(self._robot.maneuvers.drive_distance(distance, speed=speed))

    async def turn(self, angle: float, speed: float = 2.0) -> None:
        await _done(self._robot.turns.turn(angle, speed=speed))

    async def go_to(self, goal: Pose2D, *, avoids: bool = False) -> None:
        if avoids and self._manipulator is not None:
            await _done(go_to_pose(self._manipulator, goal, DriveStyle()))
        else:
            await _done(self._robot.maneuvers.go_to_pose(goal, point=DRIVE_CENTER))

    async def undock(self, extra: float) -> None:
        await _done(self._robot.maneuvers.undock(extra_distance=extra))

    async def move_head(self, angle: float, speed: float = 10.0) -> None:
        await _done(self._robot.joints.move_head(angle, speed=speed))

    async def move_lift(self, height: float) -> None:
        await _done(self._robot.joints.move_lift(height))

    async def calibrate(self, *, head: bool = True, lift: bool = True) -> None:
        await _done(self._robot.motion.calibrate(head=head, lift=lift))

    async def say(self, text: str) -> None:
        raise RobotError(Reason.UNSUPPORTED, "a program speaks by the robot's speech itself")

    async def enroll(self, name: str, timeout: float) -> int:
        raise RobotError(Reason.UNSUPPORTED, "a program enrols by perception's tracker itself")

    async def sing(self, song: str = "", *, is_body_still: bool = False) -> None:
        excluded = Track.BODY if is_body_still else Track(0)
        await _done(self._performer.sing(find_song(song or _SONG), excluded=excluded))

    def show_expression(self, name: str) -> None:
        """Show nothing: whoever draws the face in a program decides."""

    def show_picture(self, picture: DisplayImage | None) -> None:
        """See ``Body``; given back, the face is dark until the program draws it again."""
        self._shows_picture = picture is not None
        with contextlib.suppress(*_LINK_ERRORS):
            if picture is None:
                self._robot.display.clear()
            else:
                self._robot.display.show(picture.astype(bool))

    def stream_acceleration(self, factory_id: int, on: bool) -> None:
        (self._streaming.add if on else self._streaming.discard)(factory_id)
        with contextlib.suppress(RobotError, *_LINK_ERRORS):
            self._robot.cubes.stream_acceleration(on, factory_id=factory_id)

    def release(self) -> None:
        self._lights.release()
        self.robot_sight.release()
        if self._shows_picture:
            self.show_picture(None)
        for factory_id in tuple(self._streaming):
            self.stream_acceleration(factory_id, False)

    def _show_backpack(self, lights: BackpackLights | None) -> None:
        backpack = self._robot.backpack
        with contextlib.suppress(*_LINK_ERRORS):
            backpack.set(lights) if lights else backpack.release()

    def _show_cube(self, factory_id: int, lights: CubeLights | None) -> None:
        cubes = self._robot.cubes
        with contextlib.suppress(RobotError, *_LINK_ERRORS):
            if lights is None:
                cubes.release_lights(factory_id=factory_id)
            else:
                cubes.set_lights(lights, factory_id=factory_id)

    def _on_cube_event(self, event: CubeEvent) -> None:
        self.events.add(event, asyncio.get_running_loop().time())

    def _on_acceleration(self, felt: CubeAcceleration) -> None:
        a = felt.acceleration
        self._felt[felt.factory_id] = math.hypot(a.x, a.y, a.z)


async def _done(doing: Awaitable[Any]) -> None:
    """Carry out an action of the robot; what ends it early is a ``RobotError``."""
    try:
        await doing
    except _LINK_ERRORS as error:
        raise RobotError(Reason.LINK_LOST, str(error)) from error
