"""How a session begins and ends: identity, clock, radio, power (spec 01 §8-9, §11, 09 §7)."""

from __future__ import annotations

import json
import struct

from ..protocol import BodyRadioMode, messages
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
        self, core: Core, body: Body, joints: Joints, identity: Identity, hardware: Hardware
    ) -> None:
        self._core, self._body, self._joints = core, body, joints
        self._identity, self._hardware = identity, hardware
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
        core.handle(messages.GetManufacturingInfo, self._on_manufacturing_info)
        core.handle(messages.SyncTime, self._on_sync_time)
        core.handle(messages.IMURequest, self._on_imu_request)
        core.handle(messages.ImageRequest, self._on_image_request)
        core.handle(messages.AbsoluteLocalizationUpdate, self._on_localization)
        core.handle(messages.SetBodyRadioMode, self._on_radio_mode)
        core.handle(messages.RequestCrashReports, self._on_crash_request)
        core.handle(messages.ShutdownRobot, self._on_shutdown)

    def _identify(self) -> None:
        send, identity = self._core.send, self._identity
        send(messages.RobotAvailable(identity.head_serial, self._hardware.head_revision))
        send(messages.FirmwareVersion(identity.head_serial & 0xFFFF, self.description))
        if self._core.sessions > 1:
            self._core.trace(624, 409, 2, *identity.mac)
        self._core.trace(626, 411, 2, self._random.choice(_TRACE_411))
        self._core.trace(347, 413, 2, self._core.sessions)
        self._core.trace(632, 1203, 3, self._hardware.head_revision)
        send(messages.WiFiFlashID(identity.wifi_flash_id))
        self._core.trace(305, 228, 2)

    def _on_manufacturing_info(self, _: messages.GetManufacturingInfo) -> None:
        if self._core.now - self._asked_at <= _REPEAT:
            return
        self._asked_at = self._core.now
        identity = self._identity
        version = identity.body_hw_version
        version = self._hardware.body_version if version is None else version
        self._core.send(
            messages.ManufacturingID(identity.body_serial, version, identity.body_color)
        )

    def _on_sync_time(self, m: messages.SyncTime) -> None:
        self._core.set_clock(m.timestamp)
        self._body.set_offset(m.drive_center_offset)
        self.accessory_mode = True
        if self.synced:
            return
        self.synced = True
        self._core.trace(305, 100, 1)
        self._core.trace(347, 414, 2, 0)
        if self._hardware.calibrates_first:
            self._core.after(_TICK, self._joints.calibrate)
            self._core.after(_TICK, self._acknowledge_sync)
        else:
            self._acknowledge_sync()
            self._core.after(_TICK, self._joints.calibrate)

    def _acknowledge_sync(self) -> None:
        self._core.send(messages.SyncTimeAck())
        self._send_gyro_bias(394, 2)

    def _send_gyro_bias(self, name: int, level: int) -> None:
        self._core.trace(579, name, level, *map(_float_bits, _GYRO_BIAS))

    def _on_imu_request(self, _: messages.IMURequest) -> None:
        if not self.synced:
            self._core.trace(585, 337, -1)

    def _on_image_request(self, m: messages.ImageRequest) -> None:
        self._core.trace(358, 110, 1, m.send_mode, m.resolution)

    def _on_localization(self, m: messages.AbsoluteLocalizationUpdate) -> None:
        where = (m.pose_x, m.pose_y, m.heading_angle)
        self._core.trace(302, 57, 1, *map(_float_bits, where))

    def _on_radio_mode(self, m: messages.SetBodyRadioMode) -> None:
        self.accessory_mode = m.radio_mode == BodyRadioMode.ACCESSORY_OPERATING_MODE

    def _on_crash_request(self, m: messages.RequestCrashReports) -> None:
        self._core.send(messages.CrashReport(m.number, 0, 0, ()))

    def _on_shutdown(self, _: messages.ShutdownRobot) -> None:
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
