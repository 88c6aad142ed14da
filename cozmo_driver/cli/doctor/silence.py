"""Why nobody answered: nobody there, nobody listening, a firewall, or somebody else's robot."""

from __future__ import annotations

import errno

from ...link.sockets import LinkError, open_socket
from . import network_facts
from .findings import Finding, Group

_GROUP = Group("robot")
_WAIT = 1.0
_PROBE = b"COZ"
"""Too short for a frame, so that a robot drops it unread (spec 01 §2)."""


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
    if error in (errno.EHOSTUNREACH, errno.ENETUNREACH):
        return _nobody(address)
    is_there = network_facts.has_neighbour(address, interface)
    if is_there is False:
        return _nobody(address)
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


def _nobody(address: str) -> Finding:
    return _failed(
        f"nobody has the address {address} on this network",
        "wake the robot up (press its button on the charger), bring it nearer, and join its Wi-Fi",
    )


def _probe(address: str, port: int, interface: str) -> tuple[int, str]:
    """Send a datagram that no robot reads; return the error that came back, and our address.

    The error is 0 when none came. Raises ``LinkError``.
    """
    with open_socket(address, port, interface) as sock:
        # Only a connected socket is told of what the network refuses.
        sock.connect((address, port))
        own = str(sock.getsockname()[0])
        sock.settimeout(_WAIT)
        try:
            sock.send(_PROBE)
            sock.recv(1)
        except TimeoutError:
            return 0, own
        except OSError as error:
            return error.errno or 0, own
        return 0, own
