"""``cozmo vision watch``, and ``learn`` without pictures: with a robot's camera."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image as Picture

from ..emulator import picture_lines
from ..perception import (
    CubeLearner,
    Detections,
    ImageError,
    LearningError,
    RobotPerception,
    TaggedObject,
    Template,
    as_gray,
    draw_markers,
    learn,
    up_side,
)
from ..robot import MAX_LIFT_HEIGHT, CameraOptions, CubeKind, Robot, RobotError
from . import one_robot
from .common import CommandError

_UP = "\x1b[{}A\r"
_Save = Callable[[Sequence[Template], Template], None]


def configure_watch(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--output", type=Path, metavar="FOLDER", help="write pictures here, not to the terminal")
    add("--count", type=int, default=0, help="of pictures; 0 until interrupted (default)")
    add("--head", type=float, metavar="RAD", help="move the head there (default: leave it)")
    one_robot.add_arguments(parser, with_volume=False)


def configure_learn(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--one", action="store_true", help="only the side that the robot sees, without the radio")
    one_robot.add_arguments(parser, with_volume=False)


# -- watch


def watch(
    arguments: argparse.Namespace, templates: Sequence[Template], objects: Sequence[TaggedObject]
) -> int:
    """Show what a robot sees. Raises ``CommandError``."""
    if arguments.count < 0:
        raise CommandError(f"--count {arguments.count}: it is 0 or more", 2)
    if arguments.output is None and not sys.stdout.isatty():
        raise CommandError("the output is not a terminal: give a folder by --output", 2)

    if arguments.head is not None and not math.isfinite(arguments.head):
        raise CommandError(f"--head {arguments.head:g}: an angle in rad is needed", 2)

    async def live(robot: Robot) -> int:
        shown = 0
        if arguments.head is not None:
            await robot.joints.move_head(arguments.head)
        # From the first image on: who watches sees whether it is a good one.
        async with RobotPerception(robot, templates, objects, settling=0.0) as perception:
            while not arguments.count or shown < arguments.count:
                seen = await perception.on_detections.next()
                shown += 1
                if arguments.output is None:
                    _draw(seen, perception, is_first=shown == 1)
                else:
                    _write(seen, perception, arguments.output, shown)
        return 0

    return one_robot.run_with_robot(arguments, live, camera=CameraOptions(auto_exposure=True))


def _draw(seen: Detections, perception: RobotPerception, is_first: bool) -> None:
    """Draw a picture over the one before."""
    lines = [*picture_lines(_overlaid(seen)), _text(seen, perception)]
    back = "" if is_first else _UP.format(len(lines))
    print(back + "".join(f"{line}\x1b[K\n" for line in lines), end="", flush=True)


def _write(seen: Detections, perception: RobotPerception, folder: Path, number: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"picture_{number:06d}.png"
    Picture.fromarray(_overlaid(seen)).save(path)
    print(f"{path}: {_text(seen, perception)}", flush=True)


def _overlaid(seen: Detections) -> np.ndarray:
    return draw_markers(as_gray(seen.image.pixels()), seen.markers)


def _text(seen: Detections, perception: RobotPerception) -> str:
    """Return what is in an image, and where."""
    places = []
    for thing in perception.core.objects(seen.frame.stamp):
        if thing.is_visible and thing.pose is not None:
            x, y, _ = 1e3 * perception.in_robot(thing.pose)[:3, 3]
            side = "left" if y >= 0.0 else "right"
            places.append(f"{thing.name} {x:.0f} mm ahead, {abs(y):.0f} mm {side}")
    return "; ".join(places) or "nothing that is known"


# -- learn


def learn_live(arguments: argparse.Namespace, templates: Sequence[Template], save: _Save) -> int:
    """Learn a cube before a robot; ``save`` what is known after each side."""

    async def live(robot: Robot) -> int:
        # Raised, the lift hides nothing.
        await robot.joints.move_lift(MAX_LIFT_HEIGHT)
        await robot.joints.move_head(0.0)
        robot.camera.enable(True)
        if arguments.one:
            await _learn_one(robot, arguments, templates, save)
        else:
            await _learn_all(robot, CubeLearner(templates, arguments.cube), arguments.cube, save)
        return 0

    return one_robot.run_with_robot(
        arguments, live, camera=CameraOptions(enabled=False, auto_exposure=True)
    )


async def _learn_one(
    robot: Robot, arguments: argparse.Namespace, templates: Sequence[Template], save: _Save
) -> None:
    said = ""
    while True:
        gray = await _next_picture(robot)
        try:
            save(*learn(templates, arguments.cube, gray, arguments.side))
            return
        except LearningError as error:
            if str(error) != said:
                said = str(error)
                print(said, flush=True)


async def _learn_all(robot: Robot, learner: CubeLearner, cube: int, save: _Save) -> None:
    kind = CubeKind(cube)
    print(f"connecting cube {cube}", flush=True)
    await robot.cubes.connect(kind)
    loop = asyncio.get_running_loop()
    while not learner.is_done:
        if prompt := learner.prompt(loop.time()):
            print(prompt, flush=True)
        gray = await _next_picture(robot)
        try:
            known = robot.cubes.find(kind)
        except RobotError:
            continue
        if not known.is_moving and (side := up_side(known.up_axis)):
            learner.on_up(side)
        template = await loop.run_in_executor(None, learner.on_image, gray)
        if template is not None:
            save(learner.templates, template)
    print(learner.request)


async def _next_picture(robot: Robot) -> np.ndarray:
    while True:
        image = await robot.on_image.next()
        try:
            return as_gray(image.pixels())
        except (ImageError, ValueError):
            continue
