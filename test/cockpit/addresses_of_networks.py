"""Addresses for telephones without network, in a robot's own Wi-Fi, with a default route.

Run by ``test_addresses.py`` in a network of its own; it changes the network.
"""

from __future__ import annotations

import subprocess
import sys

from cozmo_driver.cockpit.addresses import outward_host

from ..nodes.test_network_namespaces import NETWORK


def ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True)


def hosts() -> list[str]:
    return [outward_host(bound) for bound in ("0.0.0.0", "::", "127.0.0.1")]


def main(network_of_test: str) -> None:
    assert str(NETWORK.readlink()) != network_of_test
    ip("link set lo up")
    assert hosts() == ["", "", "127.0.0.1"]
    # An adapter without a link, as of containers, keeps its address.
    for name, number in (("docker0", 1), ("wlan1", 2)):
        ip(f"link add {name} type veth peer name peer{number}")
        ip(f"address add 172.31.{number}.2/24 dev {name}")
        ip(f"-6 address add fd00:{number}::2/64 dev {name} nodad")
        ip(f"link set {name} up")
    ip("-6 address delete fd00:1::2/64 dev docker0")
    ip("link set peer2 up")
    assert hosts() == ["172.31.2.2", "fd00:2::2", "127.0.0.1"]
    # Where one leads out, its address is that of the network.
    ip("link set peer1 up")
    ip("route add default via 172.31.2.1")
    assert hosts()[0] == "172.31.2.2"


if __name__ == "__main__":
    main(*sys.argv[1:])
