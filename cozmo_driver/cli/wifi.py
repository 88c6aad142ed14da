"""``cozmo wifi``: finds, joins and leaves the networks of robots by NetworkManager."""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from dataclasses import asdict

from . import network_manager
from .common import CommandError, action_adder
from .network_manager import PROFILE_PREFIX, ROBOT_NETWORK, Network, NetworkManagerError, Profile

_EXAMPLES = {
    "scan": ("cozmo wifi scan", "cozmo wifi scan --interface wlan1 --json"),
    "connect": (
        "cozmo wifi connect Cozmo_01ABCD  # asks for the password on the robot's face",
        "cozmo wifi connect Cozmo_01ABCD --interface wlan1 < password.txt",
    ),
    "disconnect": ("cozmo wifi disconnect", "cozmo wifi disconnect Cozmo_01ABCD"),
    "status": ("cozmo wifi status", "cozmo wifi status --json"),
}
_SETTINGS = (
    # Below the 0 of other networks: at the start of the computer those are joined first.
    ("connection.autoconnect-priority", "-10"),
    # Nothing but the robot is reached through its network: internet and names stay elsewhere.
    ("ipv4.never-default", "yes"),
    ("ipv4.ignore-auto-dns", "yes"),
    ("ipv6.method", "disabled"),
    ("802-11-wireless.powersave", "2"),
    ("802-11-wireless-security.key-mgmt", "wpa-psk"),
)
_SHORTEST_PASSWORD, _LONGEST_PASSWORD = 8, 63
_ACTIVATION_FAILED = 4
_PASSWORD_WHERE = (
    "the robot shows it on its face, dashes included: put it on its charger and move the lift up "
    "and down once by hand"
)


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    scan = action("scan", "list the robots' networks in sight, strongest first", _scan)
    connect = action(
        "connect",
        "join the network of a robot; a cable or another adapter keeps the internet",
        _connect,
    )
    disconnect = action("disconnect", "leave the network of a robot, or of all", _disconnect)
    status = action("status", "show which robots' networks are joined or known", _status)
    connect.add_argument("network", metavar="NAME", help="Cozmo_ and six letters or digits")
    connect.add_argument(
        "--password",
        help="seen by other users while this runs; without it, it is asked for, or read from "
        "what is piped in",
    )
    disconnect.add_argument("network", metavar="NAME", nargs="?", default="")
    for one in (scan, connect):
        one.add_argument(
            "--interface", default="", metavar="NAME", help="this Wi-Fi adapter (default: any)"
        )
    for one in (scan, status):
        one.add_argument("--json", action="store_true", help="print it as JSON")


def _scan(arguments: argparse.Namespace) -> int:
    found = _robots_in_sight(arguments.interface, "yes")
    if arguments.json:
        print(json.dumps([asdict(network) for network in found], indent=2))
    elif found:
        print(f"{'network':<14} {'signal':>6}  {'channel':>7}  {'adapter':<10} security")
        for one in found:
            mark = "  joined" if one.is_joined else ""
            print(
                f"{one.name:<14} {one.signal:>4} %  {one.channel:>7}  {one.adapter:<10} "
                f"{one.security}{mark}"
            )
    else:
        _explain_empty_scan()
    return 0 if found else 1


def _robots_in_sight(interface: str, rescan: str) -> list[Network]:
    return [
        network
        for network in network_manager.networks(interface, rescan=rescan)
        if ROBOT_NETWORK.fullmatch(network.name)
    ]


def _explain_empty_scan() -> None:
    if not network_manager.wifi_adapters():
        raise CommandError(
            "NetworkManager knows no Wi-Fi adapter here; plug one in, or check with rfkill list "
            "and nmcli device for one that is switched off or unmanaged"
        )
    print(
        "no robot in sight: wake it up on its charger and bring it within a few metres; a robot "
        "uses 2.4 GHz only",
        file=sys.stderr,
    )


