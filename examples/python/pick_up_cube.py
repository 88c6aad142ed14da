"""Turn until a light cube is in sight, pick it up, and put it down on the left.

python3 examples/python/pick_up_cube.py --robot 127.0.0.1 --cube 1
"""

from __future__ import annotations

import math
from argparse import ArgumentParser

from cozmo_driver.manipulation import RobotManipulator, pick_up_cube, place_here
from cozmo_driver.perception import RobotPerception, load_templates
from cozmo_driver.robot import Robot, RobotError, data_directory, run_program

STEPS = 9
"""The camera sees 57 degrees of the 360."""


async def search(robot: Robot, perception: RobotPerception, name: str) -> None:
    """Turn until an object is in sight, once around at most."""
    for _ in range(STEPS):
        try:
            await perception.find(name, timeout=2.0)
        except RobotError:
            await robot.turns.turn(2 * math.pi / STEPS)
        else:
            return
    await perception.find(name, timeout=2.0)


async def main(robot: Robot, cube: int) -> None:
    """Pick up a light cube and put it down on the left."""
    name = f"cube_{cube}"
    await robot.joints.move_head(0.0)
    # What `cozmo vision learn` has learnt; the emulator's cubes are known without.
    templates = load_templates(data_directory() / "markers.json")
    async with RobotPerception(robot, templates) as perception:
        manipulator = RobotManipulator(robot, perception.world)
        await search(robot, perception, name)
        await pick_up_cube(manipulator, name, lambda phase, _: print(phase, flush=True))
        await robot.turns.turn(math.pi / 2)
        place = await place_here(manipulator)
        print(f"{name} stands at {place.x:.3f}, {place.y:.3f} m now")


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--cube", type=int, default=1, choices=(1, 2, 3), help="which")
    run_program(main, parser)
