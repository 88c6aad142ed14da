"""How a session begins and ends: identity, clock, radio, power (spec 01 §8-9, §11, 09 §7)."""

from __future__ import annotations

import json
import struct

from ..protocol.enums import BodyRadioMode
from ..protocol.messages import (
    AbsoluteLocalizationUpdate,
    CrashReport,
    FirmwareVersion,
    GetManufacturingInfo,
    ImageRequest,
    IMURequest,
    ManufacturingID,
    PrintTrace,
    RequestCrashReports,
    RobotAvailable,
    SetBodyRadioMode,
    ShutdownRobot,
    SyncTime,
    SyncTimeAck,
    WiFiFlashID,
)
from .body import Body
from .core import Core
from .hardware import Hardware
from .joints import Joints
from .options import Identity

_IDENTIFY_AFTER = 0.030
"""Seconds after the connection; the next tick carries it, 33 ms after, as recorded."""
_REPEAT = 0.200
"""A second GetManufacturingInfo within this time is a repetition and not answered."""
_OFF_AFTER = 0.1
"""Seconds in which a request to switch off is still acknowledged."""
_GYRO_BIAS = (-0.476, 0.418, 0.539)
_TRACE_411 = (56, 64, 132, 244)
_TICK = 0.034
"""s from SyncTime to what is reported in the next frame but one, as recorded."""
_BIAS_AFTER = 2.5
"""s after the connection, as recorded."""
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
        body: Body,
        joints: Joints,
        identity: Identity,
        hardware: Hardware,
    ) -> None:
        self._core = core
        self._body = body
        self._joints = joints
        self._identity = identity
        self._hardware = hardware
        self._random = core.random("session")
        self.description = firmware_description(identity)
        """The JSON text of FirmwareVersion; another one after an update."""
        self.accessory_mode = False
        """Whether the body's radio talks to the head: IS_BODY_ACC_MODE."""
        self.synced = False
        self.is_off = False
        """Off is silence: no goodbye, no answer, until somebody switches the robot on."""
        self.ignores_shutdown = False
        """Fault: what the message carries does not please the robot."""
        self._asked_at = -_REPEAT
        core.when_connected(lambda: core.after(_IDENTIFY_AFTER, self._identify))
        core.when_connected(lambda: core.after(_BIAS_AFTER, lambda: self._send_gyro_bias(391, -1)))
        core.when_disconnected(self._on_disconnected)
        core.handle(GetManufacturingInfo, self._on_manufacturing_info)
        core.handle(SyncTime, self._on_sync_time)
        core.handle(IMURequest, self._on_imu_request)
        core.handle(ImageRequest, self._on_image_request)
        core.handle(AbsoluteLocalizationUpdate, self._on_localization)
        core.handle(SetBodyRadioMode, self._on_radio_mode)
        core.handle(RequestCrashReports, lambda m: core.send(CrashReport(m.number, 0, 0, ())))
        core.handle(ShutdownRobot, self._on_shutdown)

    def _identify(self) -> None:
        send, identity = self._core.send, self._identity
        send(RobotAvailable(identity.head_serial, self._hardware.head_revision))
        send(FirmwareVersion(identity.head_serial & 0xFFFF, self.description))
        if self._core.sessions > 1:
            send(PrintTrace(624, 0, 409, 2, identity.mac))
        send(PrintTrace(626, 0, 411, 2, (self._random.choice(_TRACE_411),)))
        send(PrintTrace(347, 0, 413, 2, (self._core.sessions,)))
        send(PrintTrace(632, 0, 1203, 3, (self._hardware.head_revision,)))
        send(WiFiFlashID(identity.wifi_flash_id))
        send(PrintTrace(305, 0, 228, 2, ()))

    def _on_manufacturing_info(self, _: GetManufacturingInfo) -> None:
        if self._core.now - self._asked_at <= _REPEAT:
            return
        self._asked_at = self._core.now
        identity = self._identity
        version = identity.body_hw_version
        version = self._hardware.body_version if version is None else version
        self._core.send(ManufacturingID(identity.body_serial, version, identity.body_color))

    def _on_sync_time(self, m: SyncTime) -> None:
        self._core.clock.set(m.timestamp, self._core.now)
        self._body.set_offset(m.drive_center_offset)
        self.accessory_mode = True
        if self.synced:
            return
        self.synced = True
        self._core.send(PrintTrace(305, 0, 100, 1, ()))
        self._core.send(PrintTrace(347, 0, 414, 2, (0,)))
        if self._hardware.calibrates_first:
            self._core.after(_TICK, self._joints.calibrate)
            self._core.after(_TICK, self._acknowledge_sync)
        else:
            self._acknowledge_sync()
            self._core.after(_TICK, self._joints.calibrate)

    def _acknowledge_sync(self) -> None:
        self._core.send(SyncTimeAck())
        self._send_gyro_bias(394, 2)

    def _send_gyro_bias(self, name: int, level: int) -> None:
        self._core.send(PrintTrace(579, 0, name, level, tuple(map(_float_bits, _GYRO_BIAS))))

    def _on_imu_request(self, _: IMURequest) -> None:
        if not self.synced:
            self._core.send(PrintTrace(585, 0, 337, -1, ()))

    def _on_image_request(self, m: ImageRequest) -> None:
        self._core.send(PrintTrace(358, 0, 110, 1, (m.send_mode, m.resolution)))

    def _on_localization(self, m: AbsoluteLocalizationUpdate) -> None:
        where = (m.pose_x, m.pose_y, m.heading_angle)
        self._core.send(PrintTrace(302, 0, 57, 1, tuple(_float_bits(v) for v in where)))

    def _on_radio_mode(self, m: SetBodyRadioMode) -> None:
        self.accessory_mode = m.radio_mode == BodyRadioMode.ACCESSORY_OPERATING_MODE

    def _on_shutdown(self, _: ShutdownRobot) -> None:
        if not self.ignores_shutdown:
            self._core.after(_OFF_AFTER, self._switch_off)

    def _switch_off(self) -> None:
        core = self._core
        self.is_off = True
        core.connection.disconnect(core.now)
        core.connection.datagrams_to_send(core.now)
        core.handle_events()

    def _on_disconnected(self) -> None:
        self.accessory_mode = self.synced = False
        self._asked_at = -_REPEAT
