"""Legacy Bluetooth link."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import BluetoothConnectionState
from ..registry import ENGINE_TO_ROBOT, message
from ..structs import BleFrame
from ..wire import U32


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
