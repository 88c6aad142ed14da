"""Asks the robot itself: does it answer, who is it, how good is the link."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from typing import cast

from ...link import LinkError, UdpLink, open_socket
from ...protocol import ConnectionLost, NotConnected, messages
from ...robot import (
    LOW_VOLTAGE,
    NEWEST_KNOWN_FIRMWARE,
    OLDEST_KNOWN_FIRMWARE,
    BatteryTracker,
    Session,
    StartError,
    connected_once,
    maintenance_session,
    state_from_message,
)
from ..linktest import SETTLED_AFTER, loss_each_way
from . import network_facts
from .findings import Finding, Result, failed, ok, skipped, warning

_SILENCE = 5.0
_CONNECT_TIMEOUT = 6.0
"""A robot whose holder has vanished takes another one after 5 s (spec 01 §5)."""
MEASURED = 3.0
"""Seconds of pings, about 30 of them in each."""
_BAD_LOSS = 0.03
_BAD_ROUND_TRIP = 0.060
"""Twice the robot's own tick, which is most of a good round trip (spec 01 §7)."""
_PROBE_TIMEOUT = 1.0
_PROBE = b"COZ"
"""Too short for a frame, so that a robot drops it unread (spec 01 §2)."""


async def check(
    address: str, port: int, interface: str, *, gateway: str = "", start_it: bool
) -> list[Finding]:
    """Connect to the robot; nothing is sent to any other address.

    ``gateway`` is that of the route to it, empty for none. ``start_it`` also sets its clock, on
    which it moves head and lift.
    """
    results = _results(address, port, interface, gateway, start_it)
    return [Finding("robot", name, *result) async for name, result in results]


async def _results(
    address: str, port: int, interface: str, gateway: str, start_it: bool
) -> AsyncIterator[tuple[str, Result]]:
    link = UdpLink(address, port, lambda event, now: None, network_interface=interface)
    loop = asyncio.get_running_loop()
    started = loop.time()
    session = maintenance_session(link, _SILENCE, _CONNECT_TIMEOUT)
    is_connected = False
    try:
        async with connected_once(session):
            is_connected = True
            took = 1000 * (loop.time() - started)
            yield "connection", ok(f"{address}:{port} answered after {took:.0f} ms")
            yield "firmware", await _firmware(session)
            yield "clock", await _clock(session, start_it)
            yield "link", await _link(session)
            if start_it:
                yield "state", _state(session, loop.time())
    except StartError as error:
        yield error.cause.name.lower(), failed(str(error))
    except (ConnectionLost, NotConnected, LinkError) as error:
        if is_connected:
            yield (
                "link",
                failed(
                    "the robot fell silent or closed the connection",
                    "is it switched on and in range, and is no other program connected to it?",
                ),
            )
            return
        if isinstance(error, LinkError):
            yield "connection", failed(error.strerror or str(error))
        else:
            silence = asyncio.to_thread(explain_silence, address, port, interface, gateway)
            yield "connection", await silence
        for name in ("firmware", "clock", "link"):
            yield name, skipped("there is no connection")


async def _firmware(session: Session) -> Result:
    robot = await session.identify()
    saw = f"{robot.firmware_version} ({robot.firmware_build}), robot {robot.head_serial:08x}"
    if OLDEST_KNOWN_FIRMWARE <= robot.firmware_version <= NEWEST_KNOWN_FIRMWARE:
        return ok(saw)
    return warning(
        f"{saw}: the driver knows {OLDEST_KNOWN_FIRMWARE} to {NEWEST_KNOWN_FIRMWARE}",
        "some things may not work; the app updates a robot",
    )


async def _clock(session: Session, start_it: bool) -> Result:
    if not start_it:
        return skipped("setting it moves head and lift; --start does it, as the driver would")
    await session.set_up()
    if session.clock_acknowledged:
        return ok("set and acknowledged")
    saw = "the robot did not acknowledge it; its time stamps may be off"
    return warning(saw, "switch the robot off and on")


