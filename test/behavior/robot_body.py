"""The body of a robot over UDP: what the behaviour node does over ROS."""

from __future__ import annotations

import asyncio
import contextlib
import math

from cozmo_driver.behavior.body import NOWHERE, EventLog, PatternLights, Senses
from cozmo_driver.music import Performer, find_song
from cozmo_driver.protocol import ConnectionLost, NotConnected, SendQueueFull
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.robot import Phase, Pose2D, Reason, RobotError

_LINK_ERRORS = (ConnectionLost, NotConnected, SendQueueFull)


class RobotBody:
    """A ``Body`` over ``robot.Robot`` and ``animation.Player``, which knows no place of a cube."""

    can_go_home = False

    def __init__(self, robot, player):
        self._robot, self._player = robot, player
        self.events = EventLog()
        self._lights = PatternLights(player.library, self._show_backpack, self._show_cube)
        self.light_backpack, self.light_cube = self._lights.light_backpack, self._lights.light_cube
        self._felt, self._streaming = {}, set()
        self._disconnect = [
            robot.on_event.connect(self.events.add),
            robot.cubes.on_event.connect(self._on_cube_event),
            robot.cubes.on_acceleration.connect(self._on_acceleration),
        ]

    def close(self):
        self.release()
        for disconnect in self._disconnect:
            disconnect()

    @property
    def senses(self):
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
    def cubes(self):
        return self._robot.cubes.all

    def can_use(self, skill):
        return False

    def place_of(self, factory_id):
        return None

    def has_clip(self, trigger):
        library = self._player.library
        return library.triggers.get(trigger) in library.groups

    def cube_acceleration(self, factory_id):
        return self._felt.get(factory_id, math.nan)

    async def play(self, trigger, *, is_body_still=False, is_silent=False):
        excluded = Track.BODY if is_body_still else Track(0)
        excluded |= Track.AUDIO if is_silent else Track(0)
        await _done(self._player.play, trigger, excluded_tracks=excluded)

    async def drive_distance(self, distance, speed=0.0):
        await _done(self._robot.maneuvers.drive_distance, distance, speed=speed)

    async def turn(self, angle, speed=2.0):
        await _done(self._robot.turns.turn, angle, speed=speed)

    async def go_to(self, goal):
        await _done(self._robot.maneuvers.go_to_pose, goal)

    async def undock(self, extra):
        await _done(self._robot.maneuvers.undock, extra_distance=extra)

    async def sing(self, song="", *, is_body_still=False):
        excluded = Track.BODY if is_body_still else Track(0)
        performer = Performer(self._robot, self._player)
        await _done(performer.sing, find_song(song or "william_tell"), excluded=excluded)

    async def move_head(self, angle, speed=10.0):
        await _done(self._robot.joints.move_head, angle, speed=speed)

    async def move_lift(self, height):
        await _done(self._robot.joints.move_lift, height)

    async def calibrate(self, *, head=True, lift=True):
        await _done(self._robot.motion.calibrate, head=head, lift=lift)

    def show_expression(self, name):
        pass

    def stream_acceleration(self, factory_id, on):
        (self._streaming.add if on else self._streaming.discard)(factory_id)
        with contextlib.suppress(RobotError, *_LINK_ERRORS):
            self._robot.cubes.stream_acceleration(on, factory_id=factory_id)

    def release(self):
        self._lights.release()
        for factory_id in tuple(self._streaming):
            self.stream_acceleration(factory_id, False)

    def _show_backpack(self, lights):
        backpack = self._robot.backpack
        with contextlib.suppress(*_LINK_ERRORS):
            backpack.set(lights) if lights else backpack.release()

    def _show_cube(self, factory_id, lights):
        cubes = self._robot.cubes
        with contextlib.suppress(RobotError, *_LINK_ERRORS):
            if lights is None:
                cubes.release_lights(factory_id=factory_id)
            else:
                cubes.set_lights(lights, factory_id=factory_id)

    def _on_cube_event(self, event):
        self.events.add(event, asyncio.get_running_loop().time())

    def _on_acceleration(self, felt):
        a = felt.acceleration
        self._felt[felt.factory_id] = math.hypot(a.x, a.y, a.z)


async def _done(do, *arguments, **options):
    """Carry out an action of the robot; what ends it early is a ``RobotError``."""
    try:
        await do(*arguments, **options)
    except _LINK_ERRORS as error:
        raise RobotError(Reason.LINK_LOST, str(error)) from error
