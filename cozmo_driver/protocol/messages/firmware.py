"""Firmware update."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import U8, U16, U32, About, Octets


@message(0x06, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class KillBodyCode(NamedTuple):
    """Erase body firmware. Never send."""


@message(0x0D, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class BodyEnterOTA(NamedTuple):
    """Body firmware update mode. Never send."""


@message(0x30, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class EnterRecoveryMode(NamedTuple):
    """Boot a recovery image. Never send."""

    mode: U8


@message(0xAF, ENGINE_TO_ROBOT, confidence="P", pycozmo="FirmwareUpdate")
class OtaWrite(NamedTuple):
    """Firmware update block; answered by 0xEF. See 09-nvram-firmware.md."""

    packet_number: Annotated[U16, About("0,1,2..; 0xFFFF with zero data = end")]
    data: Annotated[bytes, Octets(1024)]


@message(0xEF, ROBOT_TO_ENGINE, confidence="P", pycozmo="FirmwareUpdateResult")
class OtaAck(NamedTuple):
    """Answer to 0xAF."""

    bytes_processed: Annotated[U32, About(unit="B")]
    packet_number: U16
    result: Annotated[U8, About("0 OK, 10 complete")]
