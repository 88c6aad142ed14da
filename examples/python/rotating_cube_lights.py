"""Let a light run around a cube; cube and robot do it by themselves once told.

python3 examples/python/rotating_cube_lights.py --robot 127.0.0.1
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser

from cozmo_driver.robot import Color, CubeKind, CubeLights, LightState, Robot, run_program, steady

DARK = steady(Color())
BLUE = LightState(Color(0, 0, 1), on_duration=0.15, off_duration=0.6, fade_in=0.15, fade_out=0.3)


async def main(robot: Robot, seconds: float) -> None:
    """Let a light run around a cube."""
    cube = await robot.cubes.connect(CubeKind.CUBE_1)
    # The pattern moves on by one light every 1.2 s.
    robot.cubes.set_lights(CubeLights((BLUE, DARK, DARK, DARK), rotation_period=1.2), cube.kind)
    await asyncio.sleep(seconds)
    robot.cubes.release_lights(cube.kind)


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="default %(default)s")
    run_program(main, parser)
