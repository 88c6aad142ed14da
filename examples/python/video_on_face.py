"""Show what the camera sees on the face, as a mirror would.

python3 examples/python/video_on_face.py --robot 127.0.0.1
"""

from __future__ import annotations

from argparse import ArgumentParser

import numpy as np
from PIL import Image, ImageOps

from cozmo_driver.robot import CameraOptions, Robot, run_program

SIZE = (128, 64)


async def main(robot: Robot, pictures: int) -> None:
    """Show what the camera sees on the face."""
    await robot.joints.move_head(0.3)
    for _ in range(pictures):
        seen = await robot.on_image.next()
        mirrored = ImageOps.mirror(ImageOps.fit(Image.fromarray(seen.pixels()), SIZE))
        robot.display.show(np.asarray(ImageOps.autocontrast(mirrored)))


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--pictures", type=int, default=450, help="default %(default)s, for 30 s")
    run_program(main, parser, camera=CameraOptions(auto_exposure=True))
