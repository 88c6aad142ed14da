"""Windows of OpenCV on the page, where OpenCV has none or there is no screen."""

from __future__ import annotations

import os
import queue
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
from PIL import Image

from .page import page

_KEYS = {"Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9, " ": 32, "Delete": 0xFFFF}
_ARROWS = {"ArrowLeft": 0xFF51, "ArrowUp": 0xFF52, "ArrowRight": 0xFF53, "ArrowDown": 0xFF54}
"""As OpenCV's windows under X give them."""


def has_screen() -> bool:
    return sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def _has_windows() -> bool:
    kind = re.search(r"GUI:\s*(\S+)", cv2.getBuildInformation())
    return has_screen() and kind is not None and kind[1] != "NONE"


@contextmanager
def windows_on_page() -> Iterator[None]:
    """Let OpenCV show its windows on the page where it could show none itself."""
    if _has_windows():
        yield
        return
    windows = _Windows()
    own = {name: getattr(windows, name) for name in dir(windows) if not name.startswith("_")}
    former = {name: getattr(cv2, name, None) for name in own}
    vars(cv2).update(own)
    try:
        yield
    finally:
        vars(cv2).update(former)


class _Windows:
    """OpenCV's functions of these names; what is only about looks does nothing."""

    def __init__(self) -> None:
        self._bars: dict[tuple[str, str], int] = {}

    def imshow(self, winname: str, mat: Any) -> None:
        values = np.asarray(mat)
        if values.size == 0:
            raise cv2.error(f"imshow: the picture for {winname!r} is empty")
        if values.dtype != np.uint8:
            # As OpenCV does: fractions of white, or the upper byte.
            values = values * 255.0 if values.dtype.kind == "f" else values / 256.0
            values = np.clip(values, 0, 255).astype(np.uint8)
        shown = page()
        if shown is not None:
            values = np.squeeze(values)
            colors = values if values.ndim == 2 else values[..., 2::-1]
            shown.show(str(winname), Image.fromarray(np.ascontiguousarray(colors)))

    def waitKey(self, delay: int = 0) -> int:
        """Return the key that was pressed on the page within ``delay`` ms, else -1."""
        shown = page()
        if shown is None:
            time.sleep(max(delay, 1) / 1000)
            return -1
        try:
            key = shown.keys.get(timeout=delay / 1000 if delay > 0 else None)
        except queue.Empty:
            return -1
        return _KEYS.get(key, _ARROWS.get(key, ord(key) if len(key) == 1 else -1))

    waitKeyEx = waitKey

    def pollKey(self) -> int:
        return self.waitKey(1)

    def createTrackbar(
        self, name: str, window: str, value: int, count: int, change: Any = None
    ) -> None:
        self._bars[window, name] = value or 0

    def getTrackbarPos(self, name: str, window: str) -> int:
        return self._bars.get((window, name), -1)

    def setTrackbarPos(self, name: str, window: str, pos: int) -> None:
        self._bars[window, name] = pos

    def getWindowProperty(self, *_: Any) -> float:
        return 1.0

    def startWindowThread(self) -> int:
        return 1

    def namedWindow(self, *_: Any, **__: Any) -> None:
        pass

    moveWindow = resizeWindow = setWindowProperty = setWindowTitle = setMouseCallback = namedWindow
    setTrackbarMin = setTrackbarMax = destroyWindow = destroyAllWindows = namedWindow
