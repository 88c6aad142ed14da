"""Perception for a step, and which cube the camera sees first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ..link import with_timeout
from ..perception import (
    TEMPLATES_FILE,
    Detections,
    RobotPerception,
    Template,
    load_templates,
)
from ..robot import data_directory
from .bench import Bench

FINDING = 10.0
"""s; in dim light the exposure takes 15 steps of 0.3 s to its longest, and more for the gain."""


def learnt_templates() -> list[Template]:
    """Return what was learnt of the user's own cubes. Raises ``TemplateFileError``."""
    return load_templates(data_directory() / TEMPLATES_FILE)


@asynccontextmanager
async def open_perception(
    bench: Bench, templates: Sequence[Template] = ()
) -> AsyncIterator[RobotPerception]:
    """Search the camera's images during the block; of its mount nothing is used or kept.

    Images have the lens that the robot stores. A mount that was learnt belongs to the lens that
    was measured, and what is learnt here would spoil it.
    """
    with TemporaryDirectory() as folder:
        seen = RobotPerception(bench.robot, templates, directory=Path(folder))
        async with bench.camera(is_auto=True), seen as perception:
            yield perception


async def first_cube(perception: RobotPerception) -> tuple[str, int]:
    """Return the name of a cube as soon as one is seen, and how many markers have no name.

    The name is empty where none is seen within 10 s.
    """
    nameless = 0

    def cube_in(seen: Detections) -> str:
        nonlocal nameless
        names = [marker.name for marker in seen.markers]
        nameless = max(nameless, names.count(None))
        return next((name for name in names if name and name.startswith("cube_")), "")

    try:
        seen = await with_timeout(FINDING, perception.on_detections.next(cube_in))
    except TimeoutError:
        return "", nameless
    return cube_in(seen), nameless
