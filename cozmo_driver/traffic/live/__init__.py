"""Traffic as it happens: a relay that records, both ends played from a recording."""

from __future__ import annotations

from .engine import EngineLink, EngineReplay
from .relay import Relay
from .replay import RobotReplay, TimedMessage, timeline
