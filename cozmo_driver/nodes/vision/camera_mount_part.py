"""How the robot's camera is mounted: which robot it is, and what was learnt of it before."""

from __future__ import annotations

import asyncio

from cozmo_interfaces.msg import RobotInfo

from ...eyes.kept_mount import KeptMount
from ...robot import data_directory
from ...world_model.world_model import WorldModel
from ..context import NodeContext
from ..topics import LATCHED


class CameraMountPart:
    """Keeps it by the head's serial number; of recordings without ``robot_info`` nothing."""

    def __init__(self, context: NodeContext, world: WorldModel) -> None:
        self._kept = KeptMount(world.camera.mounting, data_directory())
        self.end = self._kept.end
        context.listen(RobotInfo, "robot_info", self._on_info, LATCHED)

    def _on_info(self, message: RobotInfo) -> None:
        self._kept.on_serial(int(message.head_serial))

    def update(self) -> None:
        self._kept.update(asyncio.get_running_loop().time())
