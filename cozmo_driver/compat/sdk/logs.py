"""The loggers that programs know: ``cozmo.logger`` and ``cozmo.logger_protocol``."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

logger = logging.getLogger("cozmo.general")
logger_protocol = logging.getLogger("cozmo.protocol")
_LEVELS = {logger: "COZMO_LOG_LEVEL", logger_protocol: "COZMO_PROTOCOL_LOG_LEVEL"}


def setup_basic_logging(
    general_log_level: Any = None,
    protocol_log_level: Any = None,
    protocol_log_messages: Any = "all",
    target: Any = None,
    deprecated_filter: Any = "default",
) -> None:
    """Write both loggers to ``target``, by default the error output, from INFO on.

    The environment's COZMO_LOG_LEVEL and COZMO_PROTOCOL_LOG_LEVEL count where no level is given.
    """
    handler = logging.StreamHandler(target or sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)-12s %(levelname)-8s %(message)s"))
    for one, given in ((logger, general_log_level), (logger_protocol, protocol_log_level)):
        level = given or os.environ.get(_LEVELS[one]) or logging.INFO
        try:
            one.setLevel(level)
        except ValueError:
            one.setLevel(logging.INFO)
        for former in one.handlers[:]:
            one.removeHandler(former)
        one.addHandler(handler)


notes: dict[str, None] = {}
"""What was different from the SDK in this run, each once; told at the end."""


def note(text: str) -> None:
    """Remember what is different here; the program goes on."""
    notes.setdefault(text)
