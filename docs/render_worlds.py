"""``python -m docs.render_worlds [FOLDER]``: the worlds from above, and what a robot sees there."""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from PIL import Image

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.variation import Variation
from cozmo_driver.emulator.view.top import TopView
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.media import mini_jpeg

IMAGES = Path(__file__).parent / "images"
_STEP = 0.1
_SPEED = 100.0
_COLORS = 128


@dataclass(frozen=True, slots=True)
class Trip:
    """What a robot drives before it looks around: (left, right) in mm/s for some seconds each."""

    world: str
    legs: tuple[tuple[float, float, float], ...]
    head: float
    """rad."""


def _turn(degrees: float) -> tuple[float, float, float]:
    """Return a turn on the spot; the treads slip, which looks like a track of 69 mm."""
    speed = math.copysign(69.0, degrees)
    return -speed, speed, abs(math.radians(degrees)) / 2.0


def _ahead(mm: float) -> tuple[float, float, float]:
    return math.copysign(_SPEED, mm), math.copysign(_SPEED, mm), abs(mm) / _SPEED


TRIPS = (
    Trip("room", (_ahead(-495.5), _turn(-50), _ahead(-250), _turn(60.2)), 0.12),
    Trip("maze", (_ahead(475.5), _turn(-90), _ahead(235), _turn(-89.2)), 0.05),
    Trip("table", (_turn(-15.1), _ahead(-60), _turn(24.6)), -0.1),
    Trip("landmarks", (_turn(95.2), _ahead(100), _turn(-80.2)), 0.0),
    Trip("visit", (_ahead(-60),), 0.16),
)


def render(trip: Trip) -> tuple[Image.Image, Image.Image]:
    """Return the world from above, with the robot's trail, and the camera's picture at its end."""
    world = World(load_layout(find_world(trip.world)), ideal=True)
    robot = Firmware(EmulatorOptions(ideal=True), 0.0, world)
    top = TopView(world)
    now, picture = 0.0, top.update()
    for left, right, seconds in (*trip.legs, (0.0, 0.0, 0.5)):
        robot.wheels.drive(left, right, 1e4, 1e4)
        end = now + seconds
        while now < end:
            now = min(now + _STEP, end)
            robot.handle_timer(now)
            picture = top.update() or picture
    assert picture is not None
    return picture, _photograph(World(world.layout), trip.head, robot.body.world_pose)


def _photograph(world: World, head: float = 0.0, where: Pose2D | None = None) -> Image.Image:
    """Return a picture as a robot sends it."""
    robot = Firmware(EmulatorOptions(torn_images=0, variation=Variation()), 0.0, world, where)
    robot.joints.head.angle = head
    return Image.fromarray(mini_jpeg.picture(mini_jpeg.to_jpeg(robot.camera.take_picture())))


def gallery() -> Image.Image:
    """Return what a robot's picture is like of the last world that simulation.md shows."""
    text = (Path(__file__).parent / "simulation.md").read_text()
    layout = layout_of(yaml.safe_load(re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)[-1]), "")
    return _photograph(World(layout))


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(prog="python -m docs.render_worlds", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES, help=f"default: {IMAGES}")
    folder = parser.parse_args().folder
    for trip in TRIPS:
        top, camera = render(trip)
        for name, picture in (("top", top.quantize(_COLORS)), ("camera", camera)):
            picture.save(folder / f"world_{trip.world}_{name}.png", optimize=True)
    gallery().save(folder / "world_gallery_camera.png", optimize=True)


if __name__ == "__main__":
    main()
