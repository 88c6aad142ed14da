"""Tasks with cubes for ``python -m benchmarks.manipulation``, many times each.

Robot, emulator, link and pictures are real, in virtual time; treads, gyro and camera err. Cubes lie
on any side, turned anyhow, up to two others around the one that is meant. The robot has seen them
from near, and has then driven to 0.3 to 0.8 m from it, with any heading. What became of a task is
read from the emulated world.
"""

from __future__ import annotations

import contextlib
import math
import random
import statistics
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.hardware import DRIVE_CENTER_OFFSET
from cozmo_driver.emulator.world import Layout, World
from cozmo_driver.emulator.world.layout import Floor, robot_shape
from cozmo_driver.emulator.world.polygons import overlap
from cozmo_driver.emulator.world.things import ATTITUDES, CubePlace
from cozmo_driver.eyes.eyes import Eyes
from cozmo_driver.manipulation.driving import go_to
from cozmo_driver.manipulation.pick_up import pick_up_cube
from cozmo_driver.manipulation.place import place_at
from cozmo_driver.manipulation.robot_body import RobotBody
from cozmo_driver.manipulation.roll import roll_cube
from cozmo_driver.manipulation.stack import stack_cubes
from cozmo_driver.protocol.enums import UpAxis
from cozmo_driver.robot import CameraOptions, Pose2D, RobotError
from cozmo_driver.world_model.objects import PoseState
from test.robot.virtual import in_virtual_time

FLOOR = Floor(((-2000.0, -2000.0), (2000.0, -2000.0), (2000.0, 2000.0), (-2000.0, 2000.0)))
_NEAREST, _FARTHEST = 0.3, 0.8
"""m from the cube that is meant to the start."""
_SEEN_FROM = 150.0, 320.0
"""mm to the cubes that a task is about, before it begins."""
_APART = 180.0, 350.0
"""mm between the middles of cube 1 and of another: in the way, not in the place of the robot."""
_PLACES, _ROOM = (150.0, 400.0), 150.0
"""mm from the robot to where a cube is to be put, and from there to other cubes."""
_PLACED = 20.0
"""mm off its place that a cube counts as put there."""
_LOOKS = 8
_LOOK_TIME = 0.6
_HEAD = math.radians(-10.0)
_PICTURES = 4
"""One in so many is taken on the way to the start, where it is not about what is seen."""


@dataclass(frozen=True)
class Outcome:
    """How one trial ended: s, mm off where the cube should be, at which attempt."""

    is_done: bool
    """In the emulated world."""
    attempts: int
    """0 for a failure that was told as one."""
    time: float
    off: float = 0.0
    why: str = ""

    @property
    def is_good(self) -> bool:
        return self.is_done and self.attempts > 0

    @property
    def is_false(self) -> bool:
        """Whether it was told to be done and is not."""
        return self.attempts > 0 and not self.is_done


@dataclass
class Scene:
    """A robot before its cubes; ``cube_1`` is meant."""

    virtual: Any
    body: RobotBody
    rng: random.Random
    target: WorldPose = field(default_factory=WorldPose)
    """Where the cube is to be put."""

    @property
    def world(self) -> World:
        world: World = self.virtual.firmware.place.world
        return world

    @property
    def robot(self) -> WorldPose:
        pose: WorldPose = self.virtual.firmware.body.world_pose
        return pose

    @property
    def off(self) -> float:
        """How far from where it is to be the cube is, mm."""
        return _distance(self.place(1).pose, self.target)

    def place(self, number: int) -> CubePlace:
        return self.world.cube(number).place

    @property
    def is_carrying(self) -> int:
        """Number of the cube that is on the lift, 0 for none."""
        cube = self.virtual.firmware.place.fork.cube
        return cube.number if cube is not None and cube.place.bottom > 5.0 else 0


@dataclass(frozen=True)
class Task:
    """What is tried, what must be so afterwards, and which part of the trials must be good."""

    title: str
    goal: float
    cubes: int
    do: Callable[[Scene], Awaitable[int]]
    """Returns the attempts."""
    is_done: Callable[[Scene], bool]
    prepare: Callable[[Scene], Awaitable[object]] | None = None
    """From the start on, before the time counts."""
    off: Callable[[Scene], float] = lambda _: 0.0
    up_axes: Sequence[UpAxis] = tuple(ATTITUDES)
    """Sides that may be up of the cube that is meant."""


