"""PyCozmo's loggers."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

logger = logging.getLogger("pycozmo.general")
logger_protocol = logging.getLogger("pycozmo.protocol")
logger_robot = logging.getLogger("pycozmo.robot")
logger_reaction = logging.getLogger("pycozmo.reaction")
logger_behavior = logging.getLogger("pycozmo.behavior")
logger_animation = logging.getLogger("pycozmo.animation")


def setup_basic_logging(
    log_level: Any = None,
    protocol_log_level: Any = None,
    robot_log_level: Any = None,
    target: Any = None,
) -> None:
    """Write the loggers to ``target``, by default the error output, from INFO on."""
    handler = logging.StreamHandler(target or sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)-20s %(levelname)-8s %(message)s"))
    for one, level in (
        (logger, log_level or os.environ.get("PYCOZMO_LOG_LEVEL")),
        (logger_protocol, protocol_log_level or os.environ.get("PYCOZMO_PROTOCOL_LOG_LEVEL")),
        (logger_robot, robot_log_level or os.environ.get("PYCOZMO_ROBOT_LOG_LEVEL")),
    ):
        one.handlers[:] = [handler]
        one.setLevel(level or logging.INFO)
