"""What people do to the robot and its cubes (spec 10 §9): the handle of tests and of ``ctl``."""

from __future__ import annotations

import math

from ..protocol import State, UpAxis, messages
from .body import Pose2D, Posture
from .core import Action, Timer
from .parts import Parts
from .world.layout import charger_plate, robot_shape
from .world.place import Place
from .world.polygons import overlap

FALL_TIME = 0.3
"""s."""
CARRY_TIME = 0.5
"""s that the robot is in the hand while it is carried."""
_PRESS_TIME = 0.1
_TIP_STEP = 0.015
_PUSH_STEP = 10.0
"""mm in which a push goes on: less than what could be jumped over."""
_AHEAD = Pose2D(150.0)
"""mm from the contacts: past the charger's lip."""


class Handling:
    """Handles one robot, in mm and rad of the world; ``ValueError`` for what cannot be done.

    Everything takes effect at once, as far as the robot notices it, but for ``put_down`` from
    another place: the robot is in the hand meanwhile.
    """

    def __init__(self, robot: Parts, place: Place) -> None:
        self._robot, self._core, self._body = robot, robot.core, robot.body
        self._place, self._world = place, place.world
        self.posture = Posture.FLAT
        self._shaking = Timer()
        self._landing = Timer()
        """The carrying, tipping over or fall that is going on."""
        self._land: Action | None = None
        """What ends that."""
        self._fell_at = 0.0
        place.fork.tip = self.tip
        place.on_fall = lambda landing: self.fall(landing=landing)
        self._core.when_disconnected(self._on_disconnected)

    # -- the robot

    def put(self, posture: Posture, where: Pose2D | None = None) -> None:
        """Put the robot into a posture, where it is or elsewhere, whatever is there.

        Off its treads it sees no ground and feels lifted. A robot that falls is caught.
        """
        self._landing.cancel()
        self._land = None
        self._stop_falling(impact=0.0)
        self.posture = posture
        pitch, roll, is_on_ground = posture.value
        self._body.pitch, self._body.roll = math.radians(pitch), math.radians(roll)
        if is_on_ground:
            self._robot.ground.put_down(where)
            return
        if where is not None:
            self._body.carry_to(where)
        self._robot.ground.pick_up()
        self._place.fork.step()

    def tip(self, posture: Posture, seconds: float) -> None:
        """Let the robot tip over into a posture by what it does itself."""
        self._landing.cancel()
        self._robot.ground.hold(True)
        self._land = lambda: self.put(posture)
        start = self._core.now

        def go_on() -> None:
            share = (self._core.now - start) / seconds
            if share >= 1.0:
                self.put(posture)
                return
            self._body.pitch = share * math.radians(posture.value[0])
            self._landing = self._core.after(_TIP_STEP, go_on)

        go_on()

    def pick_up(self) -> None:
        self.put(Posture.HELD)

    def put_down(self, where: Pose2D | None = None) -> None:
        """Set the robot on its treads, where it is or elsewhere; it is lifted first if need be.

        Where the robot is in the way of something, or there is no floor, it is not put.
        """
        where = self._body.world_pose if where is None else where
        self._world.check_place(robot_shape(where), self._place.occupant)
        if self._body.is_held or self._core.connection.state is not State.CONNECTED:
            self.put(Posture.FLAT, where)
            return
        self.put(Posture.HELD)
        self._land = lambda: self.put(Posture.FLAT, where)
        self._landing = self._core.after(CARRY_TIME, self._land)

    def push(self, x: float, y: float) -> None:
        """Push the robot's origin over the floor to a place, as far as nothing is in the way.

        The treads do not turn, so that it does not count where it goes.
        """
        if self._body.is_held:
            raise ValueError("the robot is in the hand: put it down first")
        here = self._body.world_pose
        left = math.hypot(x - here.x, y - here.y)
        while left > 0.0 and not self._body.is_held:
            share = min(1.0, _PUSH_STEP / left)
            at = (here.x + share * (x - here.x), here.y + share * (y - here.y))
            self._place.slide_to(Pose2D(*at, here.angle))
            here, before = self._body.world_pose, left
            left = math.hypot(x - here.x, y - here.y)
            if left > before - _PUSH_STEP / 10:
                return

    def fall(self, impact: float = 1500.0, landing: Posture = Posture.FLAT) -> None:
        """Let the robot fall for 0.3 s; it lies as it lands and calibrates its head."""
        self._landing.cancel()
        self._land = lambda: self.put(landing)
        self._robot.ground.drop()
        self._robot.imu.is_weightless = True
        self._fell_at = self._core.now
        self._core.send(messages.FallingStarted(self._core.timestamp))

        def land() -> None:
            self._stop_falling(impact)
            self.put(landing)
            self._robot.joints.calibrate_head()

        self._landing = self._core.after(FALL_TIME, land)

    def _stop_falling(self, impact: float) -> None:
        if self._robot.imu.is_weightless:
            self._robot.imu.is_weightless = False
            fall_ms = round((self._core.now - self._fell_at) * 1000)
            self._core.send(messages.FallingStopped(self._core.timestamp, fall_ms, impact))

    def shake(self, seconds: float = 2.0) -> None:
        self._shaking.cancel()
        self._robot.imu.is_shaken = True

        def stop() -> None:
            self._robot.imu.is_shaken = False

        self._shaking = self._core.after(seconds, stop)

    def poke(self) -> None:
        self._core.send(messages.RobotPoked())

    def press_button(self) -> None:
        self._core.send(messages.BackpackButton(True))
        self._core.after(_PRESS_TIME, lambda: self._core.send(messages.BackpackButton(False)))

    def put_on_charger(self, on: bool) -> None:
        """Carry the robot onto the charger, or off it to its place in the world.

        Where that is on the charger it is set ahead of it. In a world without a charger one is
        put under the robot, or taken away.
        """
        dock = self._world.dock
        if dock is None:
            self._robot.battery.put_on_charger(on)
        elif on:
            self.put_down(dock)
        elif self._robot.battery.on_charger:
            start, charger = self._world.start_of(self._place.index), self._world.charger
            is_on = charger and overlap(robot_shape(start), charger_plate(charger))
            self.put_down(dock.then(_AHEAD) if is_on else start)

    # -- cubes, by their number

    def tap(self, number: int, intensity: int = 97) -> bool:
        """Tap a cube; return whether it was reported (it is connected and has lights)."""
        return self._place.cubes.tap(self._factory_id(number), intensity)

    def flip_cube(self, number: int, up_axis: UpAxis) -> bool:
        """Lay a cube on another side; return whether it was reported."""
        told = self._place.cubes.flip(self._factory_id(number), up_axis)
        if number in self._world.cubes:
            self._world.turn_cube(number, up_axis)
        return told

    def _factory_id(self, number: int) -> int:
        cubes = self._place.cubes
        factory_id = cubes.of_kind(number)
        if factory_id is None or not cubes.cubes[factory_id].in_reach:
            raise ValueError(f"the robot has no cube {number} in reach: choose another one")
        return factory_id

    def _on_disconnected(self) -> None:
        """Land and rest: without a connection nothing is scheduled any more."""
        imu = self._robot.imu
        imu.is_weightless = imu.is_shaken = False
        if self._land is not None:
            self._land()
