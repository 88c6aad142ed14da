"""A robot among cubes, people and what moves, in the emulator.

What its camera would show it is told from the truth: cubes as manipulation's tests tell them,
faces and motion through the same ``RobotSight`` that images go to, and only where it looks.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import replace

from cozmo_driver.behavior.sight import SeenFace, SeenMotion, SeenPet, Sense
from cozmo_driver.robot import NECK, Pose2D

from ..manipulation.table import Knowing
from .alive import Personality

_PERIOD = 0.2
"""s between two images in which faces are looked for."""
_ACROSS, _DOWN = math.radians(29.0), math.radians(22.0)
"""Half of what a camera has in view."""
_REST = 0.5


class Looking(Knowing):
    """Knows where cubes truly are, but for those that somebody hides; sees those in view."""

    def __init__(self, world):
        super().__init__(world)
        self.hidden: set[str] = set()

    @property
    def objects(self):
        known = {name: one for name, one in super().objects.items() if name not in self.hidden}
        return {name: self._seen(one) for name, one in known.items()}

    def _seen(self, one):
        there = self.state.pose.inverse().compose(Pose2D(*map(float, one.pose[:2, 3])))
        is_in_view = abs(math.atan2(there.y, there.x)) < math.radians(40.0)
        return replace(one, is_visible=one.is_visible and is_in_view)


class Scene:
    """A personality and what is around it; ``face``, ``prey`` and ``pet`` may be None."""

    def __init__(self, world, seed=1):
        self.world, self.eyes = world, Looking(world)
        self.life = Personality(world, self.eyes, seed)
        self.sight = self.life.body.eyes
        self.sight.looks_for |= {Sense.FACES, Sense.MOTION, Sense.PETS}
        self.face: tuple[float, float, float] | None = None
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

    def played(self, clip: str) -> bool:
        return bool(self.life.times_of(f"plays {clip}"))

    def stepped(self, start: str) -> bool:
        return any(step.startswith(start) for _, step in self.life.steps)

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
                self.sight.recollection.see_faces([SeenFace(-1, *self.face, "", now)])
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
async def living(world, seed=1):
    """Yield a scene that goes on, with nothing to do by itself but to react."""
    scene = Scene(world, seed)
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
