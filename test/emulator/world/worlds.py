"""Small worlds for tests; metres and degrees as in world files, mm and rad in code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.emulator.world import Layout, World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.emulator.world.optics import View

from ..bench import Bench, started

FOLDER = Path(__file__).parents[3] / "config" / "worlds"
TABLE = {"floor": [{"rectangle": [-0.3, -0.2, 0.3, 0.2]}]}
ROOM = {"floor": [{"rectangle": [-1.0, -1.0, 1.0, 1.0]}]}
QUIET = EmulatorOptions(ideal=True, calibration_time=0.0)


def layout(base: dict[str, Any], **more: Any) -> Layout:
    """Return the layout of a world file's content."""
    return layout_of({"name": "test"} | base | more, "test.yaml")


def world(base: dict[str, Any], ideal: bool = True, **more: Any) -> World:
    """Return a world, without errors of treads and gyro unless asked for."""
    return World(layout(base, **more), ideal=ideal)


def pixel(view: View, x: float, y: float, z: float) -> tuple[float, float]:
    """Return column and row of a point of the world, mm, by the pinhole itself."""
    right, down, ahead = view.axes.T @ (np.array([x, y, z]) - view.place)
    assert ahead > 0
    lens = view.lens
    return lens.cx + lens.fx * right / ahead, lens.cy + lens.fy * down / ahead


def bench_in(base: dict[str, Any], options: EmulatorOptions = QUIET, **more: Any) -> Bench:
    """Return a calibrated robot that is connected to an engine, in a world."""
    return started(options, world(base, **more))
