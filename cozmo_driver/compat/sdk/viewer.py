"""Windows of programs: the annotated camera on a page of this computer (spec 21 §2)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..page import page
from .nav_memory_map import EvtNewNavMemoryMap
from .top_view import top_view
from .world import EvtNewCameraImage

if TYPE_CHECKING:
    from .conn import CozmoConnection

MAP_PERIOD = 0.5
"""s between two maps of a program with the 3D viewer."""
SCALE = 2.0
_FIRST_IMAGE = 3.0


class Viewer:
    """What ``use_viewer`` and ``use_3d_viewer`` switch on."""

    def __init__(self, has_images: bool = True, has_map: bool = False) -> None:
        self._has_images, self._has_map = has_images, has_map

    async def open(self, conn: CozmoConnection) -> None:
        """Switch the stream on, and let the annotators see every image."""
        robot = await conn.wait_for_robot()
        shown = page()
        if self._has_map:
            robot.world.request_nav_memory_map(MAP_PERIOD)
            if shown is not None:

                def draw(event: Any, **_: Any) -> None:
                    shown.show("from above", top_view(robot.world))

                robot.world.add_event_handler(EvtNewNavMemoryMap, draw)
        if not self._has_images:
            return
        robot.camera.image_stream_enabled = True

        def show(event: Any, *, image: Any, **_: Any) -> None:
            picture = image.annotate_image(scale=SCALE)
            if shown is not None:
                shown.show("camera", picture)

        robot.world.add_event_handler(EvtNewCameraImage, show)
        # Programs with a window read the latest image at once.
        with suppress(asyncio.TimeoutError):
            await robot.world.wait_for(EvtNewCameraImage, timeout=_FIRST_IMAGE)