def try_once(task: Task, seed: int) -> Outcome:
    """Let one robot do one task."""
    rng = random.Random(f"{seed} {task.title}")
    cubes = _cubes(rng, task)
    layout = Layout("hall", floors=(FLOOR,), cubes=cubes, robots=(_near(rng, cubes, task.cubes),))
    away, bearing = rng.uniform(_NEAREST, _FARTHEST), rng.uniform(-math.pi, math.pi)
    outcomes: list[Outcome] = []

    @in_virtual_time(
        emulator={"world": lambda: World(layout, seed=seed), "seed": seed},
        camera=CameraOptions(enabled=True),
    )
    async def scenario(virtual: Any) -> None:
        async with Eyes(virtual.robot) as eyes:
            scene = Scene(virtual, RobotBody(virtual.robot, eyes.world), rng)
            await _look_around(scene, task.cubes)
            with _fewer_pictures(virtual):
                await _leave(scene, away, bearing, rng.uniform(-math.pi, math.pi))
            if task.prepare is not None:
                await task.prepare(scene)
            outcomes.append(await _measured(scene, task))

    scenario()
    return outcomes[0]


# -- the world


def _cubes(rng: random.Random, task: Task) -> dict[int, CubePlace]:
    """Return the cubes of a task, cube 1 in the middle, and sometimes others around it."""
    count = min(3, task.cubes + rng.choice((0, 0, 1, 2)))
    placed: dict[int, CubePlace] = {}
    for number in range(1, count + 1):
        axes = task.up_axes if number == 1 else tuple(ATTITUDES)
        roll, pitch = ATTITUDES[rng.choice(axes)]
        spot = WorldPose(0.0, 0.0)
        while any(_distance(spot, other.pose) < _APART[0] for other in placed.values()):
            spot = _polar(spot if number == 1 else WorldPose(), rng.uniform(*_APART), _any(rng))
        placed[number] = CubePlace(WorldPose(spot.x, spot.y, _any(rng)), roll, pitch)
    return placed


def _near(rng: random.Random, cubes: Mapping[int, CubePlace], needed: int) -> WorldPose:
    """Return where a robot sees the cubes of a task from near, turned to cube 1."""
    while True:
        spot = _polar(WorldPose(), rng.uniform(*_SEEN_FROM), _any(rng))
        if all(_is_seen(spot, cubes, number) for number in range(1, needed + 1)):
            return _towards(spot, WorldPose())


def _is_seen(spot: WorldPose, cubes: Mapping[int, CubePlace], number: int) -> bool:
    """Whether a robot has room to turn to a cube, which is near and not hidden."""
    pose = cubes[number].pose
    away = _distance(spot, pose)
    lane = robot_shape(_towards(spot, pose), front=away - 60.0)
    is_free = not any(overlap(lane, cube.shape()) for cube in cubes.values())
    return is_free and _SEEN_FROM[0] <= away <= _SEEN_FROM[1]


def _towards(spot: WorldPose, other: WorldPose) -> WorldPose:
    return WorldPose(spot.x, spot.y, math.atan2(other.y - spot.y, other.x - spot.x))


def _any(rng: random.Random) -> float:
    return rng.uniform(-math.pi, math.pi)


def _polar(middle: WorldPose, away: float, bearing: float) -> WorldPose:
    return WorldPose(middle.x + away * math.cos(bearing), middle.y + away * math.sin(bearing))


def _distance(a: WorldPose, b: WorldPose) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


# -- before the time counts


async def _look_around(scene: Scene, cubes: int) -> None:
    """Turn until the cubes of the task have been seen."""
    body, virtual = scene.body, scene.virtual
    await virtual.until(lambda: body.situation.is_connected)
    await body.move_head(_HEAD)
    for _ in range(_LOOKS):
        await virtual.pass_time(_LOOK_TIME)
        needed = [body.objects[f"cube_{number}"] for number in range(1, cubes + 1)]
        if all(cube.state is not PoseState.UNKNOWN for cube in needed):
            return
        await body.turn_to(body.situation.pose.yaw + 2 * math.pi / _LOOKS)
    raise AssertionError("the robot does not see its cubes")


