"""Time in which markers are found in a picture, with cubes and without."""

from __future__ import annotations

import time
from collections.abc import Sequence

import cv2
import numpy as np

from cozmo_driver.perception.detection.markers import MarkerDetector, as_gray
from cozmo_driver.perception.perception import CHARGER_EVERY

from ..rows import Row, limit_row
from .backgrounds import world_picture
from .measure import scenes
from .scenes import Gray

_PICTURES, _ROUNDS = 60, 5
"""The best round of each picture counts."""


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    before, random = cv2.getNumThreads(), np.random.default_rng(1)
    cv2.setNumThreads(1)
    try:
        cubes = [as_gray(scene.picture) for scene, _, _ in scenes(_PICTURES, 1, (0,))]
        empty = [world_picture(random) for _ in range(_PICTURES)]
        return [
            limit_row(f"markers found in a picture 320x240, {what}", None, ms(pictures), most, "ms")
            for what, pictures, most in (
                ("one cube or two", cubes, 4.0),
                ("none in a world", empty, 1.0),
            )
        ]
    finally:
        cv2.setNumThreads(before)


def ms(pictures: Sequence[Gray]) -> float:
    """Return the median CPU time of a picture, ms."""
    detector = MarkerDetector(charger_every=CHARGER_EVERY)
    rounds = []
    for _ in range(_ROUNDS):
        times = []
        for picture in pictures:
            begin = time.thread_time()
            detector.detect(picture)
            times.append(time.thread_time() - begin)
        rounds.append(times)
    return 1e3 * float(np.median(np.min(rounds, axis=0)))
