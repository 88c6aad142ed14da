"""How a session begins: identity, clock, the body's radio (spec 01 §8-9, §11)."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable

from ..protocol.enums import BodyRadioMode
from ..protocol.messages import (
    CrashReport,
    FirmwareVersion,
    GetManufacturingInfo,
    ManufacturingID,
    PrintTrace,
    RequestCrashReports,
    RobotAvailable,
    SetBodyRadioMode,
    SyncTime,
    SyncTimeAck,
    WiFiFlashID,
)
from .body import Body
from .clock import RobotClock
from .core import Core
from .options import Identity

_IDENTIFY_AFTER = 0.030
"""Seconds after the connection; the next tick carries it, 33 ms after, as recorded."""
_REPEAT = 0.200
"""A second GetManufacturingInfo within this time is a repetition and not answered."""
_GYRO_BIAS = (-0.476, 0.418, 0.539)
_HASH_TO_ROBOT = "fedb4b12f1b5b45456aec1629cd0b8cc"
_HASH_TO_ENGINE = "5a7211095fc4961407e96b9126658317"


def firmware_description(identity: Identity) -> str:
    """Return the JSON text of FirmwareVersion; what names one build is invented."""
    return json.dumps(
        {
            "version": identity.firmware_version,
            "git-rev": "0" * 40,
            "date": "Tue Feb 11 22:06:25 2025",
            "time": 1739333185,
            "messageEngineToRobotHash": _HASH_TO_ROBOT,
            "messageRobotToEngineHash": _HASH_TO_ENGINE,
            "build": identity.build,
            "wifiSig": "1" * 40,
            "rtipSig": "2" * 40,
            "bodySig": "3" * 40,
        }
    )


def _float_bits(value: float) -> int:
    """Return how a trace carries a float: its bits as a signed integer."""
    return int(struct.unpack("<i", struct.pack("<f", value))[0])


class Session:
    """Identity, clock and radio mode; everything but the clock ends with the connection."""

    def __init__(
        self,
        core: Core,
        clock: RobotClock,
        body: Body,
        identity: Identity,
        synchronised: Callable[[], None],
    ) -> None:
        """Take part in the connection; ``synchronised`` is called once in a session."""
        self._core = core
        self._clock = clock
        self._body = body
        self._identity = identity
        self.description = firmware_description(identity)
        """What the firmware says of itself; another one after an update."""
        self._synchronised = synchronised
        self.accessory_mode = False
        """Whether the body's radio talks to the head: IS_BODY_ACC_MODE."""
        self.synced = False
        self._asked_at = -_REPEAT
        core.when_connected(lambda: core.after(_IDENTIFY_AFTER, self._identify))
        core.when_disconnected(self._end)
        core.handle(GetManufacturingInfo, self._manufacturing_info)
        core.handle(SyncTime, self._sync)
        core.handle(SetBodyRadioMode, self._set_radio_mode)
        core.handle(RequestCrashReports, self._crash_report)

    def _identify(self) -> None:
        send, identity = self._core.send, self._identity
        send(RobotAvailable(identity.head_serial, identity.head_hw_revision))
        send(FirmwareVersion(identity.head_serial & 0xFFFF, self.description))
        send(PrintTrace(624, 0, 409, 2, identity.mac))
        send(PrintTrace(626, 0, 411, 2, (1,)))
        send(PrintTrace(347, 0, 413, 2, (self._core.sessions,)))
        send(PrintTrace(632, 0, 1203, 3, (identity.head_hw_revision,)))
        send(WiFiFlashID(identity.wifi_flash_id))
        send(PrintTrace(305, 0, 228, 2, ()))

    def _manufacturing_info(self, _: GetManufacturingInfo) -> None:
        if self._core.now - self._asked_at <= _REPEAT:
            return
        self._asked_at = self._core.now
        identity = self._identity
        self._core.send(
            ManufacturingID(identity.body_serial, identity.body_hw_version, identity.body_color)
        )

    def _sync(self, m: SyncTime) -> None:
        self._clock.set(m.timestamp, self._core.now)
        self._body.set_offset(m.drive_center_offset)
        self.accessory_mode = True
        if self.synced:
            return
        self.synced = True
        self._core.send(SyncTimeAck())
        self._core.send(PrintTrace(579, 0, 394, 2, tuple(_float_bits(v) for v in _GYRO_BIAS)))
        self._synchronised()

    def _set_radio_mode(self, m: SetBodyRadioMode) -> None:
        self.accessory_mode = m.radio_mode == BodyRadioMode.ACCESSORY_OPERATING_MODE

    def _crash_report(self, m: RequestCrashReports) -> None:
        self._core.send(CrashReport(m.number, 0, 0, ()))

    def _end(self) -> None:
        self.accessory_mode = self.synced = False
        self._asked_at = -_REPEAT
