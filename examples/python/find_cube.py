"""Turn until a light cube is in sight, and look at it.

python3 examples/python/find_cube.py --robot 127.0.0.1 --cube 1
"""

from __future__ import annotations

import math
from argparse import ArgumentParser

from cozmo_driver.perception import LocatedObject, RobotPerception, load_templates
from cozmo_driver.robot import Robot, RobotError, data_directory, run_program

STEPS = 9
"""The camera sees 57 degrees of the 360."""
NECK = 0.05
"""m above the floor."""
TILT = math.radians(4.0)
"""The camera looks down by this when the head is level."""


async def search(robot: Robot, perception: RobotPerception, name: str) -> LocatedObject:
    """Turn until an object is in sight, once around at most."""
    for _ in range(STEPS):
        try:
            return await perception.find(name, timeout=2.0)
        except RobotError:
            await robot.turns.turn(2 * math.pi / STEPS)
    return await perception.find(name, timeout=2.0)


async def main(robot: Robot, cube: int) -> None:
    """Turn until a light cube is in sight, and look at it."""
    name = f"cube_{cube}"
    await robot.joints.move_head(0.0)
    # What `cozmo vision learn` has learnt; the emulator's cubes are known without.
    templates = load_templates(data_directory() / "markers.json")
    async with RobotPerception(robot, templates) as perception:
        found = await search(robot, perception, name)
        assert found.pose is not None  # it is in sight
        x, y, z = perception.in_robot(found.pose)[:3, 3]
        await robot.turns.turn(math.atan2(y, x))
        await robot.joints.move_head(math.atan2(z - NECK, x) + TILT)
        found = await perception.find(name, timeout=3.0)
        assert found.pose is not None
        x, y, _ = perception.in_robot(found.pose)[:3, 3]
        print(f"{name} is {1000 * x:.0f} mm ahead and {1000 * y:.0f} mm to the left")


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--cube", type=int, default=1, choices=(1, 2, 3), help="which")
    run_program(main, parser)
