"""Show every expression, each blended from the one before, with eyes that blink and dart about.

python3 examples/python/expressions.py --robot 127.0.0.1
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from random import Random

from cozmo_driver.face import EXPRESSIONS, FaceEngine
from cozmo_driver.robot import Robot, run_program

FRAME_TIME = 1 / 30


async def main(robot: Robot, seconds: float) -> None:
    """Show every expression."""
    now = asyncio.get_running_loop().time
    await robot.joints.move_head(0.5)
    face = FaceEngine(Random(), now=now())
    for expression in EXPRESSIONS:
        print(expression.name)
        face.show(expression.name, now(), blend_time=min(0.3, seconds / 2))
        until = now() + seconds
        while now() < until:
            robot.display.show(face.picture_at(now()))
            await asyncio.sleep(FRAME_TIME)


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=1.5, help="each (default %(default)s)")
    run_program(main, parser)
