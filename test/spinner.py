"""Executors that spin in a thread."""

from __future__ import annotations

import threading
from contextlib import suppress

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node


class _End(Exception):
    pass


class Spinner:
    """Serves a node in a thread until ``end``.

    An executor that is shut down from another thread while it spins may wait for ever: the guard
    condition that would wake it is destroyed.
    """

    def __init__(self, node: Node) -> None:
        self.executor = SingleThreadedExecutor(context=node.context)
        self.executor.add_node(node)
        self._end = node.create_guard_condition(self._raise)
        self._thread = threading.Thread(target=self._spin, name=f"spins {node.get_name()}")
        self._thread.start()

    def end(self) -> None:
        self._end.trigger()
        self._thread.join()
        self.executor.shutdown()

    def _spin(self) -> None:
        with suppress(_End, ExternalShutdownException):
            self.executor.spin()

    @staticmethod
    def _raise() -> None:
        raise _End
