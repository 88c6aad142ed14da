"""Print what the robot feels: its tilt, how it turns, how it stands. Lift it and turn it over.

python3 examples/python/imu.py --robot 127.0.0.1
"""

from __future__ import annotations

import math
from argparse import ArgumentParser

from cozmo_driver.robot import Robot, run_program


async def main(robot: Robot, count: int) -> None:
    """Print what the robot feels, 33 times a second."""
    for _ in range(count):
        state = await robot.on_state.next()
        felt = state.acceleration
        print(
            f"pitch {math.degrees(state.pitch):+6.1f} deg  turning {state.yaw_rate:+5.2f} rad/s  "
            f"acceleration {felt.x:+6.2f} {felt.y:+6.2f} {felt.z:+6.2f} m/s^2  "
            f"{state.off_treads.name.lower()}",
            flush=True,
        )


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--count", type=int, default=1000, help="lines (default %(default)s)")
    run_program(main, parser)