async def _leave(scene: Scene, away: float, bearing: float, yaw: float) -> None:
    """Drive to the start, or as far from the cube as there is a way to."""
    body = scene.body
    pose = body.objects["cube_1"].pose
    assert pose is not None
    goals = [
        Pose2D(
            float(pose[0, 3]) + away * math.cos(bearing + turn),
            float(pose[1, 3]) + away * math.sin(bearing + turn),
            yaw,
        )
        for turn in (0.0, 1.0, -1.0)
    ]
    await go_to(body, goals)


@contextlib.contextmanager
def _fewer_pictures(virtual: Any) -> Iterator[None]:
    """Let the camera skip most pictures: they cost most of the time that a trial takes."""
    camera = virtual.firmware.camera
    capture = camera._capture

    def sometimes(image_id: int, run: int) -> None:
        if image_id % _PICTURES:
            camera._next_picture()
        else:
            capture(image_id, run)

    camera._capture = sometimes
    try:
        yield
    finally:
        camera._capture = capture


async def _measured(scene: Scene, task: Task) -> Outcome:
    loop = scene.virtual.loop
    begun, attempts, why = loop.time(), 0, ""
    try:
        attempts = await task.do(scene)
    except RobotError as error:
        why = f"{error.reason.name}: {error}"
    return Outcome(task.is_done(scene), attempts, loop.time() - begun, task.off(scene), why)


# -- the table

HEAD = (
    "| task | done | told, but not so | median / longest | attempts | off, median / most |\n"
    "|---|---|---|---|---|---|"
)


def row(task: Task, outcomes: Sequence[Outcome]) -> str:
    """Return the summary as a row of a Markdown table."""
    good = [one for one in outcomes if one.is_good]
    times = [one.time for one in good] or [math.nan]
    off = [one.off for one in good] or [math.nan]
    tries = Counter(one.attempts for one in good)
    return (
        f"| {task.title} | {len(good)} of {len(outcomes)} "
        f"| {sum(one.is_false for one in outcomes)} "
        f"| {statistics.median(times):.0f} s / {max(times):.0f} s "
        f"| {', '.join(f'{count} x {tries[count]}' for count in sorted(tries))} "
        f"| {statistics.median(off):.1f} mm / {max(off):.1f} mm |"
    )


# -- the tasks


async def _pick_up(scene: Scene) -> int:
    _, attempts = await pick_up_cube(scene.body, "cube_1")
    return attempts


async def _place(scene: Scene) -> int:
    here = scene.target.seen_from(scene.robot.then(WorldPose(DRIVE_CENTER_OFFSET)))
    there = scene.body.situation.pose.compose(Pose2D(here.x / 1000, here.y / 1000, here.angle))
    await place_at(scene.body, there)
    return 1


async def _pick_up_and_choose_place(scene: Scene) -> None:
    """Choose a place where no cube is, seen from where the robot picked up the cube."""
    await _pick_up(scene)
    rng, others = scene.rng, [cube.pose for n, cube in scene.world.cubes.items() if n != 1]
    while True:
        spot = _polar(scene.robot, rng.uniform(*_PLACES), _any(rng))
        if all(_distance(spot, other) > _ROOM for other in others):
            scene.target = WorldPose(spot.x, spot.y, _any(rng))
            return


async def _stack(scene: Scene) -> int:
    _, _, attempts = await stack_cubes(scene.body, "cube_1", "cube_2")
    return attempts


async def _roll(scene: Scene) -> int:
    _, _, attempts = await roll_cube(scene.body, "cube_1")
    return attempts


TASKS = {
    "pick_up": Task("pick up", 0.95, 1, _pick_up, lambda scene: scene.is_carrying == 1),
    "place": Task(
        "place at a pose",
        0.95,
        1,
        _place,
        lambda scene: scene.off < _PLACED and not scene.is_carrying,
        prepare=_pick_up_and_choose_place,
        off=lambda scene: scene.off,
    ),
    "stack": Task("stack", 0.9, 2, _stack, lambda scene: scene.place(1).on == 2),
    "roll": Task(
        "roll until upright",
        0.9,
        1,
        _roll,
        lambda scene: scene.place(1).up_axis is UpAxis.Z_POSITIVE,
        up_axes=[axis for axis in ATTITUDES if axis is not UpAxis.Z_POSITIVE],
    ),
}
