"""Wi-Fi settings."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..registry import ENGINE_TO_ROBOT, message
from ..wire import U8, U16, U32, About, Bool, Octets


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
