"""A family that lives with the robot: what it does to it, at random times, by its seed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from itertools import cycle

from cozmo_driver.behavior.engine import Engine
from cozmo_driver.behavior.executor import RequestEnded
from cozmo_driver.behavior.inner_state import InnerState
from cozmo_driver.behavior.sight import NAMES
from cozmo_driver.robot import (
    CubeEvent,
    CubeEventType,
    OffTreads,
    Pose2D,
    RobotEventType,
)

from .house import HALF, LYING, House

UP = (7.0, 22.0)
"""Hours in which the family is awake."""
_SEEN = (
    "FacePositionUpdated",
    "FistBump",
    "NoPreDockPoses",
    "ObjectPositionUpdated",
    "PetInitialDetection",
)
_ASKED = ("Request_Greet", "Request_Say", "PlayArbitraryAnim")
_SHAKEN = 20.0
"""m/s^2."""
_NOTICES = 0.05
"""Share of looks, every 2 s, in which somebody sees that the robot asks for food."""
_SECOND, _THIRD, _BESIDE = 0.066, 0.110, 0.048
"""m: the middles of cubes on one and on two others, and of two that stand side by side."""


class People:
    """Does things to the robot in a house; every method is one of them."""

    def __init__(
        self,
        house: House,
        engine: Engine,
        inner: InnerState,
        rng: random.Random,
        hour: Callable[[], float],
        busyness: float = 1.0,
    ) -> None:
        """Live in ``house``; ``hour`` is the hour of the day; ``busyness`` how much they do."""
        self.house, self.engine, self.inner = house, engine, inner
        self.rng, self._hour = rng, hour
        self.cares = True
        """They charge it by day, too, when it asks."""
        self.deeds: list[tuple[float, str]] = []
        """What was done, with the times."""
        self._busy = asyncio.Lock()
        self._lying, self._seen = cycle(LYING), cycle(_SEEN)
        self._requests: set[asyncio.Task[None]] = set()
        rates: tuple[tuple[Callable[[], Awaitable[None]], float], ...] = (
            (self.lift, 2.0),
            (self.shake, 0.7),
            (self.lay_down, 1.2),
            (self.drop, 0.4),
            (self.tilt, 0.6),
            (self.poke, 1.5),
            (self.press, 1.5),
            (self.tap, 2.0),
            (self.move_cube, 3.0),
            (self.place_cube, 2.0),
            (self.build, 1.0),
            (self.drive, 1.0),
            (self.stop, 0.3),
            (self.lose, 0.4),
            (self.ask, 1.2),
            (self.spark, 0.8),
            (self.show, 2.0),
            (self.serve, 0.4),
            (self.frustrate, 0.3),
            (self.calibrate, 1.0),
        )
        self._handling = (self.lift, self.shake, self.lay_down, self.drop, self.tilt)
        """What nobody does to a robot that is charged."""
        self._ways = [way for way, _ in rates]
        self._weights = [busyness * rate for _, rate in rates]

    async def live(self) -> None:
        """Do one thing after the other until cancelled; by night only the link is lost."""
        while True:
            await asyncio.sleep(self.rng.expovariate(sum(self._weights) / 3600.0))
            [way] = self.rng.choices(self._ways, self._weights)
            if self.house.felt.is_on_charger and way in self._handling:
                continue
            if self._is_awake() or way == self.lose:
                await self._do(way)

    def _is_awake(self) -> bool:
        return UP[0] <= self._hour() < UP[1] - 0.3

    async def care(self) -> None:
        """Charge the robot when it asks, and for the night, until cancelled."""
        while True:
            await asyncio.sleep(60.0)
            if not UP[0] <= self._hour() < UP[1] or self.house.felt.is_on_charger:
                continue
            is_bedtime = self._hour() >= UP[1] - 0.2
            if is_bedtime or (
                self.cares and self.engine.constraints.is_low and self.rng.random() < 0.15
            ):
                await self._do(self.charge)

    async def _do(self, way: Callable[[], Awaitable[None]]) -> None:
        async with self._busy:
            self.deeds.append((self.house.now, way.__name__))
            await way()

    async def rest(self) -> None:
        """End what was asked for."""
        for task in self._requests:
            task.cancel()
        if self._requests:
            await asyncio.wait(self._requests)

    # -- with the hands

    async def _up(self) -> None:
        house = self.house
        house.feel(
            off_treads=OffTreads.IN_AIR,
            is_picked_up=True,
            is_cliff=False,
            cliff_raw=8,
            is_on_charger=False,
            is_charging=False,
            acceleration=9.81,
        )
        house.happen(RobotEventType.PICKED_UP)

    async def _down(self, *, on_charger: bool = False) -> None:
        house = self.house
        x, y = (self.rng.uniform(-0.6, 0.6) * half for half in HALF)
        house.feel(
            off_treads=OffTreads.ON_TREADS,
            is_picked_up=False,
            cliff_raw=880,
            is_on_charger=on_charger,
            is_charging=on_charger,
            pitch=0.0,
            pose=Pose2D(x, y, self.rng.uniform(-3.1, 3.1)),
        )
        house.happen(RobotEventType.PUT_DOWN)
        if on_charger:
            house.happen(RobotEventType.PLACED_ON_CHARGER)

    async def lift(self) -> None:
        """Take the robot into the hand for a while."""
        await self._up()
        await asyncio.sleep(self.rng.uniform(2.0, 20.0))
        await self._down()

    async def charge(self) -> None:
        """Put the robot on its charger."""
        await self._up()
        await asyncio.sleep(2.0)
        await self._down(on_charger=True)

    async def shake(self) -> None:
        """Shake the robot in the hand."""
        await self._up()
        await asyncio.sleep(1.0)
        self.house.feel(acceleration=_SHAKEN)
        self.house.happen(RobotEventType.SHAKEN_STARTED)
        await asyncio.sleep(self.rng.uniform(1.0, 7.0))
        self.house.feel(acceleration=9.81)
        self.house.happen(RobotEventType.SHAKEN_STOPPED)
        await asyncio.sleep(3.0)
        await self._down()

    async def lay_down(self) -> None:
        """Lay the robot on its back, its face or a side."""
        await self._up()
        await asyncio.sleep(1.0)
        self.house.feel(off_treads=next(self._lying))
        await asyncio.sleep(self.rng.uniform(4.0, 40.0))
        await self._up()
        await asyncio.sleep(1.0)
        await self._down()

    async def drop(self) -> None:
        """Let the robot fall; it runs its motors against their stops afterwards."""
        house = self.house
        await self._up()
        house.feel(off_treads=OffTreads.FALLING)
        house.happen(RobotEventType.FALLING_STARTED)
        await asyncio.sleep(0.3)
        house.happen(RobotEventType.FALLING_STOPPED, impact=self.rng.uniform(300.0, 3000.0))
        house.feel(off_treads=OffTreads.ON_FACE, is_settled=False)
        house.happen(RobotEventType.MOTOR_CALIBRATION_STARTED, is_automatic=True)
        await asyncio.sleep(1.5)
        house.feel(is_settled=True)
        await asyncio.sleep(4.0)
        await self._up()
        await asyncio.sleep(1.0)
        await self._down()

    async def tilt(self) -> None:
        """Set the robot on a slope, and back."""
        await self._up()
        await asyncio.sleep(1.0)
        await self._down()
        self.house.feel(pitch=-0.4)
        self.house.happen(RobotEventType.PLACED_ON_SLOPE)
        await asyncio.sleep(6.0)
        await self._up()
        await asyncio.sleep(1.0)
        await self._down()

    async def poke(self) -> None:
        """Nudge the robot."""
        self.house.happen(RobotEventType.POKED)

    async def press(self) -> None:
        """Press the button on its back."""
        self.house.happen(RobotEventType.BUTTON_PRESSED)

    async def calibrate(self) -> None:
        """Let the robot run its motors against their stops by itself."""
        self.house.feel(is_settled=False)
        self.house.happen(RobotEventType.MOTOR_CALIBRATION_STARTED, is_automatic=True)
        await asyncio.sleep(2.0)
        self.house.feel(is_settled=True)

    # -- with the cubes

    def _cube(self, kind: CubeEventType) -> None:
        cube = self.rng.choice(self.house.cubes)
        self.house.events.add(CubeEvent(self.house.now, kind, cube))

    async def tap(self) -> None:
        """Tap cubes, one tap a second."""
        for _ in range(self.rng.randint(1, 6)):
            self._cube(CubeEventType.TAPPED)
            await asyncio.sleep(1.0)

    async def move_cube(self) -> None:
        """Carry a cube about; nobody knows where it is then."""
        cube = self.rng.choice(self.house.cubes)
        self.house.put(cube, None)
        self.house.events.add(CubeEvent(self.house.now, CubeEventType.MOVED, cube))
        await asyncio.sleep(self.rng.uniform(0.5, 4.0))
        self.house.events.add(CubeEvent(self.house.now, CubeEventType.STOPPED, cube))

    async def place_cube(self) -> None:
        """Tell the robot where a cube is."""
        cube = self.rng.choice(self.house.cubes)
        self.house.put(cube, self._spot())

    def _spot(self) -> Pose2D:
        x, y = (self.rng.uniform(-0.7, 0.7) * half for half in HALF)
        return Pose2D(x, y)

    async def build(self) -> None:
        """Build a tower of all cubes, or a pyramid."""
        first, second, third = self.rng.sample(self.house.cubes, 3)
        place, on = self._spot(), NAMES[first.kind]
        self.house.put(first, place)
        if self.rng.random() < 0.5:
            self.house.put(second, place, on_top_of=on, height=_SECOND)
            self.house.put(third, place, on_top_of=NAMES[second.kind], height=_THIRD)
        else:
            self.house.put(second, place.compose(Pose2D(0.0, _BESIDE)))
            self.house.put(
                third, place.compose(Pose2D(0.0, _BESIDE / 2)), on_top_of=on, height=_SECOND
            )

    async def feed(self) -> None:
        """Shake a cube when the robot asks for it, if somebody notices, until cancelled."""
        while True:
            await asyncio.sleep(2.0)
            if self.house.streams and self._is_awake() and self.rng.random() < _NOTICES:
                await self._do(self.shake_cube)

    async def shake_cube(self) -> None:
        """Shake a cube until it is full."""
        accelerations, cube = self.house.accelerations, self.rng.choice(self.house.cubes)
        accelerations[cube.factory_id] = _SHAKEN
        await asyncio.sleep(4.0)
        del accelerations[cube.factory_id]

    # -- with programs

    async def drive(self) -> None:
        """Drive the robot by hand for a while."""
        self.engine.suspend("cmd_vel")
        self.house.rules.set("somebody else drives", True, self.house.now)
        await asyncio.sleep(self.rng.uniform(2.0, 60.0))
        self.engine.resume("cmd_vel")
        self.house.rules.set("somebody else drives", False, self.house.now)

    async def stop(self) -> None:
        """Latch the emergency stop, and release it."""
        self.house.feel(is_emergency_stopped=True)
        await asyncio.sleep(self.rng.uniform(5.0, 60.0))
        self.house.feel(is_emergency_stopped=False)

    async def lose(self) -> None:
        """Lose the link for a while."""
        self.house.feel(is_connected=False)
        await asyncio.sleep(self.rng.uniform(3.0, 60.0))
        self.house.feel(is_connected=True)

    async def ask(self) -> None:
        """Ask for a behaviour, whatever it is."""
        name = self.rng.choice((self.rng.choice(sorted(self.engine.behaviors)), *_ASKED))
        task = asyncio.ensure_future(self._asked(name))
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)

    async def _asked(self, name: str) -> None:
        try:
            await self.engine.run_behavior(name, 1, ("Joy",))
        except RequestEnded as error:
            self.deeds.append((self.house.now, f"refused: {error}"))

    async def spark(self) -> None:
        """Ask for a spark."""
        self.engine.spark(self.rng.choice(sorted(self.engine.activities.sparks)))

    async def show(self) -> None:
        """Let a vision program report something."""
        self.inner.request_reaction(next(self._seen))

    async def serve(self) -> None:
        """Feed or repair the robot, what it lacks more."""
        is_broken = self.inner.level("Repair") < self.inner.level("Energy")
        kinds = ("RepairHead", "RepairEverything") if is_broken else ("Feed", "FeedMuch")
        self.inner.act(self.rng.choice(kinds))

    async def frustrate(self) -> None:
        """Let everything go wrong for a moment."""
        for _ in range(self.rng.randint(3, 6)):
            self.inner.on_result("DriveToPose", "Abort")
            await asyncio.sleep(2.0)
