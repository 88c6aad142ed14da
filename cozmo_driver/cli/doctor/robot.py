"""Asks the robot itself: does it answer, who is it, how good is the link."""

from __future__ import annotations

import asyncio
import errno
import math

from ...link import LinkError, UdpLink, open_socket
from ...protocol import ConnectionLost, NotConnected, messages
from ...robot import (
    NEWEST_KNOWN_FIRMWARE,
    OLDEST_KNOWN_FIRMWARE,
    SAG_TIME,
    Battery,
    BatteryTracker,
    Cause,
    DeviceClock,
    Session,
    StartError,
    StateTracker,
    connected_once,
    maintenance_session,
)
from ..linktest import SETTLED_AFTER, loss_each_way
from . import network_facts
from .findings import Finding, Group

_GROUP = Group("robot")
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


async def check(address: str, port: int, interface: str, *, start_it: bool) -> list[Finding]:
    """Connect to the robot; nothing is sent to any other address.

    ``start_it`` also sets its clock, on which it moves head and lift.
    """
    link = UdpLink(address, port, lambda event, now: None, network_interface=interface)
    started = asyncio.get_running_loop().time()
    try:
        session = maintenance_session(link, _SILENCE, _CONNECT_TIMEOUT)
        async with connected_once(session):
            took = 1000 * (asyncio.get_running_loop().time() - started)
            answered = _GROUP.ok("connection", f"{address}:{port} answered after {took:.0f} ms")
            return [answered, *await _connected(session, start_it)]
    except LinkError as error:
        reason = _GROUP.failed("connection", error.strerror or str(error))
    except ConnectionLost:
        reason = await asyncio.to_thread(explain_silence, address, port, interface)
    checks = ("firmware", "clock", "link")
    return [reason, *(_GROUP.skipped(name, "there is no connection") for name in checks)]


async def _connected(session: Session, start_it: bool) -> list[Finding]:
    found = []
    try:
        found.append(await _firmware(session))
        found.append(await _clock(session, start_it))
        battery = _BatteryWatch(session)
        found.append(await _link(session))
        if start_it:
            found.append(await battery.finding())
    except StartError as error:
        found.append(_GROUP.failed(error.cause.name.lower(), str(error)))
    except (ConnectionLost, NotConnected):
        found.append(
            _GROUP.failed(
                "link",
                "the robot fell silent or closed the connection",
                "is it switched on and in range, and is no other program connected to it?",
            )
        )
    return found


async def _firmware(session: Session) -> Finding:
    robot = await session.identify()
    saw = f"{robot.firmware_version} ({robot.firmware_build}), robot {robot.head_serial:08x}"
    if OLDEST_KNOWN_FIRMWARE <= robot.firmware_version <= NEWEST_KNOWN_FIRMWARE:
        return _GROUP.ok("firmware", saw)
    return _GROUP.warning(
        "firmware",
        f"{saw}: the driver knows {OLDEST_KNOWN_FIRMWARE} to {NEWEST_KNOWN_FIRMWARE}",
        "some things may not work; the app updates a robot",
    )


async def _clock(session: Session, start_it: bool) -> Finding:
    if not start_it:
        why = "setting it moves head and lift; --start does it, as the driver would"
        return _GROUP.skipped("clock", why)
    await session.set_up()
    if session.clock_acknowledged:
        return _GROUP.ok("clock", "set and acknowledged")
    return _GROUP.warning(
        "clock",
        "the robot did not acknowledge it; its time stamps may be off",
        "switch the robot off and on",
    )


class _BatteryWatch:
    """Judges the battery as the driver does, which a voltage that sags for a moment misleads."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._states, self._tracker = StateTracker(DeviceClock()), BatteryTracker()
        self._battery: Battery | None = None
        self._since, self._last = math.inf, -math.inf
        session.on(messages.RobotState, self._on_state)

    async def finding(self) -> Finding:
        """Return what is found once it was watched for long enough.

        Raises ``StartError``, ``ConnectionLost``.
        """
        try:
            await self._session.until(lambda: self._last - self._since > SAG_TIME, 2 * SAG_TIME)
        except TimeoutError:
            text = "no states come from the robot; bring it nearer"
            raise StartError(Cause.NOT_READY, text) from None
        battery = self._battery
        assert battery is not None
        saw = f"the robot takes commands; battery {battery.voltage:.2f} V"
        if battery.is_on_charger:
            saw = f"the robot takes commands; on its charger, {battery.charge.value}"
        if battery.is_low:
            return _GROUP.warning("state", f"{saw}, low", "put it on its charger")
        return _GROUP.ok("state", saw)

    def _on_state(self, message: messages.RobotState, now: float) -> None:
        state = self._states.update(message, now, is_head_calibrated=True)
        if state is not None:
            self._battery = self._tracker.update(state)
            self._since, self._last = min(self._since, state.time), state.time


async def _link(session: Session) -> Finding:
    statistics = session.link.statistics
    answered, lost = statistics.pings_answered, statistics.pings_lost
    await asyncio.sleep(MEASURED + SETTLED_AFTER)
    if not session.link.is_connected:
        raise ConnectionLost("the connection ended while it was measured")
    loss = loss_each_way(statistics.pings_answered - answered, statistics.pings_lost - lost)
    trip = statistics.round_trip_smoothed
    if trip is None or loss is None:
        return _GROUP.failed(
            "link",
            "not one ping was answered",
            "bring the robot nearer, or measure longer with cozmo linktest",
        )
    saw = f"round trip {1000 * trip:.0f} ms, loss about {100 * loss:.1f} % each way"
    if loss > _BAD_LOSS or trip > _BAD_ROUND_TRIP:
        return _GROUP.warning(
            "link",
            f"{saw}: pictures and sound will stutter",
            "bring the robot nearer, switch the adapter's power saving off; cozmo linktest "
            "measures longer",
        )
    return _GROUP.ok("link", saw)


def explain_silence(address: str, port: int, interface: str) -> Finding:
    """Return what can be found out about a robot that did not answer a connection request."""
    where = f"{address}:{port}"
    try:
        error, own = _probe(address, port, interface)
    except LinkError as refusal:
        return _failed(refusal.strerror or str(refusal), "")
    if error == errno.ECONNREFUSED:
        return _failed(
            f"nothing listens at {where}",
            "a robot listens on port 5551; start the emulator, or name its port with --port",
        )
    if error in (errno.EPERM, errno.EACCES):
        return _failed(
            f"this computer's firewall does not let datagrams out to {where}",
            f"allow UDP to {address} port {port} (nft list ruleset, ufw status)",
        )
    is_there = network_facts.has_neighbour(address, interface)
    if error in (errno.EHOSTUNREACH, errno.ENETUNREACH) or is_there is False:
        return _failed(
            f"nobody has the address {address} on this network",
            "wake the robot up (press its button on the charger), bring it nearer, and join its "
            "Wi-Fi",
        )
    saw = f"no answer from {where}"
    if is_there:
        saw += ", but something has that address"
    users = network_facts.users_of(own, address, port)
    if users:
        saw += f"; programs here with a socket there: {', '.join(users)}"
    return _failed(
        saw,
        "a robot serves one program only: end the phone's app and other drivers, then wait 5 s; if "
        "nobody else has it, switch it off and on, and let this computer's firewall pass UDP from "
        f"{address}",
    )


def _failed(saw: str, advice: str) -> Finding:
    return _GROUP.failed("connection", saw, advice)


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
