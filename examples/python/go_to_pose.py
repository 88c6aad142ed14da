"""Drive to a place beside the robot and look ahead again there.

python3 examples/python/go_to_pose.py --robot 127.0.0.1 --x 0.2 --y 0.1
"""

from __future__ import annotations

import math
from argparse import ArgumentParser

from cozmo_driver.robot import Pose2D, Robot, run_program


async def main(robot: Robot, x: float, y: float, degrees: float) -> None:
    """Drive to a pose that counts from where the robot stands."""
    goal = Pose2D(x, y, math.radians(degrees))
    left = await robot.maneuvers.go_to_pose(goal, is_relative=True)
    print(f"{left.distance_remaining * 1000:.0f} mm from the goal")


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--x", type=float, default=0.2, help="m ahead (default %(default)s)")
    parser.add_argument("--y", type=float, default=0.1, help="m to the left (default %(default)s)")
    parser.add_argument("--degrees", type=float, default=0.0, help="heading (default %(default)s)")
    run_program(main, parser)
