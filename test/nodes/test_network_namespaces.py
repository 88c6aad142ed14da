"""Robots that all have the same address, told apart by the adapter that leads to each."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NOT_POSSIBLE = 77
NETWORK = Path("/proc/self/ns/net")
ROOT = Path(__file__).parents[2]
TRIAL = "ip link set lo up && ip link add wlan1 type veth peer name wlan2"
DEADLINE = 120.0


@functools.cache
def isolation() -> tuple[tuple[str, ...], str]:
    """Return the command that begins a network of its own, or why there is none."""
    for tool in ("unshare", "nsenter", "ip"):
        if shutil.which(tool) is None:
            return (), f"the program {tool} is missing (util-linux, iproute2)"
    said = ""
    # A user namespace makes its owner root of the networks in it, where the system allows that.
    for way in (("unshare", "--net"), ("unshare", "--map-root-user", "--net")):
        trial = subprocess.run(
            [*way, "sh", "-c", TRIAL], capture_output=True, text=True, check=False
        )
        if trial.returncode == 0:
            return way, ""
        said = trial.stderr.strip()
    return (), f"this process may not make network namespaces: {said}"


@pytest.mark.covers("network_interface", "robot_address", "robot_port")
@pytest.mark.parametrize(
    "words",
    [("172.31.1.2", "172.31.1.2"), ("172.31.1.3", "172.31.1.4", "--strict")],
    ids=["one address of our own", "two addresses of our own and a strict filter"],
)
def test_two_robots_with_the_same_address_are_driven_through_two_adapters(
    words: tuple[str, ...],
) -> None:
    run_isolated("test.nodes.two_robots_one_address", "computer", str(NETWORK.readlink()), *words)


@pytest.mark.parametrize(("interface", "recorder"), [("", ""), ("wlan1", ""), ("", "recorder")])
def test_a_robot_is_reached_through_wifi_that_comes_late_and_changes(
    interface: str, recorder: str
) -> None:
    run_isolated("test.nodes.changing_wifi", str(NETWORK.readlink()), interface, recorder)


def run_isolated(module: str, *words: str) -> str:
    """Run a program in a network of its own; return its output. Skips where there can be none."""
    way, reason = isolation()
    if not way:
        pytest.skip(reason)
    before = networks_here()
    done = subprocess.run(
        [*way, sys.executable, "-m", module, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    if done.returncode == NOT_POSSIBLE:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert networks_here() == before, "the test changed the network of this computer"
    return done.stdout


def networks_here() -> str:
    """Return the adapters, addresses and routes of this computer."""
    return "".join(
        subprocess.run(["ip", *words.split()], capture_output=True, text=True, check=True).stdout
        for words in ("-brief address", "route")
    )
