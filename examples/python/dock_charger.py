"""Drive home onto the charger; a robot that stands there leaves it first.

python3 examples/python/dock_charger.py --robot 127.0.0.1
"""

from __future__ import annotations

from argparse import ArgumentParser
from contextlib import AsyncExitStack

from cozmo_driver.manipulation import ChargerMemory, RobotManipulator, dock_charger
from cozmo_driver.perception import RobotPerception
from cozmo_driver.robot import Robot, run_program


def on_phase(phase: str, attempt: int) -> None:
    print(f"attempt {attempt}: {phase}")


async def main(robot: Robot, blind: bool) -> None:
    """Drive home onto the charger; a robot that stands there leaves it first."""
    memory = ChargerMemory()
    async with AsyncExitStack() as stack:
        perception = None if blind else await stack.enter_async_context(RobotPerception(robot))
        manipulator = RobotManipulator(robot, None if perception is None else perception.world)
        if not await dock_charger(manipulator, memory, on_phase):
            print("the robot stood there already: off it, and back")
            await robot.maneuvers.undock(extra_distance=0.10, speed=0.1)
            await dock_charger(manipulator, memory, on_phase)
    print("the robot stands on its charger")


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--blind", action="store_true", help="by odometry alone, without camera")
    run_program(main, parser)
