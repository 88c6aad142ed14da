"""Goals of a test, sent to the driver's actions."""

from __future__ import annotations

import threading
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient

from ..waiting import TIMEOUT
from .graph import Graph, Inbox

STATUS = {
    GoalStatus.STATUS_SUCCEEDED: "succeeded",
    GoalStatus.STATUS_ABORTED: "aborted",
    GoalStatus.STATUS_CANCELED: "canceled",
}


def _is_done(future: Any, timeout: float = TIMEOUT) -> bool:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    return done.wait(timeout)


def _result_of(future: Any, what: str, timeout: float = TIMEOUT) -> Any:
    assert _is_done(future, timeout), f"{what} did not come"
    return future.result()


class SentGoal:
    """A goal that was accepted."""

    def __init__(self, graph: Graph, handle: Any, feedback: Inbox[Any]) -> None:
        self.feedback = feedback
        self._graph, self._handle = graph, handle
        self._result = graph.in_executor(handle.get_result_async)
        self._result.add_done_callback(self._on_result)

    def _on_result(self, future: Any) -> None:
        response = future.result()
        self.feedback.end(f"the goal ended: {STATUS[response.status]}, {response.result}")

    def cancel(self) -> None:
        """Ask for the end; the driver must agree."""
        assert self.try_to_cancel()

    def try_to_cancel(self) -> bool:
        """Ask for the end; return whether the driver agrees."""
        asked = self._graph.in_executor(self._handle.cancel_goal_async)
        answer = _result_of(asked, "the answer to a cancel")
        return bool(answer.goals_canceling)

    @property
    def is_over(self) -> bool:
        return bool(self._result.done())

    def wait(self, timeout: float = TIMEOUT) -> tuple[str, Any]:
        """Return how it ended, and its result."""
        response = _result_of(self._result, "a result", timeout)
        return STATUS[response.status], response.result


class Action:
    """A client of one action; it goes when the graph is cleared."""

    def __init__(self, graph: Graph, kind: Any, name: str) -> None:
        self._graph, self._kind = graph, kind
        # An executor that meets a client of Kilted before it is complete breaks off.
        self.client = graph.in_executor(lambda: ActionClient(graph.node, kind, name))
        graph.action_clients.append(self.client)
        assert self.client.wait_for_server(TIMEOUT), f"nobody offers {name}"

    def send(self, **fields: Any) -> SentGoal:
        """Send a goal made of ``fields``."""
        feedback: Inbox[Any] = Inbox(self._graph)
        goal = self._kind.Goal(**fields)

        def send() -> Any:
            return self.client.send_goal_async(
                goal, lambda message: feedback.take(message.feedback)
            )

        sent = self._graph.in_executor(send)
        # On a busy machine the middleware drops the answer to a client that it does not know yet.
        if not _is_done(sent, TIMEOUT / 4):
            sent = self._graph.in_executor(send)
        handle = _result_of(sent, "the answer to a goal")
        assert handle.accepted
        return SentGoal(self._graph, handle, feedback)

    def do(self, **fields: Any) -> tuple[str, Any]:
        """Send a goal and return how it ended, and its result."""
        return self.send(**fields).wait()
