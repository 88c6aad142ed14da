"""Show a picture file on the face, in the robot's two shades.

python3 examples/python/show_picture.py --robot 127.0.0.1 picture.png
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from cozmo_driver.robot import Robot, run_program

SIZE = (128, 64)


async def main(robot: Robot, file: Path, seconds: float) -> None:
    """Show a picture file on the face."""
    await robot.joints.move_head(0.5)
    gray = ImageOps.pad(Image.open(file).convert("L"), SIZE)
    robot.display.show(np.asarray(gray))
    await asyncio.sleep(seconds)


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0, help="default %(default)s")
    run_program(main, parser)
