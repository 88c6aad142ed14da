from __future__ import annotations

from pathlib import Path

from PIL import Image

from benchmarks.vision.scenes import cube_facing

from ...perception.pictures import seen

_LIVE, _OTHERS = "cozmo vision learn --cube 1", "cozmo vision learn --cube 1 --side"
CODES = {_LIVE: 130, _OTHERS: 0, "cozmo vision watch": 2, "cozmo vision watch --output": 0}
ENDS = {_LIVE: "connecting cube 1", _OTHERS: ""}
# In a terminal only, which there is none in a test.
OFFLINE = ("cozmo vision watch", "cozmo vision learn --cube 3", _OTHERS)


def prepare(folder: Path) -> None:
    for name, cube in (("picture", 2), ("cube1", 1), ("cube3", 3)):
        picture = seen(cube_facing(cube, "front", 0.12, kind=5)).picture
        Image.fromarray(picture).save(folder / f"{name}.png")
