"""A robot among cubes, people and what moves, in the emulator.

What its camera would show it is told from the truth: cubes as manipulation's tests tell them,
faces and motion through the same ``RobotSight`` that images go to, and only where it looks.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import replace

from cozmo_driver.behavior.sight import SeenFace, SeenMap, SeenMotion, SeenPet, Sense
from cozmo_driver.planning import Box
from cozmo_driver.robot import NECK, Pose2D

from ..manipulation.table import Knowing
from .alive import Personality

_PERIOD = 0.2
"""s between two images in which faces are looked for."""
_ACROSS, _DOWN = math.radians(29.0), math.radians(22.0)
"""Half of what a camera has in view."""
_REST = 0.5
_CELL, _CELLS, _FAR = 0.05, 28, 0.45
"""Of the map of the floor: m, to a side, m from the robot to what it sees of it."""
_CLIP_TIME = 0.2
"""s instead of the 2 to 4 s of a clip: what a scenario is about is what comes between them."""


class Looking(Knowing):
    """Knows where cubes truly are, but for those that somebody hides; sees those in view."""

    def __init__(self, world):
        super().__init__(world)
        self.hidden: set[str] = set()
        self.unseen: set[str] = set()
        """Those that are not where they are known to be."""
        self.walls: list[Box] = []

    @property
    def obstacles(self):
        return [*super().obstacles, *self.walls]

    @property
    def objects(self):
        known = {name: one for name, one in super().objects.items() if name not in self.hidden}
        return {name: self._seen(one) for name, one in known.items()}

    def _seen(self, one):
        there = self.state.pose.inverse().compose(Pose2D(*map(float, one.pose[:2, 3])))
        is_in_view = abs(math.atan2(there.y, there.x)) < math.radians(40.0)
        is_seen = is_in_view and one.name not in self.unseen
        return replace(one, is_visible=one.is_visible and is_seen)


class Scene:
    """A personality and what is around it; ``face``, ``prey`` and ``pet`` may be None.

    ``clips``: it plays them, which takes most of the time.
    """

    def __init__(self, world, seed=1, clips=False):
        self.world, self.eyes = world, Looking(world)
        self.life = Personality(world, self.eyes, seed)
        self.sight = self.life.body.robot_sight
        self.sight.looks_for |= {Sense.FACES, Sense.MOTION, Sense.PETS}
        if not clips:
            self.life.body.play = self._pass_over
        self.face: tuple[float, float, float] | None = None
        self.lean = 0.0
        """Of the face, rad; NaN where its eyes are shut."""
        self.prey: tuple[float, float] | None = None
        self.pet: float | None = None
        self.reached: list[str] = []
        self.rested_since = self.saw_face_at = -math.inf

    @property
    def engine(self):
        return self.life.engine

    @property
    def pose(self) -> Pose2D:
        return self.world.robot.localization.drive_center

    async def _pass_over(self, trigger, **flags):
        await asyncio.sleep(_CLIP_TIME)

    def map_floor(self) -> None:
        """From now on keep a map: free where it has looked, an edge where the floor ends there.

        Of an ideal robot that began at the world's origin: its odometry is the truth.
        """
        self.sight.looks_for.add(Sense.MAP)
        floor, side = self.world.firmware.place.world.layout, _CELL * _CELLS / 2
        cells, mapped_at = [-1] * _CELLS**2, -math.inf

        def floor_map() -> SeenMap:
            nonlocal mapped_at
            here, now = self.pose, self.world.loop.time()
            for index in range(len(cells) if now - mapped_at >= _PERIOD else 0):
                mapped_at = now
                row, column = divmod(index, _CELLS)
                x, y = (column + 0.5) * _CELL - side, (row + 0.5) * _CELL - side
                bearing = math.atan2(y - here.y, x - here.x) - here.yaw
                is_seen = abs(math.remainder(bearing, 2 * math.pi)) < _ACROSS
                if is_seen and math.hypot(x - here.x, y - here.y) < _FAR:
                    cells[index] = 90 if floor.floor_at(1000 * x, 1000 * y) is None else 0
            return SeenMap((-side, -side), _CELL, _CELLS, tuple(cells))

        self.sight._map = floor_map

    def played(self, clip: str) -> bool:
        return bool(self.life.times_of(f"plays {clip}"))

    def stepped(self, start: str) -> bool:
        return any(step.startswith(start) for _, step in self.life.steps)

    def show_face(self, away: float) -> None:
        """Let somebody be in the middle of the image, m from the robot."""
        ahead = self.pose.compose(Pose2D(away))
        up = NECK[2] + away * math.tan(self.world.robot.state.head_angle)
        self.face = ahead.x, ahead.y, up

    def sees(self, x: float, y: float, z: float) -> bool:
        """Whether a point is in the camera's view."""
        there, head = self.pose.inverse().compose(Pose2D(x, y)), self.world.robot.state.head_angle
        up = math.atan2(z - NECK[2], math.hypot(there.x, there.y))
        return abs(math.atan2(there.y, there.x)) < _ACROSS and abs(up - head) < _DOWN

    async def look(self):
        """Tell the robot what its camera shows."""
        while True:
            now = self.world.loop.time()
            if self.face is not None and self.sees(*self.face):
                self.saw_face_at = now
                self.sight.recollection.see_faces([SeenFace(-1, *self.face, "", now, self.lean)])
            if self.pet is not None:
                self.sight.recollection.see_pets([SeenPet(1, "cat", self.pet, 0.0, now)])
            if self.world.robot.state.is_moving:
                self.rested_since = now
            is_resting = now - self.rested_since > _REST
            if self.prey is not None and is_resting and self.sees(*self.prey, 0.0):
                self.sight.motion = SeenMotion(now, 0.01, 0.05, self.prey)
            await asyncio.sleep(_PERIOD)

    async def run(self, behavior_id: str) -> int:
        """Run a behaviour; return how often it came to its end. Raises ``RequestEnded``."""
        return await self.engine.run_behavior(behavior_id)


@contextlib.asynccontextmanager
async def living(world, seed=1, clips=False):
    """Yield a scene that goes on, with nothing to do by itself but to react."""
    scene = Scene(world, seed, clips)
    inner = scene.engine.inner
    reach = inner.on_objective
    inner.on_objective = lambda name: (scene.reached.append(name), reach(name))
    async with scene.life:
        looking = asyncio.ensure_future(scene.look())
        try:
            yield scene
        finally:
            looking.cancel()
            await asyncio.wait([looking])


@contextlib.asynccontextmanager
async def waiting(scene):
    """Let it do nothing but react meanwhile."""
    task = asyncio.ensure_future(scene.engine.run_behavior("NothingToDo_Wait", -1))
    await scene.world.until(lambda: scene.life.now.behavior_id == "NothingToDo_Wait", 30.0)
    yield
    task.cancel()
