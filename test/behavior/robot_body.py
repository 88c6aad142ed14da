"""The body of a robot over UDP: what the behaviour node does over ROS."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable

from cozmo_driver.animation import Player
from cozmo_driver.animation.speech import Speech
from cozmo_driver.behavior.body import NOWHERE, EventLog, PatternLights, Senses
from cozmo_driver.protocol import ConnectionLost, NotConnected, SendQueueFull
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.robot import (
    BackpackLights,
    Cube,
    CubeAcceleration,
    CubeLights,
    Phase,
    Pose2D,
    Reason,
    Robot,
    RobotError,
)

_LINK_ERRORS = (ConnectionLost, NotConnected, SendQueueFull)


class RobotBody:
    """A ``Body`` over ``robot.Robot`` and ``animation.Player``. Use in the robot's loop."""

    def __init__(
        self,
        robot: Robot,
        player: Player,
        speech: Speech | None = None,
        show_expression: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Act through ``robot`` and ``player``; whoever draws the face gets expressions' names."""
        self._robot, self._player = robot, player
        self._speech = speech or Speech(robot)
        self.show_expression = show_expression
        self.events = EventLog()
        self.places: dict[int, Pose2D] = {}
        """Where cubes are in the odometry frame, told by whoever sees them."""
        self._lights = PatternLights(player.library, self._show_backpack, self._show_cube)
        self.light_backpack = self._lights.light_backpack
        self.light_cube = self._lights.light_cube
        self._felt: dict[int, float] = {}
        self._streaming: set[int] = set()
        self._disconnect = [
            robot.on_event.connect(self.events.add),
            robot.cubes.on_event.connect(self.events.add),
            robot.cubes.on_acceleration.connect(self._on_acceleration),
        ]

    def close(self) -> None:
        """Give everything back, and listen to the robot no more."""
        self.release()
        for disconnect in self._disconnect:
            disconnect()

    # -- senses

    @property
    def senses(self) -> Senses:
        robot, state, status = self._robot, self._robot.state, self._robot.status
        if state is None or status is None:
            return NOWHERE
        a, odometry, battery = state.acceleration, robot.odometry, robot.battery
        voltage = math.nan if battery is None else battery.filtered_voltage
        return Senses(
            time=asyncio.get_running_loop().time(),
            is_connected=robot.session_state.phase is Phase.CONNECTED,
            off_treads=state.off_treads,
            is_picked_up=state.is_picked_up,
            is_on_charger=state.is_on_charger,
            is_charging=state.is_charging,
            is_cliff=state.is_cliff_detected,
            cliff_raw=min(state.cliff_raw, default=0),
            pitch=state.pitch,
            head_angle=state.head_angle,
            lift_angle=state.lift_angle,
            acceleration=math.hypot(a.x, a.y, a.z),
            battery_voltage=state.battery_voltage if math.isnan(voltage) else voltage,
            is_settled=not robot.session.calibration.is_running,
            is_emergency_stopped=status.is_emergency_stopped,
            is_moving=state.is_moving,
            is_carrying=state.is_carrying_cube,
            pose=Pose2D() if odometry is None else odometry.pose,
        )

    @property
    def cubes(self) -> tuple[Cube, ...]:
        return self._robot.cubes.all

    def place_of(self, factory_id: int) -> Pose2D | None:
        return self.places.get(factory_id)

    def has_clip(self, trigger: str) -> bool:
        library = self._player.library
        return library.triggers.get(trigger) in library.groups

    def cube_acceleration(self, factory_id: int) -> float:
        return self._felt.get(factory_id, math.nan)

    # -- actions

    async def play(
        self, trigger: str, *, is_body_still: bool = False, is_silent: bool = False
    ) -> None:
        excluded = Track.BODY if is_body_still else Track(0)
        if is_silent:
            excluded |= Track.AUDIO
        if self.senses.is_carrying:
            excluded |= Track.LIFT
        await _done(self._player.play(trigger, excluded_tracks=excluded))

    async def drive_distance(self, distance: float, speed: float = 0.0) -> None:
        await _done(self._robot.maneuvers.drive_distance(distance, speed=speed))

    async def turn(self, angle: float, speed: float = 2.0) -> None:
        await _done(self._robot.turns.turn(angle, speed=speed))

    async def go_to(self, goal: Pose2D) -> None:
        await _done(self._robot.maneuvers.go_to_pose(goal))

    async def undock(self, extra: float) -> None:
        await _done(self._robot.maneuvers.undock(extra_distance=extra))

    can_go_home = False

    async def go_home(self) -> None:
        raise RobotError(Reason.UNSUPPORTED, "there are no hands")

    async def move_head(self, angle: float, speed: float = 10.0) -> None:
        await _done(self._robot.joints.move_head(angle, speed=speed))

    async def move_lift(self, height: float) -> None:
        await _done(self._robot.joints.move_lift(height))

    async def calibrate(self, *, head: bool = True, lift: bool = True) -> None:
        await _done(self._robot.motion.calibrate(head=head, lift=lift))

    async def say(self, text: str) -> None:
        await _done(self._speech.say(text))

    def _show_backpack(self, lights: BackpackLights | None) -> None:
        backpack = self._robot.backpack
        with contextlib.suppress(*_LINK_ERRORS):
            if lights is None:
                backpack.release()
            else:
                backpack.set(lights)

    def _show_cube(self, factory_id: int, lights: CubeLights | None) -> None:
        cubes = self._robot.cubes
        with contextlib.suppress(RobotError, *_LINK_ERRORS):
            if lights is None:
                cubes.release_lights(factory_id=factory_id)
            else:
                cubes.set_lights(lights, factory_id=factory_id)

    def stream_acceleration(self, factory_id: int, on: bool) -> None:
        (self._streaming.add if on else self._streaming.discard)(factory_id)
        if not on:
            self._felt.pop(factory_id, None)
        with contextlib.suppress(RobotError, *_LINK_ERRORS):
            self._robot.cubes.stream_acceleration(on, factory_id=factory_id)

    def release(self) -> None:
        self._lights.release()
        for factory_id in tuple(self._streaming):
            self.stream_acceleration(factory_id, False)
        self.show_expression("")

    def _on_acceleration(self, felt: CubeAcceleration) -> None:
        a = felt.acceleration
        self._felt[felt.factory_id] = math.hypot(a.x, a.y, a.z)


async def _done(action: Awaitable[object]) -> None:
    """Await an action of the robot; what ends it early is an ``RobotError``."""
    try:
        await action
    except RobotError as error:
        raise RobotError(error.reason, str(error)) from error
    except _LINK_ERRORS as error:
        raise RobotError(Reason.LINK_LOST, str(error)) from error
    except (ValueError, LookupError, OSError, RuntimeError) as error:
        raise RobotError(Reason.INVALID, str(error)) from error
