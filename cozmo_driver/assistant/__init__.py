"""A robot's abilities for assistants: an MCP server of whole acts with limits."""

from __future__ import annotations

import socket

from .data import Limits
from .transports import serve


def serve_on_graph(namespace: str, limits: Limits, listener: socket.socket | None) -> int:
    """Serve an assistant beside the driver of a namespace; return the exit code. Needs ROS."""
    from .ros_server import serve_on_graph

    return serve_on_graph(namespace, limits, listener)
