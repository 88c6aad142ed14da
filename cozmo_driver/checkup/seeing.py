"""Which cube the camera sees first."""

from __future__ import annotations

from ..link import with_timeout
from ..perception import Detections, RobotPerception

_TIMEOUT = 5.0
"""s"""


async def first_cube(perception: RobotPerception) -> tuple[str, int]:
    """Return the name of a cube as soon as one is seen, and how many markers have no name.

    The name is empty where none is seen within 5 s.
    """
    nameless = 0

    def cube_in(seen: Detections) -> str:
        nonlocal nameless
        names = [marker.name for marker in seen.markers]
        nameless = max(nameless, names.count(None))
        return next((name for name in names if name and name.startswith("cube_")), "")

    try:
        seen = await with_timeout(_TIMEOUT, perception.on_detections.next(cube_in))
    except TimeoutError:
        return "", nameless
    return cube_in(seen), nameless
