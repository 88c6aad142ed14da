"""A ROS context of the test's own, served by a thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import rclpy
from rclpy.node import Node

from ..spinner import Spinner


@contextmanager
def spinning_node(name: str) -> Iterator[Node]:
    """A node that a thread serves until the end."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node(name, context=context)
    spinner = Spinner(node)
    try:
        yield node
    finally:
        spinner.end()
        node.destroy_node()
        rclpy.try_shutdown(context=context)
