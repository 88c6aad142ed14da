"""Connect a light cube and show colours on it, one after the other.

python3 examples/python/cube_lights.py --robot 127.0.0.1 --cube 2
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser

from cozmo_driver.robot import Color, CubeKind, Robot, run_program, steady, uniform_lights

COLORS = (Color(1, 0, 0), Color(0, 1, 0), Color(0, 0, 1), Color())


async def main(robot: Robot, cube: int, seconds: float) -> None:
    """Show colours on a light cube."""
    found = await robot.cubes.connect(CubeKind(cube))
    print(f"cube {cube} is {found.factory_id:08x}")
    for color in COLORS:
        robot.cubes.set_lights(uniform_lights(steady(color)), found.kind)
        await asyncio.sleep(seconds)


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--cube", type=int, choices=(1, 2, 3), default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="each (default %(default)s)")
    run_program(main, parser)
