"""The installed programs that need ROS; the module of each is imported when it is started.

rclpy and messages take a second to import. Who is interrupted meanwhile ends as later (``run``):
quietly, with 0.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module

from .signals import ending_signals

MODULES = {
    "driver_node": "driver.node",
    "face_node": "face.node",
    "behavior_node": "behavior.node",
    "vision_node": "perception.node",
    "manipulation_node": "manipulation.node",
    "cockpit_node": "cockpit.node",
    "bringup": "bringup.bringup",
    "drive": "bringup.drive",
    "nav2_guard": "bringup.nav2_guard",
}


def _main(module: str) -> int:
    if sys.stderr is not None:
        # A crash of the middleware tells where the program was.
        faulthandler.enable()
    for number in ending_signals():
        # An exception would be swallowed or wrapped by modules that try what they can import.
        signal.signal(number, lambda *_: os._exit(0))
    return int(import_module(f"{__package__}.{module}").main())


def __getattr__(name: str) -> Callable[[], int]:
    """Return a program by its name."""
    if name not in MODULES:
        raise AttributeError(name)
    return partial(_main, MODULES[name])
