"""The installed programs of this layer, each in a module that is imported when it is started.

rclpy and messages take a second to import. Who is interrupted meanwhile ends as later (``run``):
quietly, with 0.
"""

from __future__ import annotations

import os
import signal
from importlib import import_module


def driver_node() -> int:
    """Run the driver."""
    return _main("driver_node")


def face_node() -> int:
    """Run the node that draws the face."""
    return _main("face_node")


def behavior_node() -> int:
    """Run the personality."""
    return _main("behavior_node")


def bringup() -> int:
    """Run everything that makes a robot run."""
    return _main("bringup")


def drive() -> int:
    """Drive by command line or keys."""
    return _main("drive")


def _main(module: str) -> int:
    for number in (signal.SIGINT, signal.SIGTERM):
        # An exception would be swallowed or wrapped by modules that try what they can import.
        signal.signal(number, lambda *_: os._exit(0))
    return int(import_module(f"{__package__}.{module}").main())