def _state(session: Session, now: float) -> Result:
    """Judge the battery of a robot at rest: its voltage does not sag."""
    message = cast(messages.RobotState, session.received[messages.RobotState])
    battery = BatteryTracker().update(state_from_message(message, now, now))
    if battery.is_on_charger:
        return ok(f"the robot takes commands; on its charger, {battery.charge.value}")
    saw = f"the robot takes commands; battery {battery.voltage:.2f} V"
    if battery.voltage < LOW_VOLTAGE:
        return warning(f"{saw}, low", "put it on its charger")
    return ok(saw)


async def _link(session: Session) -> Result:
    statistics = session.link.statistics
    answered, lost = statistics.pings_answered, statistics.pings_lost
    await asyncio.sleep(MEASURED + SETTLED_AFTER)
    if not session.link.is_connected:
        raise ConnectionLost("the connection ended while it was measured")
    loss = loss_each_way(statistics.pings_answered - answered, statistics.pings_lost - lost)
    trip = statistics.round_trip_smoothed
    if trip is None or loss is None:
        advice = "bring the robot nearer, or measure longer with cozmo linktest"
        return failed("not one ping was answered", advice)
    saw = f"round trip {1000 * trip:.0f} ms, loss about {100 * loss:.1f} % each way"
    if loss > _BAD_LOSS or trip > _BAD_ROUND_TRIP:
        return warning(
            f"{saw}: pictures and sound will stutter",
            "bring the robot nearer, switch the adapter's power saving off; cozmo linktest "
            "measures longer",
        )
    return ok(saw)


def explain_silence(address: str, port: int, interface: str, gateway: str) -> Result:
    """Return what can be found out about a robot that did not answer a connection request."""
    where = f"{address}:{port}"
    try:
        error, own = _probe(address, port, interface)
    except LinkError as refusal:
        return failed(refusal.strerror or str(refusal))
    if error == errno.ECONNREFUSED:
        return failed(
            f"nothing listens at {where}",
            "a robot listens on port 5551; start the emulator, or name its port with --port",
        )
    if error in (errno.EPERM, errno.EACCES):
        return failed(
            f"this computer's firewall does not let datagrams out to {where}",
            f"allow UDP to {address} port {port} (nft list ruleset, ufw status)",
        )
    # Who is behind a gateway is no neighbour: what is known of one is from another network.
    is_there = None if gateway else network_facts.has_neighbour(address, interface)
    if error in (errno.EHOSTUNREACH, errno.ENETUNREACH) or is_there is False:
        return failed(
            f"nobody has the address {address} on this network",
            "wake the robot up (press its button on the charger), bring it nearer, and join its "
            "Wi-Fi",
        )
    if gateway:
        return failed(
            f"no answer from {where}, looked for through the gateway {gateway}",
            "join the robot's Wi-Fi (cozmo wifi connect), unless that is this virtual machine's "
            "host",
        )
    saw = f"no answer from {where}" + (", but something has that address" if is_there else "")
    users = network_facts.users_of(own, address, port)
    if users:
        saw += f"; programs here with a socket there: {', '.join(users)}"
    return failed(
        saw,
        "a robot serves one program only: end the phone's app and other drivers, then wait 5 s; if "
        "nobody else has it, switch it off and on, and let this computer's firewall pass UDP from "
        f"{address}",
    )


def _probe(address: str, port: int, interface: str) -> tuple[int, str]:
    """Send a datagram that no robot reads; return the error that came back, and our address.

    The error is 0 when none came. Raises ``LinkError``.
    """
    with open_socket(address, port, interface) as sock:
        # Only a connected socket reports what the network refuses.
        sock.connect((address, port))
        own = str(sock.getsockname()[0])
        sock.settimeout(_PROBE_TIMEOUT)
        try:
            sock.send(_PROBE)
            sock.recv(1)
        except TimeoutError:
            return 0, own
        except OSError as error:
            return error.errno or 0, own
        return 0, own
