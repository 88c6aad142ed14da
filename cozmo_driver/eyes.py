"""``Eyes`` and ``Sight``, the former names of ``RobotPerception`` and ``Detections``.

They go with the next release: docs/vision.md, "Former names".
"""

from __future__ import annotations

import warnings

from .perception import Detections as Sight
from .perception import RobotPerception
from .robot import Signal

warnings.warn(
    "cozmo_driver.eyes goes with the next release: use RobotPerception and Detections of "
    "cozmo_driver.perception",
    DeprecationWarning,
    stacklevel=2,
)


class Eyes(RobotPerception):
    @property
    def on_sight(self) -> Signal[Sight]:
        return self.on_detections
