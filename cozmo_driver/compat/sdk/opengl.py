"""``cozmo.opengl``: kept for programs that name it; there is no 3D window here."""

from __future__ import annotations

from typing import Any


class OpenGLViewer:
    """Shows nothing: the cockpit has a 3D view."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass
