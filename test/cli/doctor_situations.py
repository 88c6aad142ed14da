"""What ``cozmo doctor`` says in several networks: a program for a network of its own.

Run by test_doctor_network.py inside a fresh network namespace, whose adapters it makes itself; it
prints the answers as JSON.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
from collections.abc import Iterator
from typing import Any

from cozmo_driver.cli.doctor import robot

from ..nodes.two_robots_one_address import NETWORK, ROBOT, ip, robot_process, set_filter
from .command import cozmo


def doctor(*words: str) -> dict[str, Any]:
    """Return exit code and report."""
    done = cozmo("doctor", "--json", "--robot", ROBOT, *words)
    return {"code": done.returncode, "errors": done.stderr, **json.loads(done.stdout)}


@contextlib.contextmanager
def dhcp_client(adapter: str, address: str) -> Iterator[None]:
    """Have the socket of a client that has this address, as of NetworkManager."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, adapter.encode())
        client.bind((address, 68))
        yield


def main() -> None:
    """Go through the situations."""
    if str(NETWORK.readlink()) == sys.argv[1]:
        raise SystemExit("this is no network namespace of its own: nothing is done")
    # The links of one computer need no 3 s to be measured.
    robot.MEASURED = 0.5
    ip("link set lo up")
    for adapter in ("all", "default"):
        set_filter(adapter, 0)
    answers = {"no network at all": doctor()}

    ip("link add wlan3 type veth peer name far3")
    answers["an adapter that is down"] = doctor("--network-interface", "wlan3")
    for adapter in ("wlan3", "far3"):
        ip(f"link set {adapter} up")
    ip("addr add 172.31.1.9/24 dev wlan3")
    answers["a network without a robot"] = doctor("--network-interface", "wlan3")
    ip("addr add 192.0.2.7/24 dev wlan3")
    ip("addr del 172.31.1.9/24 dev wlan3")
    # A gateway that is there and forwards nothing.
    ip("neighbour add 192.0.2.1 lladdr 02:00:00:00:00:01 dev wlan3 nud permanent")
    ip("route add default via 192.0.2.1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bystander:
        bystander.connect(("192.0.2.1", 53))
        answers["another network"] = doctor()
    ip("link del wlan3")

    with robot_process(0x11, "wlan1", "172.31.1.2"):
        ip(f"route add default via {ROBOT}")
        answers["the robot's network"] = doctor()
        with robot_process(0x22, "wlan2", "172.31.1.3"):
            set_filter("wlan2", 1)
            with dhcp_client("wlan2", "172.31.1.3"):
                answers["a second robot behind a strict filter"] = doctor(
                    "--network-interface", "wlan2"
                )
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
