"""Home onto the charger.

The robot starts 0.3 to 0.8 m from the charger's lip, up to 70 degrees beside its axis, with any
heading. It stood on the charger before: "memory" has no vision, "sight" has, and "search" was put
down 0.25 to 0.5 m from it, up to 40 degrees beside its axis, and does not know it.
"""

from __future__ import annotations

import math
import random

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.hardware import DRIVE_CENTER_OFFSET
from cozmo_driver.emulator.world import Layout
from cozmo_driver.emulator.world.layout import dock_pose
from cozmo_driver.manipulation.charger_memory import DOCKED
from cozmo_driver.manipulation.obstacle_avoidance import charger_box, go_to
from cozmo_driver.robot import Pose2D, Reason, RobotError

from .trial import FLOOR, Scene, Task

_CHARGER = WorldPose(0.0, 0.0, 0.0)
_TIME_LIMIT = 60.0


def _start(rng: random.Random, nearest: float, farthest: float, cone: float) -> Pose2D:
    """Return where the drive center starts as seen from the lip."""
    away, aside = rng.uniform(nearest, farthest), rng.uniform(-cone, cone)
    yaw = rng.uniform(-math.pi, math.pi)
    return Pose2D(-away * math.cos(aside), away * math.sin(aside), yaw)


def _docked(seed: int) -> tuple[Layout, random.Random]:
    return _layout(dock_pose(_CHARGER)), random.Random(seed)


def _placed(seed: int) -> tuple[Layout, random.Random]:
    rng = random.Random(seed)
    start = _start(rng, 0.25, 0.5, math.radians(40.0))
    center = WorldPose(start.x * 1000, start.y * 1000, start.yaw)
    return _layout(_CHARGER.then(center).then(WorldPose(-DRIVE_CENTER_OFFSET))), rng


def _layout(robot: WorldPose) -> Layout:
    return Layout("hall", floors=(FLOOR,), charger=_CHARGER, robots=(robot,))


async def _leave(scene: Scene) -> None:
    """Stand on the charger, then drive to the start."""
    body = scene.body
    await scene.until(lambda: body.state.is_on_charger and not body.state.is_moving)
    if await scene.actions.dock_charger():
        raise RobotError(Reason.MISSED, "the robot does not know that it stands on its charger")
    charger = body.state.pose.compose(DOCKED.inverse())
    await scene.actions.undock()
    start = _start(scene.rng, 0.3, 0.8, math.radians(70.0))
    await go_to(body, [charger.compose(start)], [charger_box(charger)])


async def _stay(_: Scene) -> None:
    return


async def _dock(scene: Scene) -> int:
    return await scene.actions.dock_charger()


def _is_docked(scene: Scene) -> bool:
    return bool(scene.read(lambda firmware: firmware.battery.on_charger))


TASKS = {
    "memory": Task(
        "charger, from memory",
        0.98,
        _docked,
        _leave,
        _dock,
        _is_docked,
        has_vision=False,
        time_limit=_TIME_LIMIT,
    ),
    "sight": Task(
        "charger, from sight",
        0.98,
        _docked,
        _leave,
        _dock,
        _is_docked,
        time_limit=_TIME_LIMIT,
    ),
    "search": Task(
        "charger, search",
        0.98,
        _placed,
        _stay,
        _dock,
        _is_docked,
        time_limit=_TIME_LIMIT,
    ),
}
