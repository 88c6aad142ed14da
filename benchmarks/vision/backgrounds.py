"""What is behind the cubes: rooms of noise, clutter, and the emulator's worlds; gray 240x320."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.media import mini_jpeg

Gray = npt.NDArray[np.uint8]
WIDTH, HEIGHT = 320, 240
WORLDS = ("table", "room", "maze")
_LIGHT, _TURN = (0.15, 1.3), 0.35
"""Of the usual light, and rad/s."""


def background(random: np.random.Generator) -> Gray:
    """Return a background without any marker, for a camera to look at."""
    kind = random.integers(4)
    if kind == 0:
        return world_picture(random, ideal=True)
    room = _room(random)
    if kind >= 2:
        _clutter(room, random)
    return room


@lru_cache(maxsize=6)
def _robot(name: str, ideal: bool) -> tuple[Firmware, Pose2D]:
    layout = replace(load_layout(find_world(name)), cubes={}, charger=None)
    robot = Firmware(EmulatorOptions(ideal=ideal), 0.0, World(layout, ideal=ideal))
    return robot, robot.body.world_pose


def world_picture(random: np.random.Generator, ideal: bool = False) -> Gray:
    """Return what an emulated robot sees from a random place of a world without markers.

    As it sends it, in light from dim to bright; in an ``ideal`` one evenly lit and without noise.
    """
    robot, start = _robot(WORLDS[int(random.integers(len(WORLDS)))], ideal)
    x, y = random.uniform(-80, 80, 2)
    robot.body.carry_to(Pose2D(start.x + x, start.y + y, random.uniform(-math.pi, math.pi)))
    robot.joints.head.angle = random.uniform(-0.3, 0.5)
    if not ideal:
        robot.camera.light = random.uniform(*_LIGHT)
        robot.body.yaw_rate = random.uniform(0.0, _TURN) if random.random() < 0.5 else 0.0
        return mini_jpeg.picture(mini_jpeg.to_jpeg(robot.camera.take_picture()))
    picture = robot.camera.preview()
    assert picture is not None
    return picture


def _room(random: np.random.Generator) -> Gray:
    """Return a floor before a wall, both with a grain of several sizes."""
    picture = np.zeros((HEIGHT, WIDTH), np.float32)
    horizon = int(random.integers(30, 140))
    picture[:horizon], picture[horizon:] = random.uniform(20, 170), random.uniform(60, 220)
    for step in (2, 5, 12, 40, 100):
        small = random.normal(0, random.uniform(1, 12), (HEIGHT // step + 2, WIDTH // step + 2))
        picture += cv2.resize(
            small.astype(np.float32), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC
        )
    return np.clip(picture, 0, 255).astype(np.uint8)


def _clutter(picture: Gray, random: np.random.Generator) -> None:
    """Draw shelves, boards, frames, tape and print into a room."""
    for _ in range(int(random.integers(4, 14))):
        x, y = int(random.integers(-20, WIDTH)), int(random.integers(-20, HEIGHT))
        w, h = int(random.integers(10, 90)), int(random.integers(10, 90))
        tone = int(random.integers(0, 256))
        kind = random.integers(6)
        if kind == 0:
            cv2.rectangle(picture, (x, y), (x + w, y + h), tone, -1)
        elif kind == 1:
            # A frame, as of a window or a screen: a ring but for its thickness or what is in it.
            cv2.rectangle(picture, (x, y), (x + w, y + h), 230, -1)
            line = max(1, round(min(w, h) * random.choice((0.03, 0.1, 0.2))))
            cv2.rectangle(picture, (x + 4, y + 4), (x + w - 4, y + h - 4), 20, line)
        elif kind == 2:
            cell = max(w // 6, 3)
            for i in range(6):
                for j in range(6):
                    corner = (x + i * cell, y + j * cell)
                    end = (corner[0] + cell - 1, corner[1] + cell - 1)
                    cv2.rectangle(picture, corner, end, 20 if (i + j) % 2 else 230, -1)
        elif kind == 3:
            end = (int(random.integers(0, WIDTH)), int(random.integers(0, HEIGHT)))
            cv2.line(picture, (x, y), end, 15, int(random.integers(2, 9)))
        elif kind == 4:
            text = "".join(chr(int(c)) for c in random.integers(48, 90, 6))
            cv2.rectangle(picture, (x, y), (x + 110, y + 28), 220, -1)
            cv2.putText(picture, text, (x + 4, y + 20), cv2.FONT_HERSHEY_SIMPLEX, 0.7, 20, 2)
        else:
            for i in range(0, w, 8):
                cv2.rectangle(
                    picture, (x + i, y), (x + i + 6, y + h), int(random.integers(256)), -1
                )
