"""The installed programs of this layer, each in a module that is imported when it is started.

rclpy and messages take a second to import. Who is interrupted meanwhile ends as later (``run``):
quietly, with 0.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from importlib import import_module

from ..signals import ending_signals


def _main(module: str) -> int:
    for number in ending_signals():
        # An exception would be swallowed or wrapped by modules that try what they can import.
        signal.signal(number, lambda *_: os._exit(0))
    return int(import_module(f"{__package__}.{module}").main())


def __getattr__(name: str) -> Callable[[], int]:
    """Return the program of a module of this package."""
    if name.startswith("_"):
        raise AttributeError(name)
    return partial(_main, name)
