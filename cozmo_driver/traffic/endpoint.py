"""Ends of a connection in a recording."""

from __future__ import annotations

from typing import NamedTuple

ROBOT_PORT = 5551


class TrafficError(Exception):
    """What is wrong with a file, a network interface or a robot, and what to do, in one line."""


class Endpoint(NamedTuple):
    address: str
    port: int

    def __str__(self) -> str:
        """Return how people write it; a recording as text has no ports."""
        if not self.port:
            return self.address
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{host}:{self.port}"
