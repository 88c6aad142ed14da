"""The MCP server as a node beside a running driver."""

from __future__ import annotations

import contextlib
import socket
from concurrent.futures import Future

from rclpy.node import Node

from ..link import LoopThread
from ..ros.context import NodeContext
from ..ros.parameter_set import ParameterSet
from ..ros.runtime import StopRequest, run
from .data import Limits
from .ros_acts import RosActs
from .transports import serve_acts

NODE_NAME = "cozmo_assistant"
_TIMEOUT = 10.0


class AssistantNode:
    """Serves in the loop of a thread of its own, until the client has gone."""

    def __init__(self, limits: Limits, listener: socket.socket | None) -> None:
        self.node = node = Node(NODE_NAME)
        self._context = NodeContext(
            node, LoopThread("cozmo-assistant"), ParameterSet(node, ()), "the assistant"
        )
        self._acts, self._listener = RosActs(self._context, limits), listener
        self._serving: Future[None] | None = None

    def run(self, stop: StopRequest) -> None:
        work = serve_acts(self._acts, self._listener)
        self._serving = serving = self._context.thread.submit(work)
        serving.add_done_callback(lambda _: stop.set())
        stop.wait()
        self._end()

    def close(self) -> None:
        try:
            self._end()
        finally:
            self._context.close()

    def _end(self) -> None:
        """End serving while the executor spins: what was begun is cancelled through the graph."""
        serving, self._serving = self._serving, None
        if serving is None:
            return
        is_cut_short = serving.cancel()
        self._context.thread.finish(self._acts.settle(), _TIMEOUT)
        if not is_cut_short:
            serving.result()


def serve_on_graph(namespace: str, limits: Limits, listener: socket.socket | None) -> int:
    """Serve an assistant beside the driver of a namespace; return the exit code."""
    words = ["cozmo"]
    if namespace:
        words += ["--ros-args", "-r", f"__ns:=/{namespace.strip('/')}"]
    with contextlib.suppress(KeyboardInterrupt):
        return run(lambda _: AssistantNode(limits, listener), words)
    return 130
