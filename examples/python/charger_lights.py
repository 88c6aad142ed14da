"""Show colours on a charger pad, of the kind that has a radio and lights.

python3 examples/python/charger_lights.py --robot 127.0.0.1
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser

from cozmo_driver.robot import Color, CubeKind, CubeLights, Robot, run_program, steady

COLORS = (Color(1, 0, 0), Color(0, 1, 0), Color(0, 0, 1), Color())
DARK = steady(Color())


async def main(robot: Robot, seconds: float) -> None:
    """Show colours on a charger pad."""
    pad = await robot.cubes.connect(CubeKind.CHARGER)
    print(f"charger pad {pad.factory_id:08x}")
    for color in COLORS:
        # It has three lights; the fourth one is for cubes.
        light = steady(color)
        robot.cubes.set_lights(CubeLights((light, light, light, DARK)), pad.kind)
        await asyncio.sleep(seconds)


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="each (default %(default)s)")
    run_program(main, parser)
