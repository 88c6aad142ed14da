"""Flash storage, firmware update, factory, Wi-Fi settings, legacy Bluetooth."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import BluetoothConnectionState, NVEntryTag, NVOperation, NVResult, TestMode
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..structs import BleFrame
from ..wire import F32, I8, I32, U8, U16, U32, About, Array, Bool, Octets, VarOctets


@message(0x0E, ENGINE_TO_ROBOT, confidence="E")
class ReadBodyStorage(NamedTuple):
    """Read body flash record; answered by 0xA4 [?]."""

    key: U8
    offset: U8


@message(0x0F, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class WriteBodyStorage(NamedTuple):
    """Write body flash record. Never send."""

    key: U8
    data: Annotated[bytes, VarOctets("B")]


@message(0x12, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class SendDTMCommand(NamedTuple):
    """Radio test command. Never send."""

    command: U32
    freq: U32
    length: U32
    payload: U32


@message(0x46, ENGINE_TO_ROBOT, confidence="E")
class StartControllerTestMode(NamedTuple):
    """Motor controller tests."""

    p1: I32
    p2: I32
    p3: I32
    mode: Annotated[U8, TestMode]


@message(0x55, ENGINE_TO_ROBOT, confidence="E")
class EnableReadToolCodeMode(NamedTuple):
    """Hold head and lift with fixed power for lift tool-code reading."""

    lift_power: Annotated[F32, About("-0.5..0.5; order of the two powers unproven")]
    head_power: Annotated[F32, About("-0.5..0.5")]
    enable: Bool


@message(0x65, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class GenerateTestTone(NamedTuple):
    """Factory tone; the RTIP reboots afterwards [F]. Never send."""


@message(0xA1, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class TestState(NamedTuple):
    """Factory test report; inside the robot. Field split from firmware [F]."""

    speeds_fixed: Annotated[tuple[int, ...], Array("i", 4)]
    positions_fixed: Annotated[tuple[int, ...], Array("i", 4)]
    gyro: Annotated[tuple[int, ...], Array("h", 3)]
    acc: Annotated[tuple[int, ...], Array("h", 3)]
    cliff_level: U16
    batt_volt10x: Annotated[U8, About(unit="V/10")]
    ext_volt10x: Annotated[U8, About(unit="V/10")]
    charge_stat: U8


@message(0xA2, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class EnterFactoryTestMode(NamedTuple):
    """Never send."""

    mode: U32
    param: I32


@message(0xA4, ENGINE_TO_ROBOT, confidence="E")
class BodyStorageContents(NamedTuple):
    """Body flash record; inside the robot."""

    key: U8
    offset: U8
    data: Annotated[bytes, VarOctets("B")]


@message(0xD6, ROBOT_TO_ENGINE, confidence="E")
class FactoryTestParameter(NamedTuple):
    """Result of a factory test."""

    param: I32


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


@message(0x81, ENGINE_TO_ROBOT, confidence="H", pycozmo="NvStorageOp")
class NVCommand(NamedTuple):
    """Flash storage operation; answered by 0xCD. See 09-nvram-firmware.md."""

    tag: Annotated[U32, NVEntryTag]
    length: Annotated[
        I32,
        About("factory tag: 1; user tag or write: bytes"),
    ]
    op: Annotated[U8, NVOperation]
    unknown: Annotated[U8, About("always 0")]
    data: Annotated[bytes, VarOctets("H"), About("write data")]


@message(0xCD, ROBOT_TO_ENGINE, confidence="H", pycozmo="NvStorageOpResult")
class NVOpResult(NamedTuple):
    """Answer to 0x81."""

    tag: Annotated[U32, NVEntryTag]
    block: Annotated[I32, About("block of this reply, 1024 bytes each", unit="block")]
    op: Annotated[U8, NVOperation]
    result: Annotated[I8, NVResult]
    data: Annotated[bytes, VarOctets("H")]


@message(0xAA, ENGINE_TO_ROBOT, confidence="F", never_send=True)
class AppConnectConfigString(NamedTuple):
    """WiFi text setting in 16-byte pieces. Never send casually."""

    id: Annotated[U8, About("selects ssid/psk/hostname/token piece")]
    data: Annotated[bytes, Octets(16)]


@message(0xAB, ENGINE_TO_ROBOT, confidence="F", never_send=True)
class AppConnectConfigFlags(NamedTuple):
    """WiFi mode settings. Never send casually. Field order partly guessed."""

    ap_flags: U32
    ap_dhcp_lease_time: Annotated[U32, About(unit="s")]
    beacon_interval: Annotated[U16, About(unit="ms")]
    rf_max_d_bm: U8
    channel: U8
    max_connections: U8
    auth_mode: U8
    ap_min_max_sup_rate: U8
    wifi_fixed_rate: U8
    sta_dhcp_max_try: U8 = 255


@message(0xAC, ENGINE_TO_ROBOT, confidence="F", never_send=True)
class AppConnectConfigIPInfo(NamedTuple):
    """WiFi address settings. Never send casually."""

    robot_ip: U32
    robot_netmask: U32
    robot_gateway: U32
    if_id: Annotated[U8, About("0 station, 1 soft-AP")] = 1


@message(0xAD, ENGINE_TO_ROBOT, confidence="E")
class AppConnectGetRobotIP(NamedTuple):
    """Ask for WiFi addresses."""

    if_id: U8


@message(0xAE, ENGINE_TO_ROBOT, confidence="E", pycozmo="WifiOff")
class WiFiOff(NamedTuple):
    """Switch WiFi off. The robot must be power-cycled afterwards."""

    sleep: Bool = False


@message(0x26, ENGINE_TO_ROBOT, confidence="E")
class BleSendData(NamedTuple):
    """Forward data to a BLE central (legacy app link)."""

    frame: BleFrame


@message(0x27, ENGINE_TO_ROBOT, confidence="E")
class BleDisconnect(NamedTuple):
    """Close the BLE link."""

    reason: U32


@message(0x86, ENGINE_TO_ROBOT, confidence="E")
class BleConnectionState(NamedTuple):
    """BLE link state; inside the robot."""

    state: Annotated[U32, BluetoothConnectionState]


@message(0x87, ENGINE_TO_ROBOT, confidence="E")
class BleDataReceived(NamedTuple):
    """BLE data; inside the robot."""

    frame: BleFrame
