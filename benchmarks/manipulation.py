"""``python -m benchmarks.manipulation [--seeds N]``: cubes and the charger, many times each.

Tasks with cubes are in ``hands``. Home onto the charger:

Robot, emulator and link are real, in virtual time; treads, gyro and pictures err. The robot starts
0.3 to 0.8 m from the charger's lip, up to 70 degrees beside its axis, with any heading. It stood on
the charger before: "memory" has no eyes, "sight" has, and "search" was put down 0.25 to 0.5 m from
it, up to 40 degrees beside its axis, and does not know it.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.world import Layout, World
from cozmo_driver.eyes.eyes import Eyes
from cozmo_driver.manipulation.charger import dock_charger
from cozmo_driver.manipulation.charger_memory import ChargerMemory
from cozmo_driver.manipulation.driving import charger_box, go_to
from cozmo_driver.manipulation.robot_body import RobotBody
from cozmo_driver.robot import CameraOptions, Pose2D, RobotError
from test.robot.virtual import in_virtual_time

from . import hands

_CHARGER = WorldPose(0.0, 0.0, 0.0)
_STARTS = {
    "memory": (0.3, 0.8, math.radians(70.0)),
    "sight": (0.3, 0.8, math.radians(70.0)),
    "search": (0.25, 0.5, math.radians(40.0)),
}
"""m from the lip, from and to, and the angle beside its axis."""
_TIME = 60.0
_HEAD = (
    "| task | within 60 s | median / longest | attempts 1/2/3/4 | beside the contacts |\n"
    "|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Outcome:
    """How one docking ended: at which attempt, 0 for a failure with its reason; s; mm."""

    attempts: int
    time: float
    lateral: float
    why: str = ""

    @property
    def is_home(self) -> bool:
        return self.attempts > 0 and self.time <= _TIME


def dock(seed: int, way: str) -> Outcome:
    """Let one robot drive home. Raises ``AssertionError`` where it claims what is not so."""
    rng = random.Random(seed)
    nearest, farthest, cone = _STARTS[way]
    away, aside = rng.uniform(nearest, farthest), rng.uniform(-cone, cone)
    with_sight = way != "memory"
    start = Pose2D(-away * math.cos(aside), away * math.sin(aside), rng.uniform(-math.pi, math.pi))
    docked = _CHARGER.then(WorldPose(30.0, 0.0, math.pi))
    placed = _placed(start) if way == "search" else docked
    layout = Layout("hall", floors=(hands.FLOOR,), charger=_CHARGER, robots=(placed,))
    outcomes: list[Outcome] = []

    @in_virtual_time(
        emulator={"world": lambda: World(layout, seed=seed), "seed": seed},
        camera=CameraOptions(enabled=with_sight),
    )
    async def scenario(world: Any) -> None:
        async with AsyncExitStack() as stack:
            eyes = await stack.enter_async_context(Eyes(world.robot)) if with_sight else None
            body = RobotBody(world.robot, eyes.world if eyes else None)
            memory = ChargerMemory()
            world.robot.on_state.connect(lambda _: memory.update(body.situation))
            if way != "search":
                await _leave(world, body, memory, start)
            outcomes.append(await _measured(world, body, memory))

    scenario()
    return outcomes[0]


def _placed(start: Pose2D) -> WorldPose:
    """Return the origin's place for a drive center, mm."""
    center = WorldPose(start.x * 1000, start.y * 1000, start.yaw)
    return _CHARGER.then(center).then(WorldPose(20.0))


async def _leave(world: Any, body: RobotBody, memory: ChargerMemory, start: Pose2D) -> None:
    await world.until(lambda: memory.pose(body.situation))
    await world.robot.maneuvers.undock()
    charger = memory.pose(body.situation)
    assert charger is not None
    await go_to(body, [charger.compose(start)], [charger_box(charger)])


async def _measured(world: Any, body: RobotBody, memory: ChargerMemory) -> Outcome:
    await world.until(lambda: body.situation.is_connected)
    begun, attempts, why = world.loop.time(), 0, ""
    try:
        attempts = await dock_charger(body, memory)
    except RobotError as error:
        why = f"{error.reason.name}: {error}"
    took = world.loop.time() - begun
    is_there = world.firmware.battery.on_charger
    assert is_there == bool(attempts), f"the robot claims {attempts or why}, and stands elsewhere"
    place = world.firmware.body.world_pose.seen_from(world.firmware.place.world.dock)
    return Outcome(attempts, took, abs(place.y), why)


def row(title: str, outcomes: Sequence[Outcome]) -> str:
    """Return the summary as a row of a Markdown table."""
    home = [one for one in outcomes if one.is_home]
    times = [one.time for one in home] or [math.nan]
    tries = "/".join(str(sum(one.attempts == n for one in home)) for n in (1, 2, 3, 4))
    lateral = max((one.lateral for one in home), default=math.nan)
    return (
        f"| {title} | {len(home)} of {len(outcomes)} | {statistics.median(times):.0f} s "
        f"/ {max(times):.0f} s | {tries} | {lateral:.1f} mm |"
    )


def main() -> int:
    """Do what is chosen; the exit code is 1 where less than what is to be reached was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=(*hands.TASKS, *_STARTS))
    chosen = parser.parse_args()
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    is_good = True
    for head, names, section in (
        (hands.HEAD, hands.TASKS, _cubes_row),
        (_HEAD, _STARTS, _charger_row),
    ):
        rows = []
        for name in names:
            if chosen.only in (None, name):
                made, is_reached = section(name, seeds)
                rows.append(made)
                is_good = is_good and is_reached
        if rows:
            print("\n".join((head, *rows)), end="\n\n")
    return 0 if is_good else 1


def _cubes_row(name: str, seeds: Iterable[int]) -> tuple[str, bool]:
    """Return the row of a task with cubes, and whether its goal was reached."""
    task, outcomes = hands.TASKS[name], []
    for seed in seeds:
        outcomes.append(hands.try_once(task, seed))
        print(name, seed, outcomes[-1], file=sys.stderr, flush=True)
    share = sum(one.is_good for one in outcomes) / len(outcomes)
    return hands.row(task, outcomes), share >= task.goal and not any(o.is_false for o in outcomes)


def _charger_row(way: str, seeds: Iterable[int]) -> tuple[str, bool]:
    outcomes = []
    for seed in seeds:
        outcomes.append(dock(seed, way))
        print(way, seed, outcomes[-1], file=sys.stderr, flush=True)
    share = sum(one.is_home for one in outcomes) / len(outcomes)
    return row(f"charger, {way}", outcomes), share >= 0.98


if __name__ == "__main__":
    sys.exit(main())
