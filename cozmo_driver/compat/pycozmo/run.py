"""``pycozmo.connect``: a client for the time of a ``with`` block (spec 21 §10)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import logs
from .client import Client
from .exception import PyCozmoException
from .logs import setup_basic_logging

__all__ = ["connect", "run_program", "setup_basic_logging"]


@contextmanager
def connect(
    log_level: Any = None,
    protocol_log_level: Any = None,
    protocol_log_messages: Any = None,
    robot_log_level: Any = None,
    auto_initialize: bool = True,
    enable_animations: bool = True,
    enable_procedural_face: bool = True,
) -> Iterator[Client]:
    """Connect; without a robot the process ends with 1, after Ctrl-C with 0."""
    setup_basic_logging(log_level, protocol_log_level, robot_log_level)
    client = Client(
        None, protocol_log_messages, auto_initialize, enable_animations, enable_procedural_face
    )
    try:
        client.start()
        client.connect()
        client.wait_for_robot()
    except PyCozmoException as error:
        logs.logger.error(error)
        client.stop()
        sys.exit(1)
    try:
        yield client
    except KeyboardInterrupt:
        logs.logger.info("Interrupted...")
        sys.exit(0)
    finally:
        client.disconnect()
        client.stop()
        logs.logger.info("Done.")


def run_program(f: Callable[[Client], object], **named: Any) -> None:
    """Call ``f`` with a client, as older versions did."""
    with connect(**named) as client:
        f(client)
