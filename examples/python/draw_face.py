"""Draw a face of one's own: any of its 43 parameters can be set.

python3 examples/python/draw_face.py --robot 127.0.0.1
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from dataclasses import replace

from cozmo_driver.face import combine as with_layer
from cozmo_driver.face import find, look_at, render
from cozmo_driver.robot import Robot, run_program


async def main(robot: Robot, seconds: float) -> None:
    """Show the neutral face, winking and looking up."""
    await robot.joints.move_head(0.5)
    neutral = find("Neutral").face
    wink = replace(neutral, left_eye=replace(neutral.left_eye, upper_lid_y=0.9))
    for face in (neutral, wink, with_layer(neutral, look_at(20, -8))):
        robot.display.show(render(face, parity=None))
        await asyncio.sleep(seconds)


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="each (default %(default)s)")
    run_program(main, parser)
