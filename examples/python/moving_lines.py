"""Draw a triangle on the face whose corners bounce off the edges of the screen.

python3 examples/python/moving_lines.py --robot 127.0.0.1
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from itertools import combinations
from random import randint

import numpy as np
from PIL import Image, ImageDraw

from cozmo_driver.robot import Robot, run_program

SIZE = (128, 64)
FRAME_TIME = 1 / 30


def moved(place: int, speed: int, size: int) -> tuple[int, int]:
    """Return where a coordinate is one frame later, and its speed."""
    if not 0 <= place + speed < size:
        speed = -speed
    return place + speed, speed


async def main(robot: Robot, seconds: float) -> None:
    """Draw a triangle on the face whose corners bounce off the edges of the screen."""
    await robot.joints.move_head(0.5)
    xs = [(randint(0, 127), speed) for speed in (-2, 1, 3)]
    ys = [(randint(0, 63), speed) for speed in (1, 2, -1)]
    for _ in range(round(seconds / FRAME_TIME)):
        xs = [moved(*x, SIZE[0]) for x in xs]
        ys = [moved(*y, SIZE[1]) for y in ys]
        picture = Image.new("1", SIZE)
        draw = ImageDraw.Draw(picture)
        for a, b in combinations(range(3), 2):
            draw.line((xs[a][0], ys[a][0], xs[b][0], ys[b][0]), fill=1, width=2)
        robot.display.show(np.asarray(picture))
        await asyncio.sleep(FRAME_TIME)


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="default %(default)s")
    run_program(main, parser)
