"""Waiting for what nobody announces: files, other processes, discovery, the emulator's state."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

TIMEOUT = 60.0
"""s: never reached unless something is broken; on a busy machine discovery alone takes seconds."""
_PERIOD = 0.01


def wait_until(condition: Callable[[], Any], what: str, timeout: float = TIMEOUT) -> Any:
    """Poll a condition until it holds; return what it gave."""
    end = time.monotonic() + timeout
    while not (found := condition()):
        assert time.monotonic() < end, f"{what}: not within {timeout} s"
        time.sleep(_PERIOD)
    return found
