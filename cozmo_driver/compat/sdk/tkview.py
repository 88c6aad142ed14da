"""``cozmo.tkview``: kept for programs that name it; pictures are on a page here."""

from __future__ import annotations

from typing import Any


class TkImageViewer:
    """Shows nothing by itself: ``run_program(use_viewer=True)`` opens a page."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.label: Any = None
