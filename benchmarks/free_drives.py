"""Whether an independent robot that shakes as a recorded one is stopped while it drives freely.

``python -m benchmarks.free_drives [--drives N] [--scales 1 2 3]`` runs ``PEER`` with the recorded
drive, and drives it about over UDP, in real time, all scales at once.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from benchmarks import SHARED
from benchmarks.fidelity.driving import RECORDING
from cozmo_driver.robot import Phase, Robot, RobotError, RobotEvent, RobotOptions

PEER = SHARED / "peer" / "independent_robot.py"
PERIOD, PAUSE = 0.05, 0.6
"""s between two commands, and between two drives."""
LEAST_WAY = 0.01
"""Of a drive that was one, m and rad together."""

How: TypeAlias = Callable[[float, int, int], Awaitable[list[str]]]
"""Drives about: strength of shaking, number of drives, seed."""


@dataclass(frozen=True, slots=True)
class Drive:
    """Speeds in m/s and rad/s, each for some seconds, one after the other without a pause."""

    name: str
    legs: tuple[tuple[float, float, float], ...]


def drives(count: int, seed: int) -> Iterator[Drive]:
    """Return straight drives, arcs, turns and starts and stops, at 20 to 200 mm/s."""
    random = Random(f"{seed} free drives")
    for number in range(count):
        speed = random.choice((0.02, 0.03, 0.05, 0.1, 0.15, 0.2)) * random.choice((1, 1, -1))
        turn = random.uniform(0.3, 4.0) * random.choice((1, -1))
        kind = ("straight", "arc", "turn", "starts and stops", "to and fro")[number % 5]
        legs = {
            "straight": ((speed, 0.0, 1.5),),
            "arc": ((speed, turn / 2, 1.5),),
            "turn": ((0.0, turn, 1.5),),
            "starts and stops": ((speed, 0.0, 0.4), (0.0, 0.0, 0.3)) * 3,
            "to and fro": ((speed, 0.0, 0.5), (-speed, 0.0, 0.5), (0.0, turn, 0.5)) * 2,
        }[kind]
        yield Drive(f"{kind}, {1000 * speed:.0f} mm/s, {turn:.1f} rad/s", legs)


@contextlib.contextmanager
def peer(scale: float, seed: int) -> Iterator[int]:
    """Run the independent robot; yield its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [
            *(sys.executable, str(PEER), "--port", str(port), "--seconds", "3600"),
            *("--shaking", str(RECORDING), "--shake-scale", str(scale), "--seed", str(seed)),
        ]
    )
    try:
        yield port
    finally:
        process.terminate()
        process.wait()


async def drive_about(scale: float, count: int, seed: int) -> list[str]:
    """Drive a shaking robot about with the reflex on; return the drives cut short, and why."""
    cut: list[str] = []
    with peer(scale, seed) as port:
        robot = Robot(RobotOptions(address="127.0.0.1", port=port, stop_on_bump=True))
        faults: list[str] = []

        def on_event(event: RobotEvent) -> None:
            faults.append(event.description)

        await robot.start()
        try:
            while robot.session_state.phase is not Phase.CONNECTED or robot.state is None:
                await asyncio.sleep(PERIOD)
            robot.on_event.connect(on_event)
            for drive in drives(count, seed):
                faults.clear()
                way = await _drive(robot, drive, faults)
                if way < LEAST_WAY:
                    faults.append(f"it moved {way:.3f} m and rad")
                if faults:
                    cut.append(f"{drive.name}: {', '.join(faults)}")
        finally:
            await robot.stop()
    return cut


async def _drive(robot: Robot, drive: Drive, faults: list[str]) -> float:
    """Command a drive 20 times a second; return the way, m and rad together."""
    way, before = 0.0, robot.state
    for linear, angular, seconds in (*drive.legs, (0.0, 0.0, PAUSE)):
        for _ in range(round(seconds / PERIOD)):
            try:
                robot.motion.drive(linear, angular)
            except RobotError as error:
                faults.append(f"refused: {error}")
            await asyncio.sleep(PERIOD)
            assert before is not None
            assert robot.state is not None
            way += sum(map(abs, robot.state.traveled_since(before) or (0.0, 0.0)))
            before = robot.state
    return way


def main(how: How = drive_about) -> None:
    """Print how many drives of each scale were cut short, and why."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--drives", type=int, default=100)
    parser.add_argument("--scales", type=float, nargs="+", default=[1.0, 2.0, 3.0])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()

    async def all_scales() -> list[list[str]]:
        runs = [how(scale, given.drives, given.seed) for scale in given.scales]
        return await asyncio.gather(*runs)

    for scale, cut in zip(given.scales, asyncio.run(all_scales()), strict=True):
        print(f"shaking x{scale:g}: {len(cut)} of {given.drives} drives cut short")
        for one in cut[:20]:
            print(f"  {one}")


if __name__ == "__main__":
    main()
