"""The reverse path filter of a second adapter to robots that all have one address."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cozmo_driver.link.sockets import reverse_path_hint

HEAD = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"


def word(address: str) -> str:
    """Return an address as the kernel's table shows it."""
    number = int.from_bytes(bytes(map(int, address.split("."))), sys.byteorder)
    return f"{number:08X}"


def route(adapter: str, network: str, mask: str, metric: int = 0) -> str:
    """Return a line of the table."""
    return f"{adapter}\t{word(network)}\t00000000\t0001\t0\t0\t{metric}\t{word(mask)}\t0\t0\t0\n"


HOME = route("eth0", "0.0.0.0", "0.0.0.0")
FIRST = route("wlan1", "172.31.1.0", "255.255.255.0")
SECOND = route("wlan2", "172.31.1.0", "255.255.255.0")


def system(folder: Path, routes: str, everywhere: int, here: int) -> Path:
    """Make the files of a system and return their folder."""
    for name, mode in (("all", everywhere), ("wlan2", here)):
        place = folder / "sys/net/ipv4/conf" / name
        place.mkdir(parents=True)
        (place / "rp_filter").write_text(f"{mode}\n")
    (folder / "net").mkdir()
    (folder / "net/route").write_text(HEAD + routes)
    return folder


@pytest.mark.parametrize(
    ("routes", "through"),
    [
        (HOME + FIRST + SECOND, "wlan1"),
        (route("wlan2", "172.31.1.0", "255.255.255.0", metric=600) + FIRST, "wlan1"),
        (HOME, "eth0"),
    ],
)
def test_a_filter_that_drops_what_the_robot_sends_is_told_with_what_to_do(
    tmp_path: Path, routes: str, through: str
) -> None:
    said = reverse_path_hint("172.31.1.1", "wlan2", system(tmp_path, routes, 0, 1))
    assert f"its route there leads through {through}" in said
    assert "sysctl -w net.ipv4.conf.wlan2.rp_filter=2" in said


@pytest.mark.parametrize(
    ("routes", "everywhere", "here"),
    [
        (HOME + SECOND, 1, 1),
        (HOME + FIRST + SECOND, 0, 0),
        (HOME + FIRST + SECOND, 2, 1),
        ("", 1, 1),
    ],
)
def test_nothing_is_told_of_a_filter_that_lets_the_robot_through(
    tmp_path: Path, routes: str, everywhere: int, here: int
) -> None:
    assert (
        reverse_path_hint("172.31.1.1", "wlan2", system(tmp_path, routes, everywhere, here)) == ""
    )


def test_a_system_without_such_a_filter_is_no_trouble(tmp_path: Path) -> None:
    assert reverse_path_hint("172.31.1.1", "wlan2", tmp_path) == ""
