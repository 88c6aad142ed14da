"""Session, identity, clock, power and traces."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import BodyColor, BodyRadioMode, RobotErrorCode
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import F32, I8, I32, U8, U16, U32, About, Array, Bool, Octets, Text, VarArray, VarOctets


@message(0x01, ENGINE_TO_ROBOT, confidence="E")
class AdjustTimestamp(NamedTuple):
    """Shift the robot clock."""

    timestamp: Annotated[U32, About(unit="ms")] = 0


@message(0x07, ENGINE_TO_ROBOT, confidence="E")
class SetBodyRadioMode(NamedTuple):
    """Select the body radio mode.

    Engine sends {1,0} when IS_BODY_ACC_MODE stays clear for 16 states.
    """

    radio_mode: Annotated[I8, BodyRadioMode] = 1
    wifi_channel: U8 = 0


@message(0x24, ENGINE_TO_ROBOT, confidence="E")
class GetBodySerialNumber(NamedTuple):
    """Ask the body for its serial; reply not seen (0xA5 travels inside the robot) [?]."""


@message(0x25, ENGINE_TO_ROBOT, confidence="H", pycozmo="Enable")
class GetManufacturingInfo(NamedTuple):
    """Ask for ManufacturingID (0xED).

    The first request after connecting starts the normal session in PyCozmo; it does not itself
    switch anything on.
    """


@message(0x4B, ENGINE_TO_ROBOT, confidence="H")
class SyncTime(NamedTuple):
    """Set the robot clock.

    Switches the body to accessory mode, starts lift and head calibration and enables
    RobotState; answered by 0xC2.
    """

    timestamp: Annotated[U32, About("new robot time", unit="ms")] = 0
    drive_center_offset: Annotated[
        F32, About("engine sends -20.0 (bytes 00 00 A0 C1)", unit="mm")
    ] = -20.0


@message(0x52, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class EnterSleepMode(NamedTuple):
    """Power down. Do not send casually."""


@message(0x53, ENGINE_TO_ROBOT, confidence="E")
class PowerState(NamedTuple):
    """Body to head power report; travels inside the robot."""

    vbat_fixed: Annotated[I32, About("volts * 65536", unit="V/65536")]
    vext_fixed: Annotated[I32, About("volts * 65536", unit="V/65536")]
    unused: I32
    battery_level: U8
    on_charger: Bool
    is_charging: Bool
    operating_mode: Annotated[I8, BodyRadioMode]
    charger_oos: Annotated[Bool, About("charger out of spec")]


@message(0x61, ENGINE_TO_ROBOT, confidence="E")
class ForceDelocalizeSimulatedRobot(NamedTuple):
    """Simulator only."""


@message(0x80, ENGINE_TO_ROBOT, confidence="H")
class RequestCrashReports(NamedTuple):
    """Ask for stored crash report n (0..3); answered by 0xCF."""

    number: U32 = 0


@message(0xA0, ENGINE_TO_ROBOT, confidence="H")
class SetAppRunID(NamedTuple):
    """Session id for logs; engine default is 16 x FF."""

    id: Annotated[tuple[int, ...], Array("I", 4), About("16-byte UUID")]


@message(0xA5, ENGINE_TO_ROBOT, confidence="E")
class BodySerialNumber(NamedTuple):
    """Inside the robot."""

    serial: U32


@message(0xA9, ENGINE_TO_ROBOT, confidence="E")
class ShutdownRobot(NamedTuple):
    """Power off.

    Only accepted before version validation too. Layout from engine size; content unknown.
    """

    data: Annotated[tuple[int, ...], Array("I", 8)]


@message(0xC2, ROBOT_TO_ENGINE, confidence="H", pycozmo="RobotDelocalized")
class SyncTimeAck(NamedTuple):
    """Clock accepted; once per connection, after SyncTime and the gyro bias."""


@message(0xC9, ROBOT_TO_ENGINE, confidence="H", pycozmo="HardwareInfo")
class RobotAvailable(NamedTuple):
    """First message after the connection: head serial."""

    serial_number_head: U32
    hw_revision: Annotated[U16, About("5 seen")]


@message(0xCF, ROBOT_TO_ENGINE, confidence="H")
class CrashReport(NamedTuple):
    """Stored crash report; all zero and empty when none."""

    number: U32
    error_code: U16
    which: U8
    dump: Annotated[tuple[int, ...], VarArray("B", "I")]


@message(0xD2, ROBOT_TO_ENGINE, confidence="E")
class FWVersionInfo(NamedTuple):
    """Recovery/factory firmware version (instead of 0xEE)."""

    wifi_version: U32
    rtip_version: U32
    body_version: U32
    to_robot_clad_hash: Annotated[bytes, Octets(16)]
    to_engine_clad_hash: Annotated[bytes, Octets(16)]


@message(0xD9, ROBOT_TO_ENGINE, confidence="E")
class RobotErrorReport(NamedTuple):
    """Robot error; fatal means the link will drop."""

    error: Annotated[U32, RobotErrorCode]
    fatal: Bool


@message(0xEC, ROBOT_TO_ENGINE, confidence="H")
class WiFiFlashID(NamedTuple):
    """SPI flash chip id."""

    chip_id: U32


@message(0xED, ROBOT_TO_ENGINE, confidence="H", pycozmo="BodyInfo")
class ManufacturingID(NamedTuple):
    """Body identity; answer to 0x25."""

    serial_number: Annotated[U32, About("body serial")]
    body_hw_version: Annotated[U32, About("4..7; 5 = production 1.5, 7 = development")]
    body_color: Annotated[I32, BodyColor]


@message(0xEE, ROBOT_TO_ENGINE, confidence="H", pycozmo="FirmwareSignature")
class FirmwareVersion(NamedTuple):
    """Firmware description as JSON text."""

    robot_id: Annotated[U16, About("low half of the head serial")]
    json: Annotated[str, Text("H"), About("UTF-8 JSON")]


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
