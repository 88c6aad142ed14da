"""``Eyes`` and ``Sight``, the former names of ``RobotPerception`` and ``Detections``.

They go with the next release: docs/vision.md, "Former names".
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from .perception import Detections as Sight
from .perception import RobotPerception, TaggedObject, Template
from .robot import Robot, Signal

warnings.warn(
    "cozmo_driver.eyes goes with the next release: use RobotPerception and Detections of "
    "cozmo_driver.perception",
    DeprecationWarning,
    stacklevel=2,
)


class Eyes(RobotPerception):
    def __init__(
        self,
        robot: Robot,
        drawings: Sequence[Template] = (),
        objects: Sequence[TaggedObject] = (),
        directory: Path | None = None,
    ) -> None:
        super().__init__(robot, drawings, objects, directory)

    @property
    def on_sight(self) -> Signal[Sight]:
        return self.on_detections
