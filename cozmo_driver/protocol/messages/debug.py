"""Traces and profiling."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import I8, U16, U32, About, Bool, Text, VarArray, VarOctets


@message(0x82, ENGINE_TO_ROBOT, confidence="E")
class EnableWiFiTelemetry(NamedTuple):
    """Enable WiFi statistics traces."""


@message(0x89, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class DebugSetRTTO(NamedTuple):
    """Set the robot transport time-out. Never send."""

    timeout_ms: Annotated[U16, About(unit="ms")]


@message(0xB0, ROBOT_TO_ENGINE, confidence="H", pycozmo="DebugData")
class PrintTrace(NamedTuple):
    """Log line: format id + integer arguments, resolved through AnkiLogStringTables.json."""

    format_id: Annotated[U16, About("formatTable key")]
    unused: Annotated[U16, About("0 (engine reads formatId+unused as one u32)")]
    name_id: Annotated[U16, About("nameTable key")]
    level: Annotated[I8, About("seen -1,1,2,3,5")]
    args: Annotated[tuple[int, ...], VarArray("B", "i"), About("raw 32-bit; some are floats")]


@message(0xB1, ROBOT_TO_ENGINE, confidence="E")
class PrintText(NamedTuple):
    """Plain log text."""

    level: I8
    text: Annotated[str, Text("B")]


@message(0xB2, ROBOT_TO_ENGINE, confidence="E")
class MainCycleTimeError(NamedTuple):
    """Robot main loop overruns."""

    num_main_too_late_errors: Annotated[U32, About("order of the four unproven")]
    avg_main_too_late_time: Annotated[U32, About(unit="us")]
    num_main_too_long_errors: U32
    avg_main_too_long_time: Annotated[U32, About(unit="us")]


@message(0xB7, ROBOT_TO_ENGINE, confidence="E")
class DataDump(NamedTuple):
    """Debug data."""

    id: U32
    data: Annotated[bytes, VarOctets("B")]


@message(0xBE, ROBOT_TO_ENGINE, confidence="E")
class TimeProfileStat(NamedTuple):
    """Profiler line."""

    avg_time_us: Annotated[U32, About(unit="us")]
    max_time_us: Annotated[U32, About(unit="us")]
    is_header: Bool
    prof_name: Annotated[str, Text("B")]
