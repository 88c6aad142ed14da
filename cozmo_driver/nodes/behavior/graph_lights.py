"""The lights of backpack and cubes, shown through the driver by the patterns of the files."""

from __future__ import annotations

import asyncio

from cozmo_interfaces.msg import BackpackLights, CubeLights

from ...animation.assets import backpack_lights_of, cube_lights_of
from ...behavior.body import ActionFailed
from ...resources import CubeLightAnimation
from ...resources.library import Library
from ...robot import Reason
from ..context import NodeContext
from ..conversions.cubes import backpack_message, cube_lights_message
from ..topics import SENSOR


class GraphLights:
    """Lights that behaviours have on, and gives them back. In the loop."""

    def __init__(self, context: NodeContext, library: Library) -> None:
        """Offer the patterns of ``library``."""
        self._library = library
        node = context.node
        self._backpack = node.create_publisher(BackpackLights, "backpack_lights", SENSOR)
        self._cubes = node.create_publisher(CubeLights, "cube_lights", SENSOR)
        self._is_backpack_lit = False
        self._shown: dict[int, asyncio.Task[None]] = {}

    def light_backpack(self, pattern: str) -> None:
        """See ``Body``."""
        if not pattern:
            if self._is_backpack_lit:
                self._is_backpack_lit = False
                self._backpack.publish(BackpackLights(is_released=True))
            return
        found = self._library.backpack_patterns.get(pattern)
        if found is None:
            raise ActionFailed(Reason.NOT_FOUND, f"there is no backpack pattern {pattern!r}")
        self._is_backpack_lit = True
        self._backpack.publish(backpack_message(backpack_lights_of(found)))

    def light_cube(self, factory_id: int, trigger: str) -> None:
        """See ``Body``."""
        shown = self._shown.pop(factory_id, None)
        if shown is not None:
            shown.cancel()
        if not trigger:
            if shown is not None:
                self._release(factory_id)
            return
        library = self._library
        animation = library.cube_lights.get(library.cube_triggers.get(trigger, trigger))
        if animation is None:
            raise ActionFailed(Reason.NOT_FOUND, f"there are no cube lights for {trigger!r}")
        self._shown[factory_id] = asyncio.ensure_future(self._show(factory_id, animation))

    def release(self) -> None:
        """Give every light back."""
        self.light_backpack("")
        for factory_id in tuple(self._shown):
            self.light_cube(factory_id, "")

    async def _show(self, factory_id: int, animation: CubeLightAnimation) -> None:
        for step in animation.steps:
            self._cubes.publish(cube_lights_message(cube_lights_of(step), factory_id))
            if not step.duration_ms:
                return
            await asyncio.sleep(step.duration_ms / 1000)
        self._release(factory_id)

    def _release(self, factory_id: int) -> None:
        self._cubes.publish(CubeLights(factory_id=factory_id, is_released=True))
