"""Tasks with cubes.

Cubes lie on any side, turned anyhow, up to two others around the one that is meant. The robot has
seen them from near, and has then driven to 0.3 to 0.8 m from it, with any heading.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.hardware import DRIVE_CENTER_OFFSET
from cozmo_driver.emulator.world import Layout
from cozmo_driver.emulator.world.layout import robot_shape
from cozmo_driver.emulator.world.polygons import overlap
from cozmo_driver.emulator.world.things import ATTITUDES, CubePlace
from cozmo_driver.manipulation.obstacle_avoidance import go_to
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.protocol.enums import UpAxis
from cozmo_driver.robot import Pose2D, Reason, RobotError

from .trial import FLOOR, Scene, Task

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
_LOOKS = 10
"""Around: the marker of a cube 0.1 m away takes 14 of 57 degrees, and must be in one picture."""
_FIRST_LOOK_TIME, _LOOK_TIME = 5.0, 0.6
_HEAD = math.radians(-10.0)


_ANY_SIDE = tuple(ATTITUDES)
_ON_ITS_SIDE = tuple(axis for axis in ATTITUDES if axis is not UpAxis.Z_POSITIVE)


# -- the world


def _cubes(rng: random.Random, needed: int, up_axes: Sequence[UpAxis]) -> dict[int, CubePlace]:
    """Return the cubes of a task, cube 1 in the middle, and sometimes others around it."""
    count = min(3, needed + rng.choice((0, 0, 1, 2)))
    placed: dict[int, CubePlace] = {}
    for number in range(1, count + 1):
        axes = up_axes if number == 1 else _ANY_SIDE
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
    """Turn until the cubes of the task have been seen, the first of which is in sight."""
    body, needed = scene.body, [f"cube_{number}" for number in range(1, cubes + 1)]

    def is_known(name: str) -> bool:
        cube = body.objects.get(name)
        return cube is not None and cube.state is not PoseState.UNKNOWN

    await body.move_head(_HEAD)
    with contextlib.suppress(RobotError):
        await scene.until(lambda: is_known(needed[0]), _FIRST_LOOK_TIME)
    for _ in range(_LOOKS):
        await asyncio.sleep(_LOOK_TIME)
        if all(map(is_known, needed)):
            return
        await body.turn_to(body.state.pose.yaw + 2 * math.pi / _LOOKS)
    raise RobotError(Reason.NOT_SEEN, "the robot does not see its cubes")


async def _leave(scene: Scene) -> None:
    """Drive to the start, or as far from the cube as there is a way to."""
    body, rng = scene.body, scene.rng
    away, bearing, yaw = rng.uniform(_NEAREST, _FARTHEST), _any(rng), _any(rng)
    pose = body.objects["cube_1"].pose
    if pose is None:
        raise RobotError(Reason.NOT_SEEN, "the robot has lost its cube")
    goals = [
        Pose2D(
            float(pose[0, 3]) + away * math.cos(bearing + turn),
            float(pose[1, 3]) + away * math.sin(bearing + turn),
            yaw,
        )
        for turn in (0.0, 1.0, -1.0)
    ]
    with scene.fewer_pictures():
        await go_to(body, goals)


async def _choose_place(scene: Scene) -> None:
    """Pick up the cube, and choose a place where no other is, seen from there."""
    await _pick_up(scene)
    rng, robot, world = scene.rng, scene.robot, scene.read(lambda firmware: firmware.place.world)
    others = [scene.place(number).pose for number in world.cubes if number != 1]
    while True:
        spot = _polar(robot, rng.uniform(*_PLACES), _any(rng))
        if all(_distance(spot, other) > _ROOM for other in others):
            scene.target = WorldPose(spot.x, spot.y, _any(rng))
            return


# -- the tasks


async def _pick_up(scene: Scene) -> int:
    return await scene.actions.pick_up("cube_1")


async def _place(scene: Scene) -> int:
    here = scene.target.seen_from(scene.robot.then(WorldPose(DRIVE_CENTER_OFFSET)))
    there = scene.body.state.pose.compose(Pose2D(here.x / 1000, here.y / 1000, here.angle))
    return await scene.actions.place(there)


async def _stack(scene: Scene) -> int:
    return await scene.actions.stack("cube_1", "cube_2")


async def _roll(scene: Scene) -> int:
    return await scene.actions.roll("cube_1")


def _off(scene: Scene) -> float:
    return _distance(scene.place(1).pose, scene.target)


def _task(
    title: str,
    goal: float,
    do: Callable[[Scene], Awaitable[int]],
    is_done: Callable[[Scene], bool],
    *,
    cubes: int = 1,
    prepare: Callable[[Scene], Awaitable[None]] | None = None,
    off: Callable[[Scene], float] = lambda _: math.nan,
    up_axes: Sequence[UpAxis] = _ANY_SIDE,
) -> Task:
    """Return a task about so many cubes; ``up_axes`` are sides of cube 1 that may be up."""

    def start(seed: int) -> tuple[Layout, random.Random]:
        rng = random.Random(f"{seed} {title}")
        placed = _cubes(rng, cubes, up_axes)
        return Layout(
            "hall", floors=(FLOOR,), cubes=placed, robots=(_near(rng, placed, cubes),)
        ), rng

    async def begin(scene: Scene) -> None:
        await _look_around(scene, cubes)
        await _leave(scene)
        if prepare is not None:
            await prepare(scene)

    return Task(title, goal, start, begin, do, is_done, off)


TASKS = {
    "pick_up": _task("pick up", 0.95, _pick_up, lambda scene: scene.is_carrying == 1),
    "place": _task(
        "place at a pose",
        0.95,
        _place,
        lambda scene: _off(scene) < _PLACED and not scene.is_carrying,
        prepare=_choose_place,
        off=_off,
    ),
    "stack": _task("stack", 0.9, _stack, lambda scene: scene.place(1).on == 2, cubes=2),
    "roll": _task(
        "roll until upright",
        0.9,
        _roll,
        lambda scene: scene.place(1).up_axis is UpAxis.Z_POSITIVE,
        up_axes=_ON_ITS_SIDE,
    ),
}
