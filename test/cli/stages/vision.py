from __future__ import annotations

from pathlib import Path

from PIL import Image

from benchmarks.vision.scenes import cube_facing

from ...vision.pictures import seen


def prepare(folder: Path) -> None:
    for name, cube in (("picture", 2), ("cube1", 1), ("cube3", 3)):
        picture = seen(cube_facing(cube, "front", 0.12, kind=5)).picture
        Image.fromarray(picture).save(folder / f"{name}.png")
