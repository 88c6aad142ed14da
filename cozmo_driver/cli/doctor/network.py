"""Judges this computer's network: is there a way to the robot, and one to the internet still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Network

from ...link import reverse_path_hint
from ..network_manager import ROBOT_NETWORK
from .findings import Finding, Group
from .network_facts import Adapter, Facts, JoinedNetwork

GROUP = Group("network")
_ROBOT_PREFIX = 24


def check(
    address: str,
    interface: str,
    facts: Facts,
    joined_network: Callable[[str], JoinedNetwork | None],
    reverse_path: Callable[[str, str], str] = reverse_path_hint,
) -> list[Finding]:
    """Judge the facts for a robot at ``address``, which the driver reaches through ``interface``.

    ``joined_network(adapter)`` returns the Wi-Fi of an adapter, ``reverse_path(address, adapter)``
    what to do when the kernel drops what the robot sends.
    """
    if IPv4Address(address).is_loopback:
        return [GROUP.skipped("all of it", f"{address} is this computer itself")]
    adapters = list(_adapter(interface, facts))
    if interface and facts.adapters and not _considered(interface, facts):
        return adapters
    return [
        *adapters,
        *_wifi(interface, facts, joined_network),
        _own_address(address, interface, facts),
        _route(address, interface, facts),
        *_twins(address, interface, facts),
        *_filter(address, interface, facts, reverse_path),
        _internet(address, facts),
    ]


def _considered(interface: str, facts: Facts) -> list[Adapter]:
    return [a for a in facts.adapters if a.name == interface or (not interface and a.is_wireless)]


def _adapter(interface: str, facts: Facts) -> Iterator[Finding]:
    if not facts.adapters:
        yield GROUP.skipped(
            "adapters",
            "the program ip of iproute2 is missing",
            "install iproute2 to have this computer's adapters looked at",
        )
        return
    considered = _considered(interface, facts)
    if interface and not considered:
        known = ", ".join(sorted(adapter.name for adapter in facts.adapters))
        yield GROUP.failed(
            "adapters",
            f"there is no adapter '{interface}'; this computer has: {known}",
            "name one of these with --network-interface; a USB adapter may have to be plugged in",
        )
    elif not considered:
        yield GROUP.warning(
            "adapters",
            "this computer has no Wi-Fi adapter",
            "a virtual machine, container or WSL2 is reached through its host: docs/wifi.md",
        )
    for adapter in considered:
        kind = "Wi-Fi" if adapter.is_wireless else "no Wi-Fi"
        if adapter.is_up:
            yield GROUP.ok("adapters", f"{adapter.name} is up ({kind})")
        else:
            # Another one may lead to the robot; one that was asked for must.
            bad = GROUP.failed if interface else GROUP.warning
            yield bad(
                "adapters",
                f"{adapter.name} is down or has joined no network ({kind})",
                f"sudo ip link set {adapter.name} up; cozmo wifi connect NAME "
                f"--interface {adapter.name}; rfkill list shows a Wi-Fi that is switched off",
            )


def _wifi(
    interface: str, facts: Facts, joined_network: Callable[[str], JoinedNetwork | None]
) -> Iterator[Finding]:
    for adapter in _considered(interface, facts):
        if not adapter.is_wireless or not adapter.is_up:
            continue
        network = joined_network(adapter.name)
        if network is None:
            yield GROUP.skipped("Wi-Fi", "neither iw nor nmcli is installed to find its name")
            return
        saw = f"{adapter.name}: {network.name or 'no network'}"
        if network.signal:
            saw += f", {network.signal}"
        if ROBOT_NETWORK.fullmatch(network.name):
            yield GROUP.ok("Wi-Fi", saw)
            if network.saves_power:
                yield GROUP.warning(
                    "power saving",
                    f"{adapter.name} sleeps between beacons, which delays what the robot sends",
                    f"sudo iw dev {adapter.name} set power_save off; for good: docs/wifi.md",
                )
        else:
            yield GROUP.warning(
                "Wi-Fi",
                f"{saw}: not the network of a robot",
                "cozmo wifi scan; cozmo wifi connect Cozmo_...",
            )


def _robot_network(address: str) -> IPv4Network:
    return IPv4Network((address, _ROBOT_PREFIX), strict=False)


def _inside(address: str, facts: Facts) -> dict[str, IPv4Address]:
    network = _robot_network(address)
    return {
        adapter.name: own.ip
        for adapter in facts.adapters
        for own in adapter.addresses
        if own.ip in network
    }


def _own_address(address: str, interface: str, facts: Facts) -> Finding:
    network, inside = _robot_network(address), _inside(address, facts)
    if not facts.adapters:
        return GROUP.skipped("own address", "the program ip of iproute2 is missing")
    here = {name: own for name, own in inside.items() if name == (interface or name)}
    if not here:
        where = f"{interface} has" if interface else "this computer has"
        bad = GROUP.failed if interface else GROUP.warning
        return bad(
            "own address",
            f"{where} none in {network}, the network of a robot",
            "join the robot's Wi-Fi (cozmo wifi connect) and wait for its DHCP; by hand: sudo ip "
            f"address add {network[100]}/{_ROBOT_PREFIX} dev {interface or 'ADAPTER'}",
        )
    if IPv4Address(address) in here.values():
        return GROUP.failed(
            "own address",
            f"this computer itself has the robot's address {address}",
            "give the adapter another address, best by DHCP",
        )
    addresses = ", ".join(f"{own} on {name}" for name, own in here.items())
    return GROUP.ok("own address", addresses)


def _route(address: str, interface: str, facts: Facts) -> Finding:
    route = facts.to_robot
    if route is None:
        return GROUP.failed(
            "route",
            f"no network leads to {address}" + (f" through {interface}" if interface else ""),
            "join the robot's Wi-Fi (Cozmo_...)",
        )
    saw = f"through {route.adapter}" + (f" from {route.source}" if route.source else "")
    if route.gateway:
        return GROUP.warning(
            "route",
            f"{saw} and the gateway {route.gateway}: that is not the robot's own Wi-Fi",
            "join the robot's Wi-Fi, unless the gateway is the host of this virtual machine",
        )
    return GROUP.ok("route", saw)


def _twins(address: str, interface: str, facts: Facts) -> Iterator[Finding]:
    inside = _inside(address, facts)
    if len(inside) < 2:
        return
    names = " and ".join(inside)
    saw = f"{names} are all in {_robot_network(address)}"
    if interface:
        yield GROUP.ok("several", f"{saw}; {interface} is the one asked for")
        return
    taken = facts.to_robot.adapter if facts.to_robot else "none"
    yield GROUP.warning(
        "several",
        f"{saw}; without a name {taken} is used",
        "name the adapter of the robot: --network-interface here, network_interface at the driver",
    )


def _filter(
    address: str, interface: str, facts: Facts, reverse_path: Callable[[str, str], str]
) -> Iterator[Finding]:
    adapter = interface or (facts.to_robot.adapter if facts.to_robot else "")
    if not adapter:
        return
    advice = reverse_path(address, adapter)
    if advice:
        what, _, remedy = advice.rpartition(": ")
        yield GROUP.failed("rp_filter", what, remedy)
    else:
        yield GROUP.ok("rp_filter", f"lets in what the robot sends to {adapter}")


def _internet(address: str, facts: Facts) -> Finding:
    route = facts.to_internet
    if route is None:
        return GROUP.warning(
            "internet",
            "this computer has no default route; the robot needs none",
            "cable or a second adapter keeps the internet while in the robot's Wi-Fi",
        )
    saw = f"through {route.adapter}" + (f" and {route.gateway}" if route.gateway else "")
    if route.gateway == address or route.adapter in _inside(address, facts):
        return GROUP.warning(
            "internet",
            f"{saw}: into the robot's network, where there is none",
            "join with cozmo wifi connect, or nmcli connection modify NAME ipv4.never-default yes; "
            f"now: sudo ip route del default dev {route.adapter}",
        )
    return GROUP.ok("internet", saw)
