"""Images of cubes as the benchmark makes them up, with what is true of them."""

from __future__ import annotations

import numpy as np

from benchmarks.vision.scenes import (
    CX,
    CY,
    FX,
    FY,
    Conditions,
    Cube,
    Gray,
    Scene,
    Truth,
    render,
)
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.markers import Marker, as_gray

CAMERA = Camera(FX, FY, CX, CY)
ROOM = np.tile(np.linspace(70, 190, 240)[:, None], (1, 320)).astype(np.uint8)
"""A room without anything in it."""


def seen(*cubes: Cube, seed: int = 0, behind: Gray = ROOM, **conditions: float) -> Scene:
    """An image of cubes, gray 240x320."""
    scene = render(list(cubes), Conditions(**conditions), np.random.default_rng(seed), behind)
    scene.picture = as_gray(scene.picture)
    return scene


def marker_at(truth: Truth, markers: list[Marker]) -> Marker | None:
    """The marker that was found where one is."""
    middle = truth.corners.mean(axis=0)
    return next(
        (m for m in markers if np.abs(m.corners.mean(axis=0) - middle).max() < 0.1 * truth.size),
        None,
    )
