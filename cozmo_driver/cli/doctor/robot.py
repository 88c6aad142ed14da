"""Asks the robot itself: does it answer, who is it, how good is the link."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from ...link import LinkError, UdpLink
from ...protocol import ConnectionLost, NotConnected, messages
from ...robot.battery import LOW
from ...robot.firmware.maintenance import Maintenance
from ...robot.session import Session
from ...robot.start import NEWEST_KNOWN_FIRMWARE, OLDEST_KNOWN_FIRMWARE, StartError, identify, start
from ..link_report import loss_each_way
from .findings import Finding, Group
from .silence import explain_silence

GROUP = Group("robot")
_SILENCE = 5.0
_CONNECT_TIMEOUT = 6.0
"""A robot whose holder has vanished takes another one after 5 s (spec 01 §5)."""
MEASURED = 3.0
"""Seconds of pings, about 30 of them in each."""
_SETTLED_AFTER = 1.1
"""Seconds after which a ping without an echo counts as lost."""
_BAD_LOSS = 0.03
_BAD_ROUND_TRIP = 0.060
"""Twice the robot's own tick, which is most of a good round trip (spec 01 §7)."""


async def check(
    address: str, port: int, interface: str, *, is_start_wanted: bool
) -> AsyncIterator[Finding]:
    """Yield what the robot answers; nothing is sent to any other address.

    ``is_start_wanted`` also sets its clock, on which it moves head and lift.
    """
    link = UdpLink(address, port, lambda event, now: None, network_interface=interface)
    loop = asyncio.get_running_loop()
    begin = loop.time()
    try:
        async with Maintenance(link, _SILENCE, _CONNECT_TIMEOUT) as session:
            took = 1000 * (loop.time() - begin)
            yield GROUP.ok("connection", f"{address}:{port} answered after {took:.0f} ms")
            async for finding in _connected(session, is_start_wanted):
                yield finding
            return
    except LinkError as error:
        yield GROUP.failed("connection", error.strerror or str(error))
    except ConnectionLost:
        yield await asyncio.to_thread(explain_silence, address, port, interface)
    for name in ("firmware", "clock", "link"):
        yield GROUP.skipped(name, "there is no connection")


async def _connected(session: Session, is_start_wanted: bool) -> AsyncIterator[Finding]:
    try:
        yield await _firmware(session)
        async for finding in _clock(session, is_start_wanted):
            yield finding
        yield await _link(session)
    except StartError as error:
        yield GROUP.failed(error.cause.name.lower(), str(error))
    except (ConnectionLost, NotConnected):
        yield GROUP.failed(
            "link",
            "the robot fell silent or closed the connection",
            "is it switched on and in range, and is no other program connected to it?",
        )


async def _firmware(session: Session) -> Finding:
    robot = await identify(session)
    saw = f"{robot.firmware_version} ({robot.firmware_build}), robot {robot.head_serial:08x}"
    if OLDEST_KNOWN_FIRMWARE <= robot.firmware_version <= NEWEST_KNOWN_FIRMWARE:
        return GROUP.ok("firmware", saw)
    return GROUP.warning(
        "firmware",
        f"{saw}: the driver knows {OLDEST_KNOWN_FIRMWARE} to {NEWEST_KNOWN_FIRMWARE}",
        "some things may not work; the app updates a robot",
    )


async def _clock(session: Session, is_start_wanted: bool) -> AsyncIterator[Finding]:
    if not is_start_wanted:
        yield GROUP.skipped(
            "clock", "setting it moves head and lift; --start does it, as the driver would"
        )
        return
    await start(session)
    if session.clock_acknowledged:
        yield GROUP.ok("clock", "set and acknowledged")
    else:
        yield GROUP.warning(
            "clock",
            "the robot did not acknowledge it; its time stamps may be off",
            "switch the robot off and on",
        )
    state = session.received[messages.RobotState]
    assert isinstance(state, messages.RobotState)
    saw = f"the robot takes commands; battery {state.battery_voltage:.2f} V"
    if state.battery_voltage < LOW:
        yield GROUP.warning("state", saw, "put it on its charger")
    else:
        yield GROUP.ok("state", saw)


async def _link(session: Session) -> Finding:
    statistics = session.link.statistics
    answered, lost = statistics.pings_answered, statistics.pings_lost
    await asyncio.sleep(MEASURED + _SETTLED_AFTER)
    if not session.link.is_connected:
        raise ConnectionLost("the connection ended while it was measured")
    loss = loss_each_way(statistics.pings_answered - answered, statistics.pings_lost - lost)
    trip = statistics.round_trip_smoothed
    if trip is None or loss is None:
        return GROUP.failed(
            "link",
            "not one ping was answered",
            "bring the robot nearer, or measure longer with cozmo linktest",
        )
    saw = f"round trip {1000 * trip:.0f} ms, loss about {100 * loss:.1f} % each way"
    if loss > _BAD_LOSS or trip > _BAD_ROUND_TRIP:
        return GROUP.warning(
            "link",
            f"{saw}: pictures and sound will stutter",
            "bring the robot nearer, switch the adapter's power saving off; cozmo linktest "
            "measures longer",
        )
    return GROUP.ok("link", saw)
