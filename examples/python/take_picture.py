"""Look up and take a picture in colours.

python3 examples/python/take_picture.py --robot 127.0.0.1 picture.png
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from pathlib import Path

from PIL import Image

from cozmo_driver.robot import CameraOptions, Robot, run_program

SETTLING = 1.5
"""s from the first picture on in which they may be torn: the first 2.5 s that a camera is on; the
driver leaves out the first one of them."""


async def main(robot: Robot, file: Path) -> None:
    """Look up and take a picture in colours."""
    await robot.joints.move_head(0.2)
    await robot.on_image.next()
    await asyncio.sleep(SETTLING)
    picture = await robot.on_image.next(lambda image: image.is_color and not image.is_blurred)
    Image.fromarray(picture.pixels()).save(file)
    print(f"picture {picture.image_id} is in {file}")


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=Path("picture.png"))
    run_program(main, parser, camera=CameraOptions(color=True, auto_exposure=True))
