"""Recorded and live traffic of robots: reading, explaining, recording, replaying, tracing."""

from __future__ import annotations

from .describe import Summary, frame_as_json, frame_as_text
from .dissect import ECHO, PING, STREAMS, DissectedFrame, Dissector, Selection
from .endpoint import ROBOT_PORT, Endpoint, TrafficError
from .sessions import RecordedFrame, SessionEnds
from .sources import STDIN, Traffic, open_file, open_interface
from .trace import (
    CONNECTED,
    CONNECTING,
    ENDED,
    RUNNING,
    SILENCE,
    STARTING,
    DirectionSeries,
    SessionSeries,
    TraceEvent,
    Tracer,
)