def _connect(arguments: argparse.Namespace) -> int:
    name, interface = arguments.network, arguments.interface
    if not ROBOT_NETWORK.fullmatch(name):
        raise CommandError(f"{name!r} is no robot's network; one is named like Cozmo_01ABCD", 2)
    profile = f"{PROFILE_PREFIX}{name}"
    saved = network_manager.profiles()
    is_new = profile not in {known.name for known in saved}
    password = _password(arguments.password, name, is_needed=is_new)
    others = {one.adapter: one.name for one in saved if one.adapter and not _is_robots(one)}
    adapters = [interface] if interface else network_manager.wifi_adapters()
    if len(adapters) == 1 and adapters[0] in others:
        print(
            f"{adapters[0]} leaves {others[adapters[0]]}: the internet then needs a cable or a "
            "second adapter",
            file=sys.stderr,
        )
    settings = [word for setting in _SETTINGS for word in setting]
    if is_new:
        words = ["type", "wifi", "con-name", profile, "ifname", interface or "*", "ssid", name]
        network_manager.run("connection", "add", *words, *settings)
    else:
        if interface or network_manager.adapter_of(profile) not in network_manager.wifi_adapters():
            # Empty is any: the adapter that it was saved with is gone.
            settings += ["connection.interface-name", interface]
        network_manager.run("connection", "modify", "id", profile, *settings)
    try:
        _activate(profile, interface, password)
    except BaseException:
        if is_new:
            # A profile that never worked would be tried again and again.
            network_manager.run("connection", "delete", "id", profile)
        raise
    used = {known.adapter for known in network_manager.profiles() if known.name == profile}
    stays = "" if used & others.keys() else ", and the internet stays where it was"
    print(f"joined {name}; the robot is at 172.31.1.1{stays}")
    return 0


def _password(given: str | None, network: str, *, is_needed: bool) -> str:
    """Return the password, or '' where NetworkManager has one. Raises ``CommandError``."""
    if given is not None:
        password = given
    elif not is_needed:
        return ""
    elif sys.stdin.isatty():
        print(_PASSWORD_WHERE[0].upper() + _PASSWORD_WHERE[1:] + ".", file=sys.stderr)
        password = getpass.getpass(f"password of {network}: ")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    if not _SHORTEST_PASSWORD <= len(password) <= _LONGEST_PASSWORD or "\n" in password:
        raise CommandError(
            f"a password has {_SHORTEST_PASSWORD} to {_LONGEST_PASSWORD} characters; "
            f"{_PASSWORD_WHERE}",
            2,
        )
    return password


def _activate(profile: str, interface: str, password: str) -> None:
    words = ["connection", "up", "id", profile, *(["ifname", interface] if interface else [])]
    typed = None
    if password:
        # By a pipe: in the list of processes every user would see it.
        words += ["passwd-file", "/dev/stdin"]
        typed = f"802-11-wireless-security.psk:{password}\n"
    try:
        network_manager.run(*words, typed=typed)
    except NetworkManagerError as error:
        if error.code != _ACTIVATION_FAILED:
            raise
        raise CommandError(
            f"{str(error).rstrip('.')}; is the robot awake and near (cozmo wifi scan), is the "
            "adapter a Wi-Fi adapter, and is the password right (--password replaces a saved one)?"
        ) from error


def _disconnect(arguments: argparse.Namespace) -> int:
    wanted = f"{PROFILE_PREFIX}{arguments.network}"
    active = [
        known
        for known in _known()
        if known.adapter and (known.name == wanted or not arguments.network)
    ]
    if not active:
        which = f"{arguments.network} is not" if arguments.network else "no robot's network is"
        raise CommandError(f"{which} joined")
    for known in active:
        network_manager.run("connection", "down", "uuid", known.uuid)
        print(f"left {known.name.removeprefix(PROFILE_PREFIX)} ({known.adapter})")
    return 0


def _known() -> list[Profile]:
    return [known for known in network_manager.profiles() if _is_robots(known)]


def _is_robots(profile: Profile) -> bool:
    return ROBOT_NETWORK.fullmatch(profile.name.removeprefix(PROFILE_PREFIX)) is not None


def _status(arguments: argparse.Namespace) -> int:
    signals = {network.name: network.signal for network in _robots_in_sight("", "no")}
    rows = [
        {
            "network": network,
            "adapter": profile.adapter,
            "state": profile.state or "not joined",
            "signal": signals.get(network),
        }
        for profile in _known()
        for network in [profile.name.removeprefix(PROFILE_PREFIX)]
    ]
    if arguments.json:
        print(json.dumps(rows, indent=2))
    elif not rows:
        print("no network of a robot is known; cozmo wifi scan finds them", file=sys.stderr)
    else:
        for row in rows:
            signal = f", signal {row['signal']} %" if row["signal"] is not None else ""
            where = f" on {row['adapter']}" if row["adapter"] else ""
            print(f"{row['network']}: {row['state']}{where}{signal}")
    return 0 if any(row["adapter"] for row in rows) else 1
