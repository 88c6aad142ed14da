"""A computer that joins the robot's Wi-Fi after its driver began, and again with other addresses.

Run by test_network_namespaces.py inside a fresh network namespace.
"""

from __future__ import annotations

import asyncio
import sys

from cozmo_driver.link import Backoff
from cozmo_driver.robot import CameraOptions, Phase, Robot, RobotOptions
from cozmo_driver.traffic import Endpoint
from cozmo_driver.traffic.live import Relay

from ..waiting import TIMEOUT
from .two_robots_one_address import NETWORK, PORT, ROBOT, ip, robot_process


async def connected(robot: Robot) -> None:
    """Wait for a session to begin."""
    async with asyncio.timeout(TIMEOUT):
        while robot.session_state.phase is not Phase.CONNECTED:
            await robot.on_session.next()


async def left(robot: Robot) -> None:
    """Wait for the session's end."""
    async with asyncio.timeout(TIMEOUT):
        while robot.session_state.phase is not Phase.WAITING:
            await robot.on_session.next()


async def check(interface: str, is_recorded: bool) -> None:
    """Connect through each new network without being told, or let a recorder do it."""
    for words in (
        "link set lo up",
        "link add eth0 type veth peer name eth1",
        "addr add 10.0.0.2/24 dev eth0",
        "link set eth1 up",
        "link set eth0 up",
        "route add default via 10.0.0.1",
    ):
        ip(words)
    backoff = Backoff(0.1, 2.0, 0.5)
    camera = CameraOptions(enabled=False)
    address, port = ROBOT, PORT
    if is_recorded:
        relay = Relay(Endpoint(ROBOT, PORT), lambda *_: None, interface)
        address, port = await relay.start(Endpoint("127.0.0.1", 0))
    robot = Robot(
        RobotOptions(
            address,
            port,
            network_interface="" if is_recorded else interface,
            backoff=backoff,
            camera=camera,
        )
    )
    await robot.start()
    await left(robot)
    with robot_process(0x11, "wlan1", "172.31.1.2") as emulated:
        await connected(robot)
        ip("addr del 172.31.1.2/24 dev wlan1")
        ip("addr add 172.31.1.7/24 dev wlan1")
        await left(robot)
        await connected(robot)
        ip("link del wlan1")
        await left(robot)
        emulated.join("wlan1", "172.31.1.9")
        await connected(robot)
        await robot.stop()
        assert emulated.end().sessions == 3


if __name__ == "__main__":
    outside, adapter, recorder = sys.argv[1:]
    if str(NETWORK.readlink()) == outside:
        raise SystemExit("this is no network namespace of its own: nothing is done")
    asyncio.run(check(adapter, bool(recorder)))
