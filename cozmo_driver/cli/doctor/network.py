"""Judges this computer's network: does a route lead to the robot, and one to the internet still."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from ..network_manager import ROBOT_NETWORK
from .findings import Checks, Finding, Result, failed, found, ok, skipped, warning
from .network_facts import Facts


def check(facts: Facts) -> list[Finding]:
    """Judge the facts."""
    checks: Checks = {"adapters": _adapters}
    if IPv4Address(facts.address).is_loopback:
        checks = {"all of it": _loopback}
    elif facts.considered or (facts.adapters and not facts.interface):
        checks = {
            "adapters": _adapters,
            "Wi-Fi": _wifi,
            "power saving": _power_saving,
            "own address": _own_address,
            "route": _route,
            "several": _several,
            "rp_filter": _filter,
            "internet": _internet,
        }
    return found("network", checks, facts)


def _loopback(facts: Facts) -> Iterator[Result]:
    yield skipped(f"{facts.address} is this computer itself")


def _adapters(facts: Facts) -> Iterator[Result]:
    if not facts.adapters:
        yield skipped(
            "the program ip of iproute2 is missing",
            "install iproute2 to have this computer's network looked at",
        )
    elif facts.interface and not facts.considered:
        known = ", ".join(sorted(adapter.name for adapter in facts.adapters))
        yield failed(
            f"there is no adapter '{facts.interface}'; this computer has: {known}",
            "name one of these with --network-interface; a USB adapter may have to be plugged in",
        )
    elif not facts.considered:
        yield warning(
            "this computer has no Wi-Fi adapter",
            "a virtual machine, container or WSL2 is reached through its host: docs/wifi.md",
        )
    # Another adapter may lead to the robot; one that was asked for must.
    bad = failed if facts.interface else warning
    for adapter in facts.considered:
        kind = "Wi-Fi" if adapter.is_wireless else "no Wi-Fi"
        if adapter.is_up:
            yield ok(f"{adapter.name} is up ({kind})")
        else:
            yield bad(
                f"{adapter.name} is down or has joined no network ({kind})",
                f"sudo ip link set {adapter.name} up; cozmo wifi connect NAME "
                f"--interface {adapter.name}; rfkill list shows a Wi-Fi that is switched off",
            )


def _wifi(facts: Facts) -> Iterator[Result]:
    # Beside the one with the robot, others may be where they like.
    has_robot = any(one and ROBOT_NETWORK.fullmatch(one.name) for one in facts.joined.values())
    for adapter, network in facts.joined.items():
        if network is None:
            yield skipped("neither iw nor nmcli is installed to find its name")
            return
        saw = f"{adapter}: {network.name or 'no network'}"
        saw += f", {network.signal}" if network.signal else ""
        if has_robot:
            yield ok(saw)
        else:
            advice = "cozmo wifi scan; cozmo wifi connect Cozmo_..."
            yield warning(f"{saw}: not the network of a robot", advice)


def _power_saving(facts: Facts) -> Iterator[Result]:
    for adapter, network in facts.joined.items():
        if network and network.saves_power and ROBOT_NETWORK.fullmatch(network.name):
            yield warning(
                f"{adapter} sleeps between beacons, which delays what the robot sends",
                f"sudo iw dev {adapter} set power_save off; permanently: docs/wifi.md",
            )


def _own_address(facts: Facts) -> Iterator[Result]:
    interface, network = facts.interface, facts.robot_network
    here = {name: own for name, own in facts.inside.items() if name == (interface or name)}
    if not here:
        bad = failed if interface else warning
        yield bad(
            f"{interface or 'this computer'} has none in {network}, the network of a robot",
            "join the robot's Wi-Fi (cozmo wifi connect) and wait for its DHCP; by hand: sudo ip "
            f"address add {network[100]}/{network.prefixlen} dev {interface or 'ADAPTER'}",
        )
    elif IPv4Address(facts.address) in here.values():
        saw = f"this computer itself has the robot's address {facts.address}"
        yield failed(saw, "give the adapter another address, best by DHCP")
    else:
        yield ok(", ".join(f"{own} on {name}" for name, own in here.items()))


def _route(facts: Facts) -> Iterator[Result]:
    route = facts.to_robot
    if route is None:
        through = f" through {facts.interface}" if facts.interface else ""
        saw = f"no network leads to {facts.address}{through}"
        yield failed(saw, "join the robot's Wi-Fi (Cozmo_...)")
        return
    saw = f"through {route.adapter}" + (f" from {route.source}" if route.source else "")
    if route.gateway:
        yield warning(
            f"{saw} and the gateway {route.gateway}: that is not the robot's own Wi-Fi",
            "join the robot's Wi-Fi, unless the gateway is the host of this virtual machine",
        )
    else:
        yield ok(saw)


def _several(facts: Facts) -> Iterator[Result]:
    inside = facts.inside
    saw = f"{' and '.join(inside)} are all in {facts.robot_network}"
    if len(inside) > 1 and facts.interface:
        yield ok(f"{saw}; {facts.interface} is the one asked for")
    elif len(inside) > 1:
        taken = facts.to_robot.adapter if facts.to_robot else "none"
        yield warning(
            f"{saw}; without a name {taken} is used",
            "name the adapter of the robot: --network-interface here, network_interface at the "
            "driver",
        )


def _filter(facts: Facts) -> Iterator[Result]:
    adapter = facts.towards_robot
    if adapter:
        what, _, remedy = facts.reverse_path.rpartition(": ")
        lets_in = ok(f"lets in what the robot sends to {adapter}")
        yield failed(what, remedy) if remedy else lets_in


def _internet(facts: Facts) -> Iterator[Result]:
    route = facts.to_internet
    if route is None:
        yield warning(
            "this computer has no default route; the robot needs none",
            "cable or a second adapter keeps the internet while in the robot's Wi-Fi",
        )
        return
    saw = f"through {route.adapter}" + (f" and {route.gateway}" if route.gateway else "")
    if route.gateway == facts.address or route.adapter in facts.inside:
        yield warning(
            f"{saw}: into the robot's network, where there is none",
            "join with cozmo wifi connect, or nmcli connection modify NAME ipv4.never-default yes; "
            f"now: sudo ip route del default dev {route.adapter}",
        )
    else:
        yield ok(saw)
