"""A drive: what a robot reports, what its camera shows of tags, and where it truly is.

Rendered drives are of emulated robots as they err by default, whose images are rendered, packed as
JPEG and searched; simulated ones of ``test/localization/room.py``, at a thousandth of the time.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator import Pose2D as Place
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.localization import Sighting, TagMap, sightings_of
from cozmo_driver.perception import (
    AS_DRAWN,
    Detections,
    Matrix,
    Mount,
    RobotPerception,
    StampedState,
    camera_pose,
)
from cozmo_driver.robot import CameraOptions, Pose2D, RobotError
from test.localization.room import FAMILY, LENGTH, WIDTH, Errors, Room, room_map
from test.robot.virtual import in_virtual_time

_MARGIN = 0.35
"""m from the walls that the robot keeps."""
_CARD = 0.010
"""m, thickness of the card that carries a tag."""
_HEAD = 0.08
_SPEEDS, _TURN_SPEEDS = (0.05, 0.12), (0.3, 0.9)
"""m/s and rad/s that are drawn from. Faster turns show nothing: their images are dropped."""
CARRIED_EVERY = 30.0
"""s between two times that the robot is carried, where it is."""


@dataclass
class Drive:
    """What happened, in the order in which it became known."""

    tags: TagMap
    """Where they truly are."""
    events: list[tuple[StampedState, list[tuple[float, list[Sighting]]]]] = field(
        default_factory=list
    )
    """Each state, and the images (stamp, tags) that came after it."""
    times: list[float] = field(default_factory=list)
    places: list[tuple[float, float, float]] = field(default_factory=list)
    """The truth: ``base_footprint`` at times, x, y, yaw."""
    carried: list[float] = field(default_factory=list)
    """Times at which the robot was put down elsewhere."""
    images: int = 0
    mount: Mount = AS_DRAWN
    """How the camera truly is."""

    def truth(self, stamp: float) -> Matrix:
        """Return where the robot was, x, y, yaw."""
        at = min(max(bisect_left(self.times, stamp), 1), len(self.times) - 1)
        (t0, t1), (a, b) = self.times[at - 1 : at + 1], np.array(self.places[at - 1 : at + 1])
        share = min(max((stamp - t0) / (t1 - t0), 0.0), 1.0)
        step = b - a
        step[2] = math.remainder(step[2], 2 * math.pi)
        found: Matrix = a + share * step
        return found


def simulated(seed: int, seconds: float, is_carried: bool = False, noise: float = 1.0) -> Drive:
    """Return a drive whose sightings are drawn by what was measured on rendered images."""
    errors = Errors.drawn(np.random.default_rng(seed)).times(noise)
    room = Room(seed, errors=errors)
    drive, due = Drive(room.tags, mount=errors.mount), room.now + CARRIED_EVERY
    for state, seen in room.run(seconds):
        drive.events.append((state, [] if seen is None else [(state.stamp, seen)]))
        drive.images += seen is not None
        drive.times.append(state.stamp)
        drive.places.append((room.x, room.y, room.yaw))
        if is_carried and room.now >= due:
            room.carry(*_free_place(room.random))
            drive.carried.append(room.now)
            due = room.now + CARRIED_EVERY
    return drive


def rendered(serial: int, seconds: float, is_carried: bool = False, family: str = FAMILY) -> Drive:
    """Return the drive of an emulated robot; odd serial numbers have the newer hardware."""
    tags = room_map(family=family)
    drive = Drive(tags)
    layout = layout_of(_world(tags), "localization")
    emulator = {
        "world": lambda: World(layout, seed=serial),
        "seed": serial,
        "identity": Identity(head_serial=serial),
        "hardware": ("1.0", "1.5")[serial % 2],
    }

    @in_virtual_time(emulator=emulator, camera=CameraOptions(enabled=True))
    async def run(world: Any) -> None:
        own = world.firmware.variation
        optics = own.optics
        drive.mount = Mount(own.head_zero - optics.down, optics.roll, optics.left)
        with TemporaryDirectory() as folder:
            perception = RobotPerception(world.robot, directory=Path(folder))
            perception.core.look_for(tags.families)
            async with perception:
                _record(world, perception, drive)
                await world.until(lambda: world.robot.odometry)
                await world.robot.joints.move_head(_HEAD)
                await _wander(world, np.random.default_rng(serial), seconds, is_carried, drive)

    run()
    return drive


def _record(world: Any, perception: RobotPerception, drive: Drive) -> None:
    sizes = {one.name: one.size for one in drive.tags.tags.values()}

    def on_odometry(_: object) -> None:
        state = perception.world.history.last
        if state is None or (drive.events and state.stamp <= drive.events[-1][0].stamp):
            return
        drive.events.append((state, []))
        body = world.firmware.body.world_pose.then(Place(-20.0))
        drive.times.append(world.loop.time())
        drive.places.append((body.x / 1e3, body.y / 1e3, body.angle))

    def on_detections(seen: Detections) -> None:
        frame = seen.frame
        if frame.state is None or not frame.is_searched or not drive.events:
            return
        drive.images += 1
        found = sightings_of(frame.markers, frame.camera, sizes)
        drive.events[-1][1].append((frame.stamp, found))

    world.robot.on_odometry.connect(on_odometry)
    perception.on_detections.connect(on_detections)


async def _wander(
    world: Any, random: np.random.Generator, seconds: float, is_carried: bool, drive: Drive
) -> None:
    """Drive to random places; only to keep off the walls it is known where the robot is."""
    end = world.loop.time() + seconds
    due = world.loop.time() + CARRIED_EVERY
    while world.loop.time() < end:
        if is_carried and world.loop.time() >= due:
            due = world.loop.time() + CARRIED_EVERY
            x, y, yaw = _free_place(random)
            world.firmware.handling.put_down(Place(1e3 * x, 1e3 * y, yaw))
            world.wire.wake()
            await world.pass_time(1.0)
            drive.carried.append(world.loop.time())
        here = world.firmware.body.world_pose
        x, y, _ = _free_place(random)
        goal = Place(1e3 * x, 1e3 * y).seen_from(here)
        try:
            await world.robot.maneuvers.go_to_pose(
                Pose2D(goal.x / 1e3, goal.y / 1e3),
                is_relative=True,
                is_heading_ignored=True,
                speed=float(random.uniform(*_SPEEDS)),
                turn_speed=float(random.uniform(*_TURN_SPEEDS)),
                position_tolerance=1.0,
                angle_tolerance=math.pi,
            )
        except RobotError:
            await world.pass_time(0.2)


def _free_place(random: np.random.Generator) -> tuple[float, float, float]:
    return (
        float(random.uniform(_MARGIN, LENGTH - _MARGIN)),
        float(random.uniform(_MARGIN, WIDTH - _MARGIN)),
        float(random.uniform(-math.pi, math.pi)),
    )


def _world(tags: TagMap) -> dict[str, Any]:
    """Return the world file of the room: cards with tags before its walls."""
    out = 0.01
    corners = [[-out, -out], [LENGTH + out, -out], [LENGTH + out, WIDTH + out], [-out, WIDTH + out]]
    boxes = []
    for one in tags.tags.values():
        facing = one.angles[0]
        x, y, z = one.pose[:3, 3]
        boxes.append(
            {
                "x": float(x - _CARD / 2 * math.cos(facing)),
                "y": float(y - _CARD / 2 * math.sin(facing)),
                "yaw": math.degrees(facing) + 180.0,
                "size": [_CARD, one.size * 1.5, 0.14],
                "gray": 235,
                "tags": [{"tag": one.name, "size": one.size, "up": float(z - 0.07)}],
            }
        )
    return {
        "name": "room",
        "floor": [{"rectangle": [-0.1, -0.1, LENGTH + 0.1, WIDTH + 0.1], "pattern": "wood"}],
        "walls": [{"points": [*corners, corners[0]], "height": 0.3, "gray": 190}],
        "boxes": boxes,
        "robots": [{"x": LENGTH / 2, "y": WIDTH / 2, "yaw": 20.0}],
    }


def lines_of_sight(drive: Drive) -> Matrix:
    """Return by how many pixels corners are beside where a true camera as drawn sees them."""
    off = []
    for state, images in drive.events:
        for stamp, seen in images:
            x, y, yaw = drive.truth(stamp)
            base = np.eye(4)
            c, s = math.cos(yaw), math.sin(yaw)
            base[:2, :2], base[:2, 3] = [[c, -s], [s, c]], (x, y)
            eye = camera_pose(base, state.head, state.mount, state.tilt)
            for one in seen:
                tag = drive.tags.tags[one.name]
                places = one.corners @ tag.pose[:3, :3].T + tag.pose[:3, 3]
                ahead = (places - eye[:3, 3]) @ eye[:3, :3]
                off.append((one.directions - ahead[:, :2] / ahead[:, 2:]) / one.pixel)
    return np.array(off)
