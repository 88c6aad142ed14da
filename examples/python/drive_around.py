"""Drive to a place around the cubes that are seen on the way.

python3 examples/python/drive_around.py --robot 127.0.0.1 --x 0.6
"""

from __future__ import annotations

import asyncio
import math
from argparse import ArgumentParser

from cozmo_driver.manipulation import RobotManipulator, go_to
from cozmo_driver.perception import RobotPerception, load_templates
from cozmo_driver.robot import Pose2D, Robot, data_directory, run_program

LOOK = 3.0
"""s to look ahead before it starts."""


async def main(robot: Robot, x: float, y: float) -> None:
    """Drive to a place that counts from where the robot stands, and look ahead there."""
    await robot.joints.move_head(math.radians(-10.0))
    # What `cozmo vision learn` has learnt; the emulator's cubes are known without.
    templates = load_templates(data_directory() / "markers.json")
    async with RobotPerception(robot, templates) as perception:
        await asyncio.sleep(LOOK)
        manipulator = RobotManipulator(robot, perception.world)
        seen = [one.name for one in manipulator.objects.values() if one.is_visible]
        print(f"sees {', '.join(seen) or 'nothing in its way'}")
        goal = robot.localization.drive_center.compose(Pose2D(x, y))
        await go_to(manipulator, [goal])
    here = robot.localization.drive_center
    print(f"{1000 * math.dist((here.x, here.y), (goal.x, goal.y)):.0f} mm from the goal")


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--x", type=float, default=0.6, help="m ahead (default %(default)s)")
    parser.add_argument("--y", type=float, default=0.0, help="m to the left (default %(default)s)")
    run_program(main, parser)
